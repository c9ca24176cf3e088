"""Events as rows and tables, with fingerprints instead of secrets."""

from datetime import UTC, datetime
from typing import Final

from coordstream.cli.output import Column, exact_time_column
from coordstream.queries.rows import Row, printable
from coordstream.times import exact
from eventlog.events import RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.secret_policy import SecretPolicy


def shown_value(row: Row) -> str | None:
    """The value as a table shows it."""
    return "(tombstone)" if row["operation"] == "delete" else row["value"]


EVENT_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    exact_time_column("time", "record_time"),
    Column("key", "key"),
    Column("value", shown_value),
)


EVENT_FIELDS: Final = ("log_offset", "record_time", "timestamp", "operation", "key", "value", "value_bytes")


def event_row(event: RecordedEvent, secrets: SecretPolicy) -> Row:
    """An event as a row without secrets; ``value_bytes`` is the size of the value on the log.

    ``record_time`` is null outside the range of datetime; ``timestamp`` is the same time in ms since 1970.
    """
    masked = mask_event(event, secrets)
    return {
        "log_offset": event.offset,
        "record_time": _iso(event.timestamp),
        "timestamp": event.timestamp,
        "operation": "set" if event.value is not None else "delete",
        "key": _text(masked.key),
        "value": _text(masked.value),
        "value_bytes": None if event.value is None else len(event.value),
    }


def event_line(row: Row) -> str:
    """A row on one line, for events that arrive one by one."""
    time = row["record_time"]
    cells = (None if time is None else exact(time), row["key"], shown_value(row))
    return "  ".join([f"{row['log_offset']:>8}", *map(printable, cells)])


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "backslashreplace")


def _iso(timestamp: int) -> str | None:
    try:
        time = datetime.fromtimestamp(timestamp / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
