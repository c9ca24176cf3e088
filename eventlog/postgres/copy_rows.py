"""Rows for a table: by binary COPY, or as JSON objects."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, Queue
from struct import Struct
from typing import Any, Final, NamedTuple

from eventlog.compiled import compiled_part
from eventlog.postgres.connection import Connection
from eventlog.timestamps import MICROS_OF_A_DAY

TIMESTAMPTZ: Final = "timestamptz"
JSONB: Final = "jsonb"
UTF8_TEXT: Final = "utf8 text"

COPIED_AS: Final = {TIMESTAMPTZ: "int8", JSONB: "bytea", UTF8_TEXT: "bytea"}
"""Types that are sent as another type: microseconds since 2000; the byte 1 and JSON; text in UTF-8."""

Rows = Iterable[tuple[Any, ...]]
RowsWriter = Callable[[Rows], None]
Meanwhile = Callable[[], object]

_compiled = compiled_part("eventlog.postgres._copy_rows")
_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER: Final = b"\xff\xff"
_BLOCK_BYTES: Final = 32 << 10
_MOST_UNSENT: Final = 2_048
"""How many blocks may wait to be sent."""

_COMPLETE: Final = b""
_IDLE_SECONDS: Final = 0.002
"""How long there may be no work meanwhile before it is looked for again."""

_KINDS: Final = {"int2": b"2", "int4": b"4", "int8": b"8", "bool": b"?", "bytea": b"b", "text": b"t", "text[]": b"d"}
"""How the compiled part encodes a type."""


class Columns(NamedTuple):
    """Columns of a table with their types: those of Postgres, and `COPIED_AS`."""

    table: str
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, table: str, **columns: str) -> "Columns":
        return cls(table, tuple(columns.items()))

    def in_schema(self, schema: str) -> "Columns":
        """The same columns of the table of this name in another schema."""
        return self._replace(table=f"{schema}.{self.table.partition('.')[2]}")

    @property
    def names(self) -> str:
        return ", ".join(name for name, _ in self.columns)


class _CutOff(Exception):
    """No more rows will come for a COPY."""


class Copies:
    """Rows and statements that a thread of its own sends, in order, while the caller makes more of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._unsent = Queue[Callable[[], object] | bytes | list[Any] | None](_MOST_UNSENT)

    def run(self, statement: Callable[[], object]) -> None:
        """Call a function that uses the connection, when all before it is sent."""
        self._unsent.put(statement)

    def copy(self, columns: Columns, rows: Rows) -> None:
        with self.open(columns) as write:
            write(rows)

    @contextmanager
    def open(self, columns: Columns) -> Iterator[RowsWriter]:
        """Open a COPY in binary format; until its end, nothing else can be sent."""
        types = [COPIED_AS.get(kind, kind) for _, kind in columns.columns]
        self.run(partial(self._copy, f"copy {columns.table} ({columns.names}) from stdin (format binary)", types))
        if _compiled is None:
            yield lambda rows: self._unsent.put(list(rows))
        else:
            encoded = _EncodedRows(self._unsent.put, types)
            yield encoded.write
            encoded.end()
        self._unsent.put(_COMPLETE)

    def end(self) -> None:
        self._unsent.put(None)

    def cut(self) -> None:
        """End, and do not send what is unsent."""
        with suppress(Empty):
            while True:
                self._unsent.get_nowait()
        self.end()

    def send(self) -> None:
        """Send until the end. Raises the first error, after which nothing is sent."""
        try:
            while callable(statement := self._unsent.get()):
                statement()
        except BaseException:
            while self._unsent.get() is not None:
                pass
            raise

    def _copy(self, statement: str, types: Sequence[str]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
            copy.set_types(types)
            for block in iter(self._unsent.get, _COMPLETE):
                if block is None:
                    self.end()
                    raise _CutOff
                if isinstance(block, bytes):
                    copy.write(block)
                elif isinstance(block, list):
                    for row in block:
                        copy.write_row(row)


@contextmanager
def copying(connection: Connection, meanwhile: Meanwhile = lambda: None) -> Iterator[Copies]:
    """Send rows and statements over a connection, which nothing else may use before the end.

    The end returns when the server has done them all, and raises the first error. Until then it calls ``meanwhile``,
    for other work; it returns a true value if there was any.
    """
    copies = Copies(connection)
    with ThreadPoolExecutor(1) as other_thread:
        sent = other_thread.submit(copies.send)
        try:
            yield copies
            copies.end()
            while not sent.done():
                if not meanwhile():
                    wait([sent], _IDLE_SECONDS)
        except BaseException:
            copies.cut()
            raise
        sent.result()


def copy_rows(connection: Connection, columns: Columns, rows: Rows) -> None:
    with copying(connection) as copies:
        copies.copy(columns, rows)


_TEXT_OID: Final = 25
_NULL: Final = b"\xff\xff\xff\xff"  # a length of -1
_LENGTH: Final = Struct("!i")
_ARRAY_HEADER: Final = Struct("!5i")  # dimensions, whether there may be nulls, type, length, first index


def _text_array(values: Sequence[str | None]) -> bytes:
    """A value of type ``text[]``."""
    if not values:
        return _ARRAY_HEADER.pack(0, 0, _TEXT_OID, 0, 0)[:12]
    texts = [None if value is None else value.encode() for value in values]
    elements = [_NULL if text is None else _LENGTH.pack(len(text)) + text for text in texts]
    return _ARRAY_HEADER.pack(1, 1, _TEXT_OID, len(values), 1) + b"".join(elements)


class _EncodedRows:
    """Rows that the compiled part encodes, in blocks."""

    def __init__(self, send: Callable[[bytes], None], types: Sequence[str]) -> None:
        self._send = send
        self._kinds = b"".join(_KINDS[kind] for kind in types)
        self._pending = bytearray(_SIGNATURE)

    def write(self, rows: Rows) -> None:
        """Encode the rows, and send all blocks that are full."""
        remaining = iter(rows)
        while encoded := _compiled.encode(self._kinds, remaining, _text_array, _BLOCK_BYTES):
            if len(self._pending) + len(encoded) < _BLOCK_BYTES:
                self._pending += encoded
            else:
                self._send_pending()
                self._send(encoded)

    def end(self) -> None:
        self._pending += _TRAILER
        self._send_pending()

    def _send_pending(self) -> None:
        if self._pending:
            self._send(bytes(self._pending))
            self._pending.clear()


_FIRST_JULIAN_DAY: Final = 2_451_545  # 2000-01-01, where Postgres' microseconds begin
_INFINITY: Final = 2**63 - 1


def json_rows(columns: Columns, rows: Rows) -> list[dict[str, Any]]:
    """One object for each row; values as for `copy_rows`, except that JSON's null becomes SQL's."""
    forms = [(name, _FORM_OF.get(kind)) for name, kind in columns.columns]
    return [
        {
            name: value if form is None else form(value)
            for (name, form), value in zip(forms, row, strict=True)
            if value is not None
        }
        for row in rows
    ]


def time_text(micros: int) -> str:
    """A time in microseconds since 2000 as a Julian day, since Python's calendar ends earlier than Postgres'."""
    if abs(micros) >= _INFINITY:
        return "infinity" if micros > 0 else "-infinity"
    day, rest = divmod(micros, MICROS_OF_A_DAY)
    seconds, fraction = divmod(rest, 1_000_000)
    return f"J{_FIRST_JULIAN_DAY + day} {seconds // 3600}:{seconds // 60 % 60}:{seconds % 60}.{fraction:06}+00"


_FORM_OF: Final[dict[str, Callable[[Any], Any]]] = {
    TIMESTAMPTZ: time_text,
    JSONB: lambda jsonb: json.loads(jsonb[1:]),
    UTF8_TEXT: bytes.decode,
    "bytea": lambda data: "\\x" + data.hex(),
}
