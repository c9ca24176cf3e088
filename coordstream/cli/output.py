"""What commands print: rows as a table, lines with tabs, or JSON; progress; and the question before a write."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, islice
from typing import Any, Final, Literal, NamedTuple

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from coordstream.errors import CoordstreamError, note
from coordstream.queries.rows import MOST_CHARACTERS, Row, printable
from coordstream.times import exact, in_words, moment
from eventlog.log import Clock, system_clock

PAGE_COLUMNS: Final = 100
PAGE_ROWS: Final = 1_000
"""The first page of rows determines the widths of a table's columns."""

GAP: Final = 2
"""Spaces between two columns."""

COMFORTABLE: Final = 32
"""Columns are dropped until each text that may be wrapped has this width."""

LEAST: Final = 12
"""A text is wrapped down to this width before other columns are."""

Content = str | Callable[[Row], Any]
Line = tuple[str, ...]
OnProgress = Callable[[int], None]
"""Called with each further number of events."""


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

    @property
    def may_fold(self) -> bool:
        """Whether cells may be wrapped before those of other columns."""
        return not self.no_wrap and self.justify == "left"


time_column: Final = partial(Column, no_wrap=True, time="words")
"""A column of times, each on one line: relative to now, or in UTC to the second."""

exact_time_column: Final = partial(Column, no_wrap=True, time="exact")
"""A column of times to the millisecond, for histories: several events may occur within a second."""


def time_span(name: str) -> Callable[[Row], str | None]:
    """The content of a column that shows seconds as hours, minutes and seconds."""
    return lambda row: None if row[name] is None else str(timedelta(seconds=row[name]))


def print_rows(
    rows: Iterable[Row],
    columns: Sequence[Column],
    *,
    title: str,
    as_json: bool = False,
    utc: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Print some columns of the rows as a table, or all of them as JSON.

    Times are relative to those of ``clock`` unless ``utc``. Rows are read one by one and may come from a cursor.
    """
    if as_json:
        _print_list(rows)
        return
    now = None if utc else clock()
    headings = tuple(_heading(column, now) for column in columns)
    cells = (tuple(_shown(row, column, now) for column in columns) for row in rows)
    first = next(cells, None)
    width = page_width()
    print_text(printable(title, None), bold=True)
    if first is None:
        print("  none")
    elif width is None:
        for line in chain([headings, first], cells):
            print("\t".join(line))
    else:
        _print_table(columns, headings, chain([first], cells), width)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json_text(value, indent=1))


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON, with escapes if the encoding of standard output lacks characters."""
    escapes = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
    return json.dumps(value, ensure_ascii=escapes, indent=indent, default=lambda time: time.isoformat())


def print_result(value: Any, sentence: str, *, as_json: bool) -> None:
    """Print a value as JSON, or a sentence about it for people."""
    if as_json:
        print_json(value)
    else:
        print(sentence)


def fail_if(sentences: Sequence[str]) -> None:
    """Print sentences about failures on standard error. Exits with 1 unless there are none."""
    for sentence in sentences:
        note(sentence)
    if sentences:
        raise typer.Exit(1)


def counted(count: int, noun: str) -> str:
    """``1 startpoint``, ``2 startpoints``."""
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def print_text(text: str, *, bold: bool = False) -> None:
    """Print a sentence: wrapped between words on a terminal, as a single line elsewhere."""
    page().print(Text(text, style="bold" if bold else ""), soft_wrap=page_width() is None)


def page_width() -> int | None:
    """The width of the terminal that output goes to, or ``COLUMNS`` if that is set; None: a pipe or a file.

    A pipe ignores ``COLUMNS``: programs that use readline pass theirs on to their children.
    """
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def page() -> Console:
    """Standard output, as wide as `page_width`, or 100 columns if that is None."""
    return Console(width=page_width() or PAGE_COLUMNS, highlight=False)


@contextmanager
def event_status() -> Iterator[Callable[[str], OnProgress]]:
    """A line on standard error, on a terminal only, with the number of events read so far.

    The function that is yielded starts to count the events of a step, such as ``orders, verify``.
    """
    with Console(stderr=True).status("") as status:

        def started(step: str) -> OnProgress:
            events = 0

            def show(added: int) -> None:
                nonlocal events
                events += added
                status.update(f"{step}: {events:,} events")

            show(0)
            return show

        yield started


def confirm(question: str, *, yes: bool, done: str = "written", has_dry_run: bool = True) -> None:
    """Ask for confirmation, unless it was given with ``--yes``; ``done`` is what the command would have done.

    Raises `CoordstreamError`: the answer is no, or standard input is not a terminal.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        look = ", or --dry-run to look first" if has_dry_run else ""
        raise CoordstreamError(f"Nothing was {done}: confirmation needs a terminal. Use --yes to go on{look}.")
    try:
        is_confirmed = typer.confirm(question, err=True)
    except typer.Abort:
        is_confirmed = False
    if not is_confirmed:
        raise CoordstreamError(f"Nothing was {done}: not confirmed.")


def fitted(columns: Sequence[Column], widest: Sequence[int], width: int) -> dict[int, int]:
    """The widths of the columns that are shown, by their index; ``widest`` are those of their widest cells.

    Columns are dropped first, then texts are wrapped, and names and numbers only as a last resort.
    """
    wanted = [min(cell, COMFORTABLE) if column.may_fold else cell for column, cell in zip(columns, widest, strict=True)]
    gaps, shown = GAP * (len(columns) - 1), list(range(len(columns)))
    while sum(wanted[at] for at in shown) + gaps > width and any(columns[at].drop for at in shown):
        shown.remove(max(shown, key=lambda at: (columns[at].drop, at)))
        gaps -= GAP
    widths = {at: widest[at] for at in shown}
    while sum(widths.values()) + gaps > width:
        foldable = [at for at in shown if columns[at].may_fold and widths[at] > LEAST]
        largest = max(foldable or shown, key=widths.__getitem__)
        if widths[largest] == 1:
            break
        widths[largest] -= 1
    return widths


def _print_list(rows: Iterable[Row]) -> None:
    """Print rows as a JSON list of objects, one by one."""
    separator = "[\n "
    for row in rows:
        sys.stdout.write(separator + json_text(row, indent=1).replace("\n", "\n "))
        separator = ",\n "
    print("[]" if separator.startswith("[") else "\n]")


def _heading(column: Column, now: datetime | None) -> str:
    is_in_utc = column.time == "exact" or (column.time and now is None)
    return f"{column.heading} (UTC)" if is_in_utc else column.heading


def _shown(row: Row, column: Column, now: datetime | None) -> str:
    value = row[column.content] if isinstance(column.content, str) else column.content(row)
    if column.time and value is not None:
        value = exact(value) if column.time == "exact" else moment(value) if now is None else in_words(value, now)
    return printable(value, None)


def _print_table(columns: Sequence[Column], headings: Line, cells: Iterator[Line], width: int) -> None:
    """Print a table page by page: a table of any length needs the memory of one page."""
    console, rows = page(), _next_rows(cells)
    widest = [max(cell_len(line[at]) for line in (headings, *rows)) for at in range(len(columns))]
    widths, shows_header = fitted(columns, widest, width), True
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


def _clipped(cell: str) -> str:
    return cell if len(cell) <= MOST_CHARACTERS else f"{cell[: MOST_CHARACTERS - 1]}…"
