"""A table for people: aligned on a terminal, separated by tabs elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eventlog.errors import printable_text
from spark_jobs.relations.snapshots import Positions

MOST_LOGS: Final = 6


class Column(NamedTuple):
    """A heading, and the text of a row's cell. Numbers are aligned on the right."""

    heading: str
    cell: Callable[[Mapping[str, Any]], object]
    is_number: bool = False


def print_table(
    console: Console, title: str, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], total: int
) -> None:
    """Print the rows, and how many of `total` are not among them. Names are not interpreted as markup."""
    cells = [[_text(column.cell(row)) for column in columns] for row in rows]
    if console.is_terminal:
        console.print(_table(title, columns, cells))
    else:
        for line in ([title], [column.heading for column in columns], *cells):
            print("\t".join(line), file=console.file)
    if total > len(rows):
        console.print(f"… and {total - len(rows)} more rows in the Parquet files.", markup=False)


def _table(title: str, columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column.heading, justify="right" if column.is_number else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case int():
            return f"{value:,}"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}"
        case _:
            return printable_text(str(value))


def describe_positions(positions: Positions, heading: str = "Log positions:") -> list[str]:
    """A line per log with its position: the first offset that is not included."""
    lines = [f"  {name} (incarnation {number}): next offset {positions[name, number]}" for name, number in positions]
    more = [f"  … and {len(lines) - MOST_LOGS} more logs, in as_of.json"] if len(lines) > MOST_LOGS else []
    return [heading, *sorted(lines)[:MOST_LOGS], *more]
