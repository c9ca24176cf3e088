"""The filters that the data source applies to logs and offsets."""

import pytest

from spark_jobs.data_source.log_range import LAST_OFFSET, Condition, Log, LogRange, Selection

NAME = "__samza_coordinator_counts_1"

ARCHIVED = Log(NAME, "coordinator", incarnation=2)
RECORDED = Log(NAME, "coordinator")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("EqualTo", (5, 6)),
        ("GreaterThan", (6, LAST_OFFSET)),
        ("GreaterThanOrEqual", (5, LAST_OFFSET)),
        ("LessThan", (0, 5)),
        ("LessThanOrEqual", (0, 6)),
    ],
)
def test_a_filter_on_the_offset_limits_the_range(kind: str, expected: tuple[int, int]) -> None:
    selection = Selection().with_filter("log_offset", kind, 5)
    assert selection is not None
    assert (selection.first, selection.until) == expected


def test_filters_on_the_offset_are_combined() -> None:
    selection: Selection | None = Selection()
    for kind, value in (("GreaterThan", 2), ("GreaterThan", 1), ("LessThan", 7), ("LessThan", 9)):
        assert selection is not None
        selection = selection.with_filter("log_offset", kind, value)
    assert selection is not None
    assert (selection.first, selection.until) == (3, 7)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("stream_name", "EqualTo", NAME), True),
        (Condition("stream_name", "EqualTo", "other"), False),
        (Condition("stream_name", "In", ("other", NAME)), True),
        (Condition("stream_name", "StringStartsWith", "__samza_coordinator_"), True),
        (Condition("stream_name", "StringStartsWith", "coordinator_"), False),
        (Condition("stream_kind", "In", ("checkpoint",)), False),
        (Condition("incarnation", "GreaterThan", 1), True),
        (Condition("incarnation", "GreaterThan", 2), False),
        (Condition("incarnation", "GreaterThanOrEqual", 2), True),
        (Condition("incarnation", "LessThan", 2), False),
        (Condition("incarnation", "LessThanOrEqual", 2), True),
    ],
)
def test_a_condition_selects_logs(condition: Condition, expected: bool) -> None:
    assert condition.holds(ARCHIVED) is expected


def test_a_log_without_an_incarnation_passes_no_filter_on_it() -> None:
    assert not Condition("incarnation", "LessThan", 5).holds(RECORDED)


def test_ranges_are_cut_and_those_without_offsets_are_left_out() -> None:
    selection = Selection((Condition("incarnation", "EqualTo", 2),), first=3, until=7)
    ranges = [LogRange(ARCHIVED, 0, 5), LogRange(ARCHIVED, 5, 9), LogRange(ARCHIVED, 7, 9), LogRange(RECORDED, 0, 9)]
    assert selection.apply(ranges) == [LogRange(ARCHIVED, 3, 5), LogRange(ARCHIVED, 5, 7)]


@pytest.mark.parametrize(
    ("column", "kind"), [("key", "EqualTo"), ("log_offset", "StringStartsWith"), ("stream_name", "StringEndsWith")]
)
def test_other_filters_are_left_to_spark(column: str, kind: str) -> None:
    assert Selection().with_filter(column, kind, "x") is None
