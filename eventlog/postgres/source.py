"""The event source of the logs in Postgres: notifications wake it, and it reads pages.

Any login can notify, so a notification only says which log may have more events.
"""

import json
import selectors
import socket
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from time import monotonic
from typing import Final

from eventlog.events import RecordedEvent, batches
from eventlog.postgres.archive import PAGE_EVENTS, read_archive
from eventlog.postgres.connection import Connection, connect, reaching_database
from eventlog.postgres.log import EVENT_CHANNEL
from eventlog.postgres.log_registry import StoredLog, newest_log
from eventlog.source import (
    DATABASE,
    POSTGRES,
    Closing,
    Read,
    SourceUnavailable,
    StreamFacts,
    StreamMissing,
    StreamRefused,
)

APPLICATION_NAME: Final = "coordstream follow (source)"
POLL_EVENTS: Final = 10_000
POLL_BYTES: Final = 16 << 20
_POLL_STREAMS: Final = 100
_QUERY_SECONDS: Final = 1.0
"""How often the ends are queried without a notification, since one is lost if the connection is."""
_MAX_NOTICES: Final = 1_000

_NAMES: Final = "select distinct stream_name from eventlog.log where backend = %s"
_ENDS: Final = """
select l.stream_name, h.next_offset from eventlog.log l join eventlog.log_head h using (log_id)
where l.backend = %s and l.stream_name = any(%s) order by l.incarnation
"""
_START: Final = "select min(log_offset) from eventlog.event where log_id = %s"


class PostgresSource(Closing):
    """All logs of a database whose backend is Postgres. It connects when first used, and reconnects."""

    backend: Final = POSTGRES
    cluster_id: Final = None

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._connection: Connection | None = None
        self._positions: dict[str, int] = {}
        self._logs: dict[str, StoredLog] = {}
        self._ends: dict[str, int] = {}
        self._claims: dict[str, int] = {}
        """The ends that notifications claim, of streams that were not read so far."""
        self._queried_at = float("-inf")
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)

    def stream_names(self) -> list[str]:
        """See `EventSource.stream_names`; a log in Postgres may have any name, since its kind is stored."""
        with self._connected() as connection:
            return sorted(name for (name,) in connection.execute(_NAMES, (POSTGRES,)).fetchall())

    def describe(self, stream_name: str) -> StreamFacts:
        """See `EventSource.describe`; Postgres retains all events."""
        with self._connected() as connection:
            log = _own_log(connection, stream_name)
            end = self._query_ends(connection, [stream_name])[stream_name]
            row = connection.execute(_START, (log.log_id,)).fetchone()
        start = end if row is None or row[0] is None else row[0]
        return StreamFacts(stream_name, None, start, end)

    def end_offsets(self, stream_names: Sequence[str]) -> dict[str, int]:
        with self._connected() as connection:
            return self._query_ends(connection, stream_names)

    def read(self, stream_name: str, first: int, until: int) -> Iterator[RecordedEvent]:
        with self._connected() as connection:
            log = _own_log(connection, stream_name)
            yield from read_archive(connection, log.log_id, first, until)

    def assign(self, positions: Mapping[str, int]) -> None:
        with self._connected() as connection:
            self._logs = {name: self._logs.get(name) or _own_log(connection, name) for name in positions}
        self._positions = dict(positions)
        self._claims = {}  # the ends, which are queried next, say what there is to read
        self._queried_at = float("-inf")

    def poll(self, timeout: float) -> list[Read]:
        deadline = monotonic() + timeout
        with self._connected() as connection:
            while True:
                if monotonic() >= self._queried_at + _QUERY_SECONDS:
                    self._queried_at = monotonic()
                    self._query_ends(connection, self._positions)
                self._take_notices(connection)  # including those received with the ends
                has_claims = bool(self._claims)
                reads = self._read_ready(connection)
                if reads:
                    return reads
                # no wait after a read: it may have received notifications, which would not end the wait
                if not (has_claims and monotonic() < deadline) and not self._wait(connection, deadline):
                    return []

    def wake(self) -> None:
        with suppress(OSError):  # the buffer is full of earlier wake-ups, or the source is closed
            self._waker.send(b"\0")

    def close(self) -> None:
        self._disconnect()
        self._waker.close()
        self._woken.close()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            with reaching_database():
                if self._connection is None:
                    self._connection = connect(self._url, application_name=APPLICATION_NAME, prepares=True)
                    self._connection.execute(f"listen {EVENT_CHANNEL}")
                    self._queried_at = float("-inf")
                yield self._connection
        except SourceUnavailable:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _take_notices(self, connection: Connection) -> None:
        for notice in connection.notifies(timeout=0, stop_after=_MAX_NOTICES):
            name, end = _claim(notice.payload)
            if end > self._positions.get(name, end):
                self._claims[name] = max(end, self._claims.get(name, 0))

    def _query_ends(self, connection: Connection, stream_names: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = dict(connection.execute(_ENDS, (POSTGRES, list(stream_names))).fetchall())
        self._ends.update(found)
        return found

    def _read_ready(self, connection: Connection) -> list[Read]:
        """An equal share for each stream with more events, the least recently read first."""
        ready = [name for name, at in self._positions.items() if name in self._claims or self._ends.get(name, 0) > at]
        reads: list[Read] = []
        for name in ready[:_POLL_STREAMS]:
            read = self._read_page(connection, name, POLL_EVENTS // min(len(ready), _POLL_STREAMS))
            if not read.events or read.next_offset >= self._claims.get(name, 0):
                self._claims.pop(name, None)
            if read.next_offset == self._positions[name]:
                continue
            reads.append(read)
            del self._positions[name]
            self._positions[name] = read.next_offset
        return reads

    def _read_page(self, connection: Connection, name: str, limit: int) -> Read:
        first, page = self._positions[name], min(limit, PAGE_EVENTS)
        archived = read_archive(connection, self._logs[name].log_id, first, page=page)
        events = next(batches(islice(archived, limit), limit, POLL_BYTES), [])
        return Read(name, events, events[-1].offset + 1 if events else max(first, self._ends.get(name, 0)))

    def _wait(self, connection: Connection, deadline: float) -> bool:
        """Wait for a notification or the next query; False after the deadline or `wake`."""
        now = monotonic()
        if now >= deadline:
            return False
        until = min(deadline, self._queried_at + _QUERY_SECONDS)
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.select(max(until - now, 0.0))
        return not self._was_woken()

    def _was_woken(self) -> bool:
        was_woken = False
        with suppress(BlockingIOError):  # no more to read
            while self._woken.recv(65_536):
                was_woken = True
        return was_woken


def _claim(payload: str) -> tuple[str, int]:
    """The stream of a notification and the end that it claims; no stream if it is malformed."""
    try:
        fields = json.loads(payload)
        name, end = fields["stream_name"], fields["next_offset"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return "", 0
    return (name, end) if isinstance(name, str) and isinstance(end, int) else ("", 0)


def _own_log(connection: Connection, stream_name: str) -> StoredLog:
    log = newest_log(connection, stream_name)
    if log is None:
        raise StreamMissing(stream_name, DATABASE)
    if log.backend != POSTGRES:
        raise StreamRefused(
            stream_name,
            f"the database has the archive of a {log.backend} log. Set the brokers of its "
            "topic in COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS",
        )
    return log
