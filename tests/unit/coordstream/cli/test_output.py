"""Tables, JSON, and the question before a write."""

import json
import re
from datetime import UTC, datetime

import pytest
import typer
from rich.cells import cell_len

from coordstream.cli import output
from coordstream.cli.output import Column, confirm, exact_time_column, fitted, print_rows, time_column
from coordstream.errors import CoordstreamError, note, warn
from coordstream.queries.rows import Row, input_partition, printable


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
def test_control_characters_are_escaped(value: object, shown: str) -> None:
    assert printable(value) == shown


@pytest.mark.usefixtures("narrow")
def test_a_table_fits_the_terminal_and_wraps_long_texts(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [Column("long", "a"), Column("number", "b", "right"), Column("other", "a")]
    print_rows([{"a": "0123456789" * 15, "b": 1}], columns, title="t")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(re.findall(r"\d", "".join(lines))) == 2 * 150 + 1


def test_input_partitions() -> None:
    row = {"system_name": "kafka", "stream_name": "a.b", "partition_id": 3}
    assert input_partition({**row, "key_bucket": -1}) == "kafka.a.b.3"
    assert input_partition({**row, "key_bucket": 2}) == "kafka.a.b.3 (keys 2)"
    assert input_partition({**row, "partition_id": None}) == "no partition"


def test_times_in_a_table_are_relative_unless_exact(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"at": "2026-01-31T10:00:00.25Z"}]
    columns = [time_column("set at", "at")]

    def printed(*, utc: bool = False, as_json: bool = False) -> str:
        print_rows(
            rows, columns, title="t", as_json=as_json, utc=utc, clock=lambda: datetime(2026, 1, 31, 12, tzinfo=UTC)
        )
        return capsys.readouterr().out

    assert printed().splitlines() == ["t", "set at", "2 hours ago"]
    assert printed(utc=True).splitlines() == ["t", "set at (UTC)", "2026-01-31 10:00:00"]
    assert "2026-01-31T10:00:00.25Z" in printed(as_json=True)


ROWS: list[Row] = [
    {"name": "Partition 0", "text": "x" * 300 + " 日本\tend", "at": "2026-01-31T10:00:00.2519Z", "n": None},
    {"name": 'a "b", c', "text": "y\nz", "at": "2026-01-31T10:00:00Z", "n": 7},
]
COLUMNS = [
    Column("name", "name"),
    exact_time_column("at", "at", drop=1),
    Column("n", "n", "right", drop=2),
    Column("text", "text"),
]


def test_a_pipe_gets_a_line_per_row_with_tabs_between_whole_cells(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    print_rows(ROWS, COLUMNS, title="Things")
    assert [line.split("\t") for line in capsys.readouterr().out.splitlines()] == [
        ["Things"],
        ["name", "at (UTC)", "n", "text"],
        ["Partition 0", "2026-01-31 10:00:00.251", "–", "x" * 300 + r" 日本\tend"],
        ['a "b", c', "2026-01-31 10:00:00.000", "7", r"y\nz"],
    ]


def test_json_is_written_row_by_row_as_one_list(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(iter(ROWS), COLUMNS, title="Things", as_json=True)
    printed = capsys.readouterr().out
    assert json.loads(printed) == ROWS
    assert printed == json.dumps(ROWS, ensure_ascii=False, indent=1) + "\n"


@pytest.mark.usefixtures("narrow")
def test_a_terminal_has_the_important_columns_and_names_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    wide = [{**row, "name": "name" * 16} for row in ROWS]
    print_rows(wide, COLUMNS, title="Things")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert lines[1].split() == ["name", "text"]
    assert lines[-1] == "(not shown in 80 columns: at (UTC), n)"
    assert any("…" in line for line in lines)


@pytest.mark.usefixtures("narrow")
def test_a_long_table_is_printed_page_by_page_in_the_same_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "PAGE_ROWS", 2)
    rows = ({"a": n, "b": "x" * n} for n in (7, 8, 9, 60))
    print_rows(rows, [Column("a", "a"), Column("b", "b")], title="t")
    lines = capsys.readouterr().out.splitlines()
    assert [line[:1] for line in lines[:6]] == ["t", "a", "─", "7", "8", "9"]
    assert sum(line.count("x") for line in lines) == 7 + 8 + 9 + 60


TEXT = Column("text", "a")
NAME = Column("name", "b", no_wrap=True)


@pytest.mark.parametrize(
    ("columns", "widest", "width", "widths"),
    [
        ([TEXT, TEXT], [5, 5], 12, {0: 5, 1: 5}),
        ([TEXT, *[TEXT._replace(drop=each) for each in (1, 1, 2)]], [5, 5, 5, 5], 12, {0: 5, 1: 5}),
        ([NAME, TEXT], [30, 90], 80, {0: 30, 1: 48}),
        ([NAME, TEXT, NAME._replace(drop=1)], [30, 90, 20], 80, {0: 30, 1: 48}),
        ([NAME, TEXT, NAME._replace(drop=1)], [30, 90, 9], 80, {0: 30, 1: 37, 2: 9}),
        ([NAME, TEXT], [100, 20], 80, {0: 66, 1: 12}),
        ([NAME, NAME], [9, 9], 4, {0: 1, 1: 1}),
    ],
)
def test_columns_are_dropped_before_texts_and_names_are_wrapped(
    columns: list[Column], widest: list[int], width: int, widths: dict[int, int]
) -> None:
    assert fitted(columns, widest, width) == widths


def answer(monkeypatch: pytest.MonkeyPatch, answered: bool | None) -> None:
    """Answer on a terminal; None is Ctrl-C."""

    def ask(_: str, **__: object) -> bool:
        if answered is None:
            raise typer.Abort
        return answered

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", ask)


@pytest.mark.parametrize("answered", [False, None])
def test_another_answer_ends_the_command(monkeypatch: pytest.MonkeyPatch, answered: bool | None) -> None:
    answer(monkeypatch, answered)
    with pytest.raises(CoordstreamError, match=r"^Nothing was deleted: not confirmed\.$"):
        confirm("Delete?", yes=False, done="deleted")


def test_without_a_terminal_yes_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(CoordstreamError, match=r"^Nothing was written: confirmation needs a terminal\."):
        confirm("Write?", yes=False)


def test_notes_and_warnings_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    note("")
    note("One.")
    warn(["Two.", "Three."])
    assert capsys.readouterr() == ("", "One.\nwarning: Two.\nwarning: Three.\n")
