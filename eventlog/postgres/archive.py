"""The archive, table ``eventlog.event``: every event of every log, written by binary COPY."""

import base64
import hashlib
import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice, repeat
from typing import Any, Final, NamedTuple, cast

from psycopg import Rollback, capabilities

from eventlog.events import EventColumns, Headers, RecordedEvent, bytes_of, header_to_json
from eventlog.postgres.connection import Connection, load_times_as_micros
from eventlog.postgres.copy_rows import Columns, copy_rows
from eventlog.timestamps import ms_of_micros

ARCHIVED: Final = Columns.of(
    "eventlog.event",
    log_offset="int8",
    record_time="timestamptz",
    archived_at="timestamptz",
    unheld_timestamp="int8",
    log_id="int4",
    leader_epoch="int4",
    timestamp_type="int2",
    headers="jsonb",
    key="bytea",
    value="bytea",
)
PAGE_EVENTS: Final = 1_000
"""Larger pages do not fit into the processor's cache: pages of 10,000 take three times as long to decode."""

PAGE_BYTES: Final = 16 << 20
_FIRST_PAGE: Final = 100
_QUERY_EVENTS: Final = 5 * PAGE_EVENTS
_JSONB_VERSION: Final = b"\x01"

_SELECT: Final = """
select log_offset, record_time, unheld_timestamp, timestamp_type, key, value, headers, leader_epoch, archived_at
from eventlog.event
"""
_READ: Final = f"{_SELECT} where log_id = %s and log_offset >= %s and log_offset < %s order by log_offset limit %s"
_END: Final = """
select coalesce((select next_offset from eventlog.log_head where log_id = %(log_id)s),
                (select max(log_offset) + 1 from eventlog.event where log_id = %(log_id)s), 0)
"""
_READ_AT: Final = f"{_SELECT} where log_id = %s and log_offset = any(%s::bigint[]) order by log_offset"
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


def archive_events(connection: Connection, log_id: int, archived_at: Iterable[int], events: EventColumns) -> None:
    """Append events of one log in the caller's transaction, with a time of archiving each."""
    copy_rows(connection, ARCHIVED, archive_rows(log_id, archived_at, events))


def archive_rows(log_id: int, archived_at: Iterable[int], events: EventColumns) -> Iterator[tuple[Any, ...]]:
    """The rows of these events in the table `ARCHIVED`, with a time of archiving each, in microseconds since 2000.

    They are made column by column: zip makes them in half the time of a loop.
    """
    times = events.record_times
    unheld: Iterable[int | None] = repeat(None)
    if None in times:
        unheld = [ms if time is None else None for ms, time in zip(events.timestamps, times, strict=True)]
    stored: Iterable[bytes | None] = repeat(None)
    if any(events.headers):
        stored = [_JSONB_VERSION + headers_json(some).encode() if some else None for some in events.headers]
    before = (events.offsets, times, archived_at, unheld, repeat(log_id), events.leader_epochs, events.timestamp_types)
    return zip(*before, stored, events.keys, events.values, strict=False)  # repeat() has no end


class ArchivedEvents(NamedTuple):
    """Some events of a log, and when each of them was archived, in microseconds since 2000."""

    events: list[RecordedEvent]
    archived_at: list[int]


def read_archive(
    connection: Connection, log_id: int, first: int = 0, until: int = 2**63 - 1, *, page: int | None = None
) -> Iterator[RecordedEvent]:
    """Events of a log from offset ``first`` to before ``until``, in offset order, fetched in pages."""
    for events, _ in read_archived(connection, log_id, first, until, page=page):
        yield from events


def read_archived(
    connection: Connection, log_id: int, first: int = 0, until: int = 2**63 - 1, *, page: int | None = None
) -> Iterator[ArchivedEvents]:
    """As `read_archive`, page by page and with the times of archiving.

    With ``page``, each query fetches one page of at most ``page`` events. Without it, a query fetches several pages of
    `PAGE_EVENTS`, and the server reads the next page while this one is decoded. Both fetch at most `PAGE_BYTES` if the
    events are as large as those of the page before. Between two pages the connection is free for other statements.
    """
    read, most = (_stream, _QUERY_EVENTS) if page is None else (_fetch, page)
    limit = min(most, _FIRST_PAGE)
    pages, is_complete = _fetch(connection, log_id, first, until, limit)
    while pages:
        yield from pages
        if is_complete and sum(len(each.events) for each in pages) < limit:
            return
        last = pages[-1].events
        first = last[-1].offset + 1
        limit = max(1, min(most, PAGE_BYTES * len(last) // (bytes_of(last) or 1)))
        pages, is_complete = read(connection, log_id, first, until, limit)


def _fetch(
    connection: Connection, log_id: int, first: int, until: int, limit: int
) -> tuple[list[ArchivedEvents], bool]:
    """Read at most ``limit`` events as one page. The statement may be prepared, which `_stream` cannot do."""
    with connection.cursor(binary=True) as cursor:
        load_times_as_micros(cursor)
        rows = cursor.execute(_READ, (log_id, first, until, limit)).fetchall()
    return [_archived_events(rows)] if rows else [], True


def _stream(
    connection: Connection, log_id: int, first: int, until: int, limit: int
) -> tuple[list[ArchivedEvents], bool]:
    """Read at most ``limit`` events in pages of `PAGE_EVENTS`, and return whether the query was completed.

    It is cancelled when the pages have more than twice `PAGE_BYTES`: the events are larger than those before.
    """
    pages: list[ArchivedEvents] = []
    is_complete, size = True, 0
    chunk = PAGE_EVENTS if capabilities.has_stream_chunked() else 1
    with connection.transaction(), connection.cursor(binary=True) as cursor:  # a savepoint outlives the cancelled query
        load_times_as_micros(cursor)
        rows = cast("Generator[tuple[Any, ...]]", cursor.stream(_READ, (log_id, first, until, limit), size=chunk))
        with closing(rows):
            while some := list(islice(rows, PAGE_EVENTS)):
                pages.append(_archived_events(some))
                size += bytes_of(pages[-1].events)
                if size > 2 * PAGE_BYTES:
                    is_complete = False
                    raise Rollback
    return pages, is_complete


def read_archived_at(connection: Connection, log_id: int, offsets: Sequence[int]) -> Iterator[ArchivedEvents]:
    """The events of a log at these offsets, in ascending order, page by page and with the times of archiving."""
    with connection.cursor(binary=True) as cursor:
        load_times_as_micros(cursor)
        for first in range(0, len(offsets), PAGE_EVENTS):
            some = list(offsets[first : first + PAGE_EVENTS])
            yield _archived_events(cursor.execute(_READ_AT, (log_id, some)).fetchall())


def archive_end(connection: Connection, log_id: int) -> int:
    """The end of a log in Postgres; for other logs the offset after the last archived event. 0 if there is none."""
    row = connection.execute(_END, {"log_id": log_id}).fetchone()
    return 0 if row is None else int(row[0])


def _archived_events(rows: Sequence[tuple[Any, ...]]) -> ArchivedEvents:
    new = tuple.__new__  # half the time of RecordedEvent(...)
    events = [
        new(
            RecordedEvent,
            (
                offset,
                ms_of_micros(record_time) if unheld is None else unheld,
                timestamp_type,
                key,
                value,
                decode_headers(headers) if headers else (),
                leader_epoch,
            ),
        )
        for offset, record_time, unheld, timestamp_type, key, value, headers, leader_epoch, _ in rows
    ]
    return ArchivedEvents(events, [row[-1] for row in rows])


def headers_json(headers: Headers) -> str:
    """An event's headers as stored in the archive: a JSON list of lists."""
    return json.dumps([header_to_json(name, value) for name, value in headers])


def decode_headers(headers: list[list[str | None]]) -> Headers:
    """The headers of which `headers_json` made this JSON list."""
    return tuple(_header(*stored) for stored in headers)


def _header(name: str | None, value: str | None, name_base64: Any = None) -> tuple[str, bytes | None]:
    if isinstance(name_base64, str):
        with suppress(ValueError):  # `eventlog.append` accepts anything there
            name = base64.b64decode(name_base64, validate=True).decode("utf-8", "surrogatepass")
    return name or "", None if value is None else base64.b64decode(value)


def first_difference(connection: Connection, log_id: int, events: Iterable[RecordedEvent]) -> int | None:
    """The offset of the first of a log's events that is not in the archive, or is there with another time or bytes.

    None if all are there. The archive may have more events, since compaction removes some from the topic. Below the
    log's horizon it may have fewer: what a retention has detached is not compared.
    """
    horizon = horizon_offset(connection, log_id)
    remaining = iter(events)
    while chunk := [(event.offset, _fingerprint(event)) for event in islice(remaining, PAGE_EVENTS)]:
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
