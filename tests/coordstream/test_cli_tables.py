import re

import pytest

from coordstream.cli.tables import Column, input_partition, moment, print_rows, printable


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (True, "yes"),
        (False, "no"),
        (7, "7"),
        ("grün 日本 🚀", "grün 日本 🚀"),
        ("red \x1b[31m\r\n\x07\x9b\u202e", r"red \x1b[31m\r\n\x07\x9b\u202e"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_a_value_cannot_steer_the_terminal(value: object, shown: str) -> None:
    assert printable(value) == shown


def test_markup_in_a_value_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([{"a": "[red]x[/red]"}], [Column("[b]", "a")], title="[i]t", as_json=False)
    printed = capsys.readouterr().out
    assert "[red]x[/red]" in printed
    assert "[i]t" in printed


def test_a_table_fits_100_columns_and_folds_what_is_long(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [Column("long", "a"), Column("number", "b", "right"), Column("other", "a")]
    print_rows([{"a": "0123456789" * 15, "b": 1}], columns, title="t", as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert len(re.findall(r"\d", "".join(lines))) == 2 * 150 + 1


def test_no_row_is_said_in_words_and_is_an_empty_list_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([], [Column("a", "a")], title="Things", as_json=False)
    assert capsys.readouterr().out == "Things\n  none\n"
    print_rows([], [Column("a", "a")], title="Things", as_json=True)
    assert capsys.readouterr().out == "[]\n"


def test_times_and_partitions_in_short() -> None:
    assert moment("2026-01-31T12:00:00.25Z") == "2026-01-31 12:00:00"
    assert moment("20260-01-31T12:00:00Z") == "20260-01-31 12:00:00"
    assert moment(None) is None
    row = {"system_name": "kafka", "stream_name": "a.b", "partition_id": 3}
    assert input_partition({**row, "key_bucket": -1}) == "kafka.a.b.3"
    assert input_partition({**row, "key_bucket": 2}) == "kafka.a.b.3 (keys 2)"
    assert input_partition({**row, "partition_id": None}) == "no partition"
