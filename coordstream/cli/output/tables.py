"""Prints rows: a table that fits the terminal, lines with tabs in a pipe, or JSON or CSV."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, Literal, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from coordstream.cli.output.formats import print_lines, print_list
from coordstream.cli.output.table_layout import GAP, Need, fitted
from coordstream.queries.rows import MOST_CHARACTERS, Row, printable
from coordstream.times import Times
from eventlog.log import Clock, system_clock

PAGE_COLUMNS: Final = 100
PAGE_ROWS: Final = 1_000
"""The first page of rows determines the widths of a table's columns."""

Content = str | Callable[[Row], Any]
Line = tuple[str, ...]


class Column(NamedTuple):
    """A column of a table: its heading, and its content: a column of the row, or a function of the row.

    On narrow terminals the column with the highest ``drop`` is dropped first; 0 is never dropped. ``time`` is for
    times: relative to now (``words``), or to the millisecond even without ``--utc`` (``exact``).
    """

    heading: str
    content: Content
    justify: Literal["left", "right"] = "left"
    no_wrap: bool = False
    time: Literal["", "words", "exact"] = ""
    drop: int = 0


def time_column(heading: str, content: Content, *, drop: int = 0) -> Column:
    """A column of times, each on one line; see `Times` for the format."""
    return Column(heading, content, no_wrap=True, time="words", drop=drop)


def exact_time_column(heading: str, content: Content, *, drop: int = 0) -> Column:
    """A column of times to the millisecond, for histories: several events may occur within a second."""
    return Column(heading, content, no_wrap=True, time="exact", drop=drop)


def print_rows(
    rows: Iterable[Row],
    columns: Sequence[Column],
    *,
    title: str,
    as_json: bool,
    as_csv: bool = False,
    utc: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Print all columns of the rows as JSON or CSV, or some columns of them as a table.

    Times are relative to now unless ``utc``. Rows are read one by one and may come from a cursor.
    """
    if as_json or as_csv:
        print_list(rows, as_csv=as_csv)
        return
    times = Times(clock(), is_exact=utc)
    headings = tuple(_heading(column, times) for column in columns)
    cells = (tuple(_shown(row, column, times) for column in columns) for row in rows)
    first = next(cells, None)
    width = page_width()
    print_text(printable(title, None), bold=True)
    if first is None:
        print("  none")
    elif width is None:
        print_lines(headings, chain([first], cells))
    else:
        _print_table(columns, headings, chain([first], cells), width)


def page_width() -> int | None:
    """The width of the terminal that output goes to, or ``COLUMNS`` if that is set; None: a pipe or a file.

    A pipe ignores ``COLUMNS``: programs that use readline pass theirs on to their children.
    """
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def page() -> Console:
    """Standard output, as wide as `page_width`, or 100 columns if that is None."""
    return Console(width=page_width() or PAGE_COLUMNS, highlight=False)


def print_text(text: str, *, bold: bool = False) -> None:
    """Print a sentence: wrapped between words on a terminal, as a single line elsewhere."""
    page().print(Text(text, style="bold" if bold else ""), soft_wrap=page_width() is None)


def _heading(column: Column, times: Times) -> str:
    return times.heading(column.heading, is_exact=column.time == "exact") if column.time else column.heading


def _shown(row: Row, column: Column, times: Times) -> str:
    value = row[column.content] if isinstance(column.content, str) else column.content(row)
    if column.time:
        value = times.shown(value, is_exact=column.time == "exact")
    return printable(value, None)


def _print_table(columns: Sequence[Column], headings: Line, cells: Iterator[Line], width: int) -> None:
    """Print a table page by page: a table of any length needs the memory of one page."""
    console, rows = page(), _next_rows(cells)
    needs = [_need(column, [line[at] for line in (headings, *rows)]) for at, column in enumerate(columns)]
    widths, shows_header = fitted(needs, width), True
    while rows:
        table = _table(columns, headings, widths, shows_header=shows_header)
        for row in rows:
            table.add_row(*(Text(row[at]) for at in widths))
        console.print(table)
        rows, shows_header = _next_rows(cells), False
    if dropped := [heading for at, heading in enumerate(headings) if at not in widths]:
        console.print(Text(f"(not shown in {width} columns: {', '.join(dropped)})", style="dim"))


def _next_rows(cells: Iterator[Line]) -> list[Line]:
    return [tuple(map(_clipped, row)) for row in islice(cells, PAGE_ROWS)]


def _table(columns: Sequence[Column], headings: Line, widths: dict[int, int], *, shows_header: bool) -> Table:
    padding = (0, GAP - 1, 0, 0)  # the box has a blank between two columns
    table = Table(box=box.SIMPLE_HEAD, padding=padding, pad_edge=False, show_edge=False, show_header=shows_header)
    for at, width in widths.items():
        table.add_column(headings[at], justify=columns[at].justify, overflow="fold", width=width)
    return table


def _need(column: Column, cells: Iterable[str]) -> Need:
    widest = max(map(cell_len, cells))
    return Need(widest, may_fold=not column.no_wrap and column.justify == "left", drop=column.drop)


def _clipped(cell: str) -> str:
    return cell if len(cell) <= MOST_CHARACTERS else f"{cell[: MOST_CHARACTERS - 1]}…"
