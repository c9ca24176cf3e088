"""COPY of rows into a table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from eventlog.postgres.binary_values import COPIED_AS
from eventlog.postgres.connection import Connection

Rows = Iterable[Sequence[Any]]
RowsWriter = Callable[[Rows], None]


class Columns(NamedTuple):
    """Columns of a table with their types: those of Postgres, and those of `eventlog.postgres.binary_values`."""

    table: str
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, table: str, **columns: str) -> "Columns":
        """Columns with their types, in this order."""
        return cls(table, tuple(columns.items()))

    def in_schema(self, schema: str) -> "Columns":
        """The same columns of the table of this name in another schema."""
        return self._replace(table=f"{schema}.{self.table.partition('.')[2]}")

    @property
    def names(self) -> str:
        """The columns' names as a list in SQL."""
        return ", ".join(name for name, _ in self.columns)


def copy_rows(connection: Connection, columns: Columns, rows: Rows) -> None:
    """Write rows into a table."""
    with copying(connection, columns) as write:
        write(rows)


@contextmanager
def copying(connection: Connection, columns: Columns) -> Iterator[RowsWriter]:
    """Open a COPY in binary format; the server processes written rows while the caller makes more."""
    statement = f"copy {columns.table} ({columns.names}) from stdin (format binary)"
    with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
        copy.set_types([COPIED_AS.get(kind, kind) for _, kind in columns.columns])
        format_row = copy.formatter.write_row  # what Copy.write_row calls, one call less for each row

        def write(rows: Rows) -> None:
            for row in rows:
                if block := format_row(row):
                    copy.write(bytes(block))

        yield write
