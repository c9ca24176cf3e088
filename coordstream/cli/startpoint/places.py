"""Where a task starts to read, in words."""

from datetime import UTC, datetime
from typing import Final

from coordstream.cli.output.tables import printable
from coordstream.cli.query.rows import Row
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import Startpoint

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


def describe_startpoint(startpoint: Startpoint) -> str:
    """Where a startpoint starts, such as ``at offset 42``."""
    if startpoint.kind in ("specific", "timestamp") and not startpoint.value:
        return "nowhere, because it has no value"
    return describe_place(_candidate(startpoint.kind, startpoint.value))


def describe_start(start: StartingOffset) -> str:
    """Where a task starts, and what decides it, such as ``at offset 42 (checkpoint)``."""
    if start.startpoint_type is not None:
        place = describe_place(_candidate(start.startpoint_type, start.startpoint_value))
    elif start.starting_offset is not None:
        place = describe_place(f"specific {start.starting_offset}")
    else:
        place = "after the last processed event"
    return f"{place} ({start.decided_by})"


def type_and_value(row: Row) -> str:
    """A startpoint's type and value, such as ``specific 20``."""
    return _candidate(row["startpoint_type"], row["startpoint_value"])


def _candidate(kind: str, value: str | None) -> str:
    return kind if value is None else f"{kind} {value}"


def _time(ms: str) -> str:
    try:
        return f"{datetime.fromtimestamp(int(ms) / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"timestamp {printable(ms)}"
