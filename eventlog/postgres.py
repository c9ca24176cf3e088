"""An event log in Postgres: the tables that archive other logs, and a head that gives out offsets."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Final, LiteralString, Self

from psycopg.errors import UniqueViolation
from psycopg.pq import TransactionStatus

from eventlog.archive import archive_rows, archive_writer, read_archive
from eventlog.connection import Connection, connect
from eventlog.errors import EventLogError
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import AppendConflict, AppendRefused, Capabilities, Clock, recorded, system_clock
from eventlog.log_registry import insert_log, newest_log
from eventlog.partitions import ensure_partition, ranges_of
from eventlog.row_writing import FEW_EVENTS, insert_rows
from eventlog.streams import StreamIdentity, StreamKind
from eventlog.timestamps import micros_of

BACKEND: Final = "postgres"
EVENT_CHANNEL: Final = "coordstream_event"
"""Where every append is notified; the payload is JSON with ``stream_name`` and ``next_offset``."""

_TAKE_HEAD: Final = "select next_offset from eventlog.log_head where log_id = %(log_id)s for update"
_MOVE_HEAD: Final = "update eventlog.log_head set next_offset = %s where log_id = %s"
_INSERT_HEAD: Final = "insert into eventlog.log_head (log_id, next_offset) values (%s, 0)"
_NOTIFY: Final = "select pg_notify(%s, %s)"
_START: Final = "select min(log_offset) from eventlog.event where log_id = %(log_id)s"
_END: Final = """
select coalesce((select next_offset from eventlog.log_head where log_id = %(log_id)s),
                (select max(log_offset) + 1 from eventlog.event where log_id = %(log_id)s), 0)
"""


class UnknownStream(EventLogError):
    """The database has no log of this stream."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"the database has no log of {stream_name}: create it, or look at the stream's name again")


class StreamExists(EventLogError):
    """The stream that was to be created is there already."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"the database has a log of {stream_name} already: open it instead of creating it")


class PostgresEventLog:
    """The newest incarnation of a stream in Postgres. Not safe for threads; any number of them, anywhere, at once.

    What was archived of Kafka or of a recording can be read in the same way, and not appended to. A connection that
    was given stays the caller's: within its transaction an append is part of that.
    """

    def __init__(self, database: str | Connection, stream_name: str, *, clock: Clock = system_clock) -> None:
        """Open a log by the URL of its database, or over a connection.

        Raises:
            UnknownStream: there is no such log.
        """
        self._owns_connection = isinstance(database, str)
        self._connection = connect(database) if isinstance(database, str) else database
        self._clock = clock
        self._partitions: set[int] = set()
        stored = newest_log(self._connection, stream_name)
        if stored is None:
            self.close()
            raise UnknownStream(stream_name)
        self._log = stored

    @classmethod
    def create(cls, database: str | Connection, stream: StreamIdentity, *, clock: Clock = system_clock) -> Self:
        """Make an empty log, and open it.

        Raises:
            StreamExists: the database has a log of this stream, of whatever backend.
        """
        with _connected(database) as connection, connection.transaction():
            _insert(connection, stream, clock())
        return cls(database, stream.stream_name, clock=clock)

    @property
    def stream_name(self) -> str:
        """The stream that this is the log of."""
        return self._log.stream_name

    @property
    def stream_kind(self) -> StreamKind:
        """Whether it is a coordinator stream or a checkpoint topic."""
        return self._log.stream_kind

    @property
    def incarnation(self) -> int:
        """Which incarnation of the stream this is."""
        return self._log.incarnation

    @property
    def capabilities(self) -> Capabilities:
        """All, but for the archive of another log: what was superseded before it came here was never seen."""
        is_ours = self._log.backend == BACKEND
        return Capabilities(can_append=is_ours, keeps_superseded_events=is_ours, conditional_append=is_ours)

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`. Writers wait for each other, so that offsets become visible in order."""
        if not self.capabilities.can_append:
            raise AppendRefused(self.stream_name, f"it is the archive of a {self._log.backend} log; append there")
        is_ours = self._connection.info.transaction_status is TransactionStatus.IDLE
        with self._connection.transaction():
            first = self._take_head()
            if expected_offset is not None and expected_offset != first:
                raise AppendConflict(self.stream_name, expected_offset, first)
            if events:
                self._write(recorded(events, first, now := self._clock()), now)
        offsets = range(first, first + len(events))
        if is_ours:  # a partition that a transaction of the caller's made may go with it
            self._partitions.update(ranges_of(offsets))
        return offsets

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`."""
        end = self.end_offset()
        last = end if until is None else max(min(until, end), 0)
        return read_archive(self._connection, self._log.log_id, max(min(first, end), 0), last)

    def start_offset(self) -> int:
        """See `EventLog.start_offset`."""
        start = self._number(_START)
        return self.end_offset() if start is None else start

    def end_offset(self) -> int:
        """See `EventLog.end_offset`."""
        return self._number(_END) or 0

    def close(self) -> None:
        """Close the connection, unless it was given."""
        if self._owns_connection:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _take_head(self) -> int:
        next_offset = self._number(_TAKE_HEAD)
        if next_offset is None:
            raise UnknownStream(self.stream_name)
        return next_offset

    def _write(self, events: Sequence[RecordedEvent], now: datetime) -> None:
        for first in ranges_of(event.offset for event in events):
            if first not in self._partitions:
                ensure_partition(self._connection, "eventlog", "event", first)
        if len(events) <= FEW_EVENTS:
            with self._connection.pipeline():
                insert_rows(self._connection, *archive_rows(self._log.log_id, micros_of(now), events))
                self._move_head(events[-1].offset + 1)
        else:
            with archive_writer(self._connection, self._log.log_id, micros_of(now)) as write:
                write(events)
            self._move_head(events[-1].offset + 1)

    def _move_head(self, next_offset: int) -> None:
        self._connection.execute(_MOVE_HEAD, (next_offset, self._log.log_id))
        payload = {"stream_name": self.stream_name, "next_offset": next_offset}
        self._connection.execute(_NOTIFY, (EVENT_CHANNEL, json.dumps(payload)))

    def _number(self, query: LiteralString) -> int | None:
        row = self._connection.execute(query, {"log_id": self._log.log_id}).fetchone()
        return None if row is None else row[0]


@contextmanager
def _connected(database: str | Connection) -> Iterator[Connection]:
    if not isinstance(database, str):
        yield database
        return
    with connect(database) as connection:
        yield connection


def _insert(connection: Connection, stream: StreamIdentity, now: datetime) -> None:
    try:
        log = insert_log(connection, stream.stream_name, stream.stream_kind, 1, BACKEND, now)
    except UniqueViolation:
        raise StreamExists(stream.stream_name) from None
    connection.execute(_INSERT_HEAD, (log.log_id,))
