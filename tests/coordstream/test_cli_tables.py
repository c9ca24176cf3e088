import re
from datetime import UTC, datetime

import pytest

from coordstream.cli.tables import Column, input_partition, print_rows, printable, time_column


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


def test_partitions_in_short() -> None:
    row = {"system_name": "kafka", "stream_name": "a.b", "partition_id": 3}
    assert input_partition({**row, "key_bucket": -1}) == "kafka.a.b.3"
    assert input_partition({**row, "key_bucket": 2}) == "kafka.a.b.3 (keys 2)"
    assert input_partition({**row, "partition_id": None}) == "no partition"


def test_times_are_words_in_a_table_unless_they_are_to_be_exact(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"at": "2026-01-31T10:00:00.25Z"}]
    columns = [time_column("set at", "at")]

    def printed(*, utc: bool = False, as_json: bool = False) -> str:
        print_rows(
            rows, columns, title="t", as_json=as_json, utc=utc, clock=lambda: datetime(2026, 1, 31, 12, tzinfo=UTC)
        )
        return capsys.readouterr().out

    assert [line.strip() for line in printed().splitlines()][1::2] == ["set at", "2 hours ago"]
    assert [line.strip() for line in printed(utc=True).splitlines()][1::2] == ["set at (UTC)", "2026-01-31 10:00:00"]
    assert "2026-01-31T10:00:00.25Z" in printed(as_json=True)
