"""Values in Postgres' binary format, to be sent as they are: no object is built only to be taken apart again."""

from collections.abc import Callable
from typing import Any, Final

from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.string import BytesBinaryDumper

TIMESTAMPTZ: Final = "timestamptz"
JSONB: Final = "jsonb"
UTF8_TEXT: Final = "utf8 text"

COPIED_AS: Final = {TIMESTAMPTZ: "int8", JSONB: "bytea", UTF8_TEXT: "bytea"}
"""Types whose values travel in the bytes of another: microseconds since 2000; 1 and JSON; text in UTF-8."""


class _Micros(int):
    pass


class _Jsonb(bytes):
    pass


class _Utf8(bytes):
    pass


class _WireDumper(Dumper):
    """Says its type for each value: as the class's own, COPY would take it for all columns of that type."""

    format = Format.BINARY
    type_oid = 0

    def __init__(self, cls: type, context: AdaptContext | None = None) -> None:
        super().__init__(cls, context)
        self.oid = self.type_oid

    def dump(self, obj: bytes) -> bytes:
        return obj


class _MicrosDumper(_WireDumper):
    type_oid = 1184

    def dump(self, obj: Any) -> bytes:
        micros: int = obj
        return micros.to_bytes(8, "big", signed=True)


class _JsonbDumper(_WireDumper):
    type_oid = 3802


class _Utf8Dumper(_WireDumper):
    type_oid = 25


PARAMETER_OF: Final[dict[str, Callable[[Any], Any]]] = {TIMESTAMPTZ: _Micros, JSONB: _Jsonb, UTF8_TEXT: _Utf8}
"""What makes a parameter of a statement from a value of such a type."""


def register_wire_values(context: AdaptContext) -> None:
    """Let a connection send such parameters, and bytes by the dumper that is written in C."""
    if context.adapters is None:
        raise TypeError("a connection has adapters")
    for kind, dumper in (
        (bytes, BytesBinaryDumper),
        (_Micros, _MicrosDumper),
        (_Jsonb, _JsonbDumper),
        (_Utf8, _Utf8Dumper),
    ):
        context.adapters.register_dumper(kind, dumper)
