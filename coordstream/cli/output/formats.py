"""Prints rows for programs: a JSON list, CSV, or a line per row. Each row is written before the next is fetched."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol, runtime_checkable

from coordstream.queries.rows import Row


@runtime_checkable
class NamesColumns(Protocol):
    """Rows whose columns are known even if there are no rows."""

    columns: Sequence[str]


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=1))


def print_json_list(rows: Iterable[Row]) -> None:
    """Print rows as a JSON list of objects."""
    separator = "[\n "
    for row in rows:
        sys.stdout.write(separator + json.dumps(row, ensure_ascii=False, indent=1).replace("\n", "\n "))
        separator = ",\n "
    print("[]" if separator.startswith("[") else "\n]")


def print_csv(rows: Iterable[Row]) -> None:
    """Print rows as CSV (RFC 4180): a header with the names of the columns, then a line per row; null is empty.

    Without rows, only the header is printed, or nothing if the columns are unknown.
    """
    each = iter(rows)
    first = next(each, None)
    columns = _columns(rows, first)
    if not columns:
        return
    writer = csv.DictWriter(sys.stdout, columns, restval="")
    writer.writeheader()
    for row in chain([] if first is None else [first], each):
        writer.writerow({name: _csv_field(value) for name, value in row.items()})


def print_list(rows: Iterable[Row], *, as_csv: bool) -> None:
    """Print rows as CSV, or else as JSON."""
    if as_csv:
        print_csv(rows)
    else:
        print_json_list(rows)


def print_lines(headings: Sequence[str], cells: Iterable[Sequence[str]]) -> None:
    """Print a line of headings and a line per row, with tabs between whole cells."""
    for line in _lines(headings, cells):
        print(line)


def _lines(headings: Sequence[str], cells: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "\t".join(headings)
    for row in cells:
        yield "\t".join(row)


def _columns(rows: Iterable[Row], first: Row | None) -> Sequence[str]:
    if first is not None:
        return list(first)
    return rows.columns if isinstance(rows, NamesColumns) else ()


def _csv_field(value: Any) -> Any:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
