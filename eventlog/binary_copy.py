"""COPY in Postgres' binary format, for rows by the hundred thousand."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eventlog.connection import Connection

Rows = Iterable[Sequence[Any]]
RowsWriter = Callable[[Rows], None]


@contextmanager
def binary_copy(connection: Connection, statement: bytes, types: Sequence[str]) -> Iterator[RowsWriter]:
    """Open a COPY and give a writer of rows; ``types`` are the columns' types on the wire, by Postgres' names.

    The server works on what was written while the caller makes more.
    """
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(types)
        format_row = copy.formatter.write_row  # what Copy.write_row calls, without a call between

        def write(rows: Rows) -> None:
            for row in rows:
                if block := format_row(row):
                    copy.write(bytes(block))

        yield write
