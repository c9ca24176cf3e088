"""Values in Postgres' binary format, which are sent as they are, without an object for each."""

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Any, Final

from psycopg import Cursor
from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryLoader
from psycopg.types.string import BytesBinaryDumper

TIMESTAMPTZ: Final = "timestamptz"
JSONB: Final = "jsonb"
UTF8_TEXT: Final = "utf8 text"

COPIED_AS: Final = {TIMESTAMPTZ: "int8", JSONB: "bytea", UTF8_TEXT: "bytea"}
"""Types that are sent as another type: microseconds since 2000; the byte 1 and JSON; text in UTF-8."""


_BYTEA_OID: Final = 17
_INT8_OID: Final = 20
_TEXT_OID: Final = 25
_NULL: Final = b"\xff\xff\xff\xff"  # a length of -1
_LENGTH: Final = Struct("!i")
_INT8: Final = Struct("!iq")
_ARRAY_HEADER: Final = Struct("!5i")  # dimensions, whether there may be nulls, type, length, first index


class ByteaArray(bytes):
    """A parameter of type ``bytea[]``; see `bytea_array`."""


class Int8Array(bytes):
    """A parameter of type ``bigint[]``; see `int8_array`."""


def bytea_array(values: Sequence[bytes | None]) -> ByteaArray:
    """Byte strings as one parameter; psycopg's own dumper takes 5 microseconds for each of them."""
    return ByteaArray(b"".join(_array(_BYTEA_OID, len(values), map(_bytea_element, values))))


def int8_array(values: Sequence[int | None]) -> Int8Array:
    return Int8Array(b"".join(_array(_INT8_OID, len(values), map(_int8_element, values))))


def text_array(values: Sequence[str | None]) -> bytes:
    elements = (_bytea_element(None if value is None else value.encode()) for value in values)
    return b"".join(_array(_TEXT_OID, len(values), elements))


def _array(element_oid: int, length: int, elements: Iterator[bytes]) -> Iterator[bytes]:
    yield (
        _ARRAY_HEADER.pack(1, 1, element_oid, length, 1) if length else _ARRAY_HEADER.pack(0, 0, element_oid, 0, 0)[:12]
    )
    yield from elements


def _bytea_element(value: bytes | None) -> bytes:
    return _NULL if value is None else _LENGTH.pack(len(value)) + value


def _int8_element(value: int | None) -> bytes:
    return _NULL if value is None else _INT8.pack(8, value)


class _WireDumper(Dumper):
    """Sets the type on the instance: on the class, COPY would use the dumper for all columns of the type."""

    format = Format.BINARY
    type_oid = 0

    def __init__(self, cls: type, context: AdaptContext | None = None) -> None:
        super().__init__(cls, context)
        self.oid = self.type_oid

    def dump(self, obj: bytes) -> bytes:
        return obj


class _ByteaArrayDumper(_WireDumper):
    type_oid = 1001


class _Int8ArrayDumper(_WireDumper):
    type_oid = 1016


def register_binary_dumpers(context: AdaptContext) -> None:
    """Register the dumpers of these types on a connection, and for bytes the one written in C."""
    if context.adapters is None:
        raise TypeError("a connection has adapters")
    for kind, dumper in ((bytes, BytesBinaryDumper), (ByteaArray, _ByteaArrayDumper), (Int8Array, _Int8ArrayDumper)):
        context.adapters.register_dumper(kind, dumper)


def load_times_as_micros(cursor: Cursor[tuple[Any, ...]]) -> None:
    """Return times of binary results as microseconds since 2000: a datetime takes as long as the rest of a row."""
    cursor.adapters.register_loader(TIMESTAMPTZ, Int8BinaryLoader)
