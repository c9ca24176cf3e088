"""Two ways to write rows into a table: COPY for many, prepared INSERTs in a pipeline for the few of a live tail."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, LiteralString, NamedTuple

from psycopg import sql

from eventlog.connection import Connection
from eventlog.wire_values import COPIED_AS, PARAMETER_OF

FEW_EVENTS: Final = 40
"""Up to so many events, INSERTs in a pipeline take less time than a COPY for each table."""

Rows = Iterable[Sequence[Any]]
RowsWriter = Callable[[Rows], None]


class Columns(NamedTuple):
    """Columns of a table: their names and types; see `eventlog.wire_values` for types beside Postgres' own."""

    table: str
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, table: str, **columns: str) -> "Columns":
        """Columns in the order given."""
        return cls(table, tuple(columns.items()))

    @property
    def names(self) -> str:
        """The columns' names, as a statement lists them."""
        return ", ".join(name for name, _ in self.columns)


def parameters(columns: Columns, rows: Rows) -> list[list[Any]]:
    """Rows as the parameters of a statement that has a placeholder for each column."""
    makers = [PARAMETER_OF.get(kind) for _, kind in columns.columns]
    return [
        [value if value is None or make is None else make(value) for value, make in zip(row, makers, strict=True)]
        for row in rows
    ]


@cache
def insertion(columns: Columns, then: LiteralString = "") -> bytes:
    """An INSERT with a placeholder for each column; in what comes ``then`` the table is called ``c``."""
    names = [name for name, _ in columns.columns]
    statement = sql.SQL("insert into {} as c ({}) values ({}) {}").format(
        sql.Identifier(*columns.table.split(".")),
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.SQL(", ").join([sql.Placeholder()] * len(names)),
        sql.SQL(then),
    )
    return statement.as_bytes()


def insert_rows(connection: Connection, columns: Columns, rows: Rows) -> None:
    """Insert a few rows; within a pipeline nothing is waited for."""
    execute_for_each(connection, insertion(columns), parameters(columns, rows))


def execute_for_each(connection: Connection, statement: bytes, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement for each row of parameters."""
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def copy_rows(connection: Connection, columns: Columns, rows: Rows) -> None:
    """COPY rows into a table."""
    with copying(connection, columns) as write:
        write(rows)


@contextmanager
def copying(connection: Connection, columns: Columns) -> Iterator[RowsWriter]:
    """Open a COPY in binary format; the server works on what was written while the caller makes more."""
    statement = f"copy {columns.table} ({columns.names}) from stdin (format binary)"
    with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
        copy.set_types([COPIED_AS.get(kind, kind) for _, kind in columns.columns])
        format_row = copy.formatter.write_row  # what Copy.write_row calls, without a call between

        def write(rows: Rows) -> None:
            for row in rows:
                if block := format_row(row):
                    copy.write(bytes(block))

        yield write
