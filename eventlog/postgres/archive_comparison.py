"""Compares a log with the archive, to detect that its past has changed."""

import hashlib
from collections.abc import Iterable
from itertools import islice
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection

_CHUNK_EVENTS: Final = 1_000

_ARCHIVED: Final = """
select log_offset, coalesce(unheld_timestamp, (extract(epoch from record_time) * 1000)::bigint),
       sha256(key), sha256(value)
from eventlog.event where log_id = %s and log_offset = any(%s)
"""
_HORIZON: Final = "select coalesce(max(horizon_offset), 0) from eventlog.horizon where log_id = %s"
_TAIL_START: Final = """
select min(log_offset)
from (select log_offset from eventlog.event where log_id = %s order by log_offset desc limit %s) as tail
"""


def first_difference(connection: Connection, log_id: int, events: Iterable[RecordedEvent]) -> int | None:
    """The offset of the first of a log's events that is not in the archive, or is there with another time or bytes.

    None if all are there. The archive may have more events, since compaction removes some from the topic. Below the
    log's horizon it may have fewer: what a retention has detached is not compared.
    """
    horizon = horizon_offset(connection, log_id)
    remaining = iter(events)
    while chunk := [(event.offset, _fingerprint(event)) for event in islice(remaining, _CHUNK_EVENTS)]:
        rows = connection.execute(_ARCHIVED, (log_id, [offset for offset, _ in chunk]), binary=True)
        archived = {offset: tuple(fingerprint) for offset, *fingerprint in rows}
        for offset, fingerprint in chunk:
            if archived.get(offset, fingerprint if offset < horizon else None) != fingerprint:
                return offset
    return None


def horizon_offset(connection: Connection, log_id: int) -> int:
    """The offset below which a retention has detached events of a log; 0 if none has."""
    row = connection.execute(_HORIZON, (log_id,)).fetchone()
    return 0 if row is None else int(row[0])


def tail_start(connection: Connection, log_id: int, events: int) -> int:
    """The offset of the first of the archive's last ``events`` events, which may be fewer; 0 if there are none."""
    row = connection.execute(_TAIL_START, (log_id, events)).fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def _fingerprint(event: RecordedEvent) -> tuple[int, bytes | None, bytes | None]:
    """What identifies the event at an offset: its time, and the SHA-256 of its key and value."""
    return event.timestamp, _digest(event.key), _digest(event.value)


def _digest(data: bytes | None) -> bytes | None:
    return None if data is None else hashlib.sha256(data).digest()
