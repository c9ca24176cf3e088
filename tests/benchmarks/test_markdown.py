"""Figures as they stand in tables."""

from benchmarks.markdown import megabytes, percent, spread, table


def test_a_table_has_its_header_and_a_line_a_row() -> None:
    assert table(("a", "b"), [("1", "2")]) == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]


def test_a_spread_has_the_median_the_least_and_the_most() -> None:
    assert spread([3_000.0, 1_000.0, 2_000.0]) == "2,000 (1,000 to 3,000)"
    assert spread([0.125, 0.5, 0.25], 2) == "0.25 (0.12 to 0.50)"


def test_units_and_what_is_unknown() -> None:
    assert (percent(0.0125), megabytes(12_600_000)) == ("1.2 %", "13 MB")
    assert (percent(None), megabytes(None)) == ("unknown", "unknown")
