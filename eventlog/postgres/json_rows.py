"""Rows as JSON objects for Postgres' ``jsonb_populate_recordset``."""

import json
from collections.abc import Callable
from typing import Any, Final

from eventlog.postgres.binary_values import JSONB, TIMESTAMPTZ, UTF8_TEXT
from eventlog.postgres.copy_rows import Columns, Rows
from eventlog.timestamps import MICROS_OF_A_DAY

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


def _hex(data: bytes) -> str:
    return "\\x" + data.hex()


def _json(jsonb: bytes) -> Any:
    return json.loads(jsonb[1:])


_FORM_OF: Final[dict[str, Callable[[Any], Any]]] = {
    TIMESTAMPTZ: time_text,
    JSONB: _json,
    UTF8_TEXT: bytes.decode,
    "bytea": _hex,
}
