"""Rows as a table of at most 100 columns, or as JSON."""

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from coordstream.cli.rows import Row
from coordstream.cli.times import Times
from eventlog.log import Clock, system_clock

PAGE_COLUMNS: Final = 100
MOST_CHARACTERS: Final = 200


Content = str | Callable[[Row], Any]


class Column(NamedTuple):
    """A column of a table: its heading, and the column of the row (or a function of the row) that fills it."""

    heading: str
    content: Content
    justify: Literal["left", "right"] = "left"
    no_wrap: bool = False
    is_time: bool = False


def time_column(heading: str, content: Content) -> Column:
    """A column of times, each on one line; see `Times` for how they are shown."""
    return Column(heading, content, no_wrap=True, is_time=True)


def print_rows(
    rows: Sequence[Row],
    columns: Sequence[Column],
    *,
    title: str,
    as_json: bool,
    utc: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Print all columns of the rows as JSON, or some columns of them as a table, its times in words unless ``utc``."""
    if as_json:
        print_json(rows)
        return
    console = page()
    console.print(Text(title, style="bold"))
    console.print(_table(rows, columns, Times(clock(), is_exact=utc)) if rows else Text("  none"))


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=1))


def page() -> Console:
    """Where tables go: standard output, 100 columns wide unless it is a terminal."""
    return Console(width=None if sys.stdout.isatty() else PAGE_COLUMNS, highlight=False)


def printable(value: Any) -> str:
    """A value on one line: without characters that steer a terminal, and cut off where it is very long."""
    if value is None:
        return "–"
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    clipped = text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in clipped)


def input_partition(row: Row) -> str:
    """The input partition that a row is about, as people say it, such as ``kafka.page-views.3``."""
    if row["partition_id"] is None:
        return "no partition"
    bucket = row.get("key_bucket")
    spelt = f"{row['system_name']}.{row['stream_name']}.{row['partition_id']}"
    return spelt if bucket in (None, -1) else f"{spelt} (keys {bucket})"


def _table(rows: Sequence[Row], columns: Sequence[Column], times: Times) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        heading = times.heading(column.heading) if column.is_time else column.heading
        table.add_column(heading, justify=column.justify, overflow="fold", no_wrap=column.no_wrap)
    for row in rows:
        table.add_row(*(Text(printable(_cell(row, column, times))) for column in columns))
    return table


def _cell(row: Row, column: Column, times: Times) -> Any:
    value = row[column.content] if isinstance(column.content, str) else column.content(row)
    return times.shown(value) if column.is_time else value
