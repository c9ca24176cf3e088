"""Where a task starts to read, in words."""

from datetime import UTC, datetime
from typing import Final

from coordstream.cli.output.tables import printable
from coordstream.cli.query.rows import Row

_ENDS: Final = {"oldest": "at the oldest event", "upcoming": "with the next new event"}


def describe_place(candidate: str) -> str:
    """Where a candidate of ``coordinator.explain`` starts, such as ``at offset 42``."""
    kind, _, value = candidate.partition(" ")
    match kind:
        case "specific":
            return f"at offset {printable(value)}"
        case "timestamp":
            return f"at the first event since {_time(value)}"
        case "after":
            return f"after offset {printable(value.rpartition(' (')[0])}"
    return _ENDS.get(candidate, f"at {printable(candidate)}")


def type_and_value(row: Row) -> str:
    """A startpoint's type and value, such as ``specific 20``."""
    value = row["startpoint_value"]
    return row["startpoint_type"] if value is None else f"{row['startpoint_type']} {value}"


def _time(ms: str) -> str:
    try:
        return f"{datetime.fromtimestamp(int(ms) / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"timestamp {printable(ms)}"
