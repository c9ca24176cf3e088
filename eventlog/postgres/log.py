"""An event log in Postgres: the tables of the archive, and a row with the next offset."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, Self

from psycopg import DatabaseError
from psycopg.errors import InsufficientPrivilege, LockNotAvailable, UniqueViolation
from psycopg.pq import TransactionStatus

from eventlog.errors import EventLogError
from eventlog.events import NewEvent, RecordedEvent, batches
from eventlog.log import AppendConflict, AppendRefused, Clock, StreamExists, check_append, system_clock
from eventlog.postgres.archive import archive_end, headers_json, read_archive
from eventlog.postgres.connection import GET_RIGHT, Connection, connect, reaching_database, server_reason
from eventlog.postgres.log_registry import StoredLog, insert_log, newest_log, stream_identities
from eventlog.source import APPEND_SECONDS, DATABASE, KAFKA, POSTGRES, RECORDING, Closing, SourceUnavailable, no_stream
from eventlog.streams import StreamIdentity

_UNKNOWN_STREAM: Final = "CS001"
_CONFLICT: Final = "CS003"
_NOWHERE: Final = -1
_CALL_EVENTS: Final = 10_000
_CALL_BYTES: Final = 16 << 20
EVENT_CHANNEL: Final = "coordstream_event"
"""The channel that announces every append; the payload is JSON with ``stream_name`` and ``next_offset``.

Any login of the database can notify: use it as a reason to query the log, never as its end.
"""

_INSERT_HEAD: Final = "insert into eventlog.log_head (log_id, next_offset) values (%s, 0)"
_APPEND: Final = """
select eventlog.append(%s, %b::bytea[], %b::bytea[], %b::bigint[], %s::jsonb[], %s::bigint, %s::timestamptz)
from set_config('lock_timeout', coalesce(%s, current_setting('lock_timeout')), true)
"""
_START: Final = "select min(log_offset) from eventlog.event where log_id = %(log_id)s"


class UnknownStream(EventLogError):
    def __init__(self, stream_name: str, known: Iterable[str] = ()) -> None:
        self.stream_name = stream_name
        super().__init__(no_stream(stream_name, DATABASE, known))


_WRITTEN_ELSEWHERE: Final = {
    KAFKA: "the database has the archive of a topic. Set COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS to write to the topic",
    RECORDING: "it was imported from a recording. Set COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS to write to its topic",
}
"""By backend, why nothing can be appended to the archive of another log."""


class PostgresEventLog(Closing):
    """The newest incarnation of a stream in Postgres.

    An object is not thread-safe, but any number of processes can use the log at the same time. The archive of a topic
    or a recording can be read in the same way, but not appended to, and may have been compacted before. With a
    connection of the caller, who closes it, an append is part of the caller's transaction, and errors of the connection
    are psycopg's. Otherwise they are `SourceUnavailable`. ``stream_id`` is the number of the incarnation in its
    database.
    """

    has_conditional_append: Final = True

    def __init__(self, database: str | Connection, stream_name: str, *, clock: Clock = system_clock) -> None:
        """Open a log by the URL of its database, or with a connection.

        Raises `UnknownStream`: the database has no such log; `SourceUnavailable`: the database of the URL does not
        answer, or cannot be used.
        """
        self._owns_connection = isinstance(database, str)
        self._clock = clock
        with reaching_database() if self._owns_connection else nullcontext():
            self._connection = connect(database) if isinstance(database, str) else database
            try:
                log = _newest(self._connection, stream_name)
            except BaseException:
                self.close()
                raise
        self.stream_name: Final = stream_name
        self.stream_kind: Final = log.stream_kind
        self.stream_id: Final = str(log.log_id)
        self.incarnation: Final = log.incarnation
        self._log_id: Final = log.log_id
        self._backend: Final = log.backend

    @classmethod
    def create(cls, database: str | Connection, stream: StreamIdentity, *, clock: Clock = system_clock) -> Self:
        """Create an empty log and open it.

        Raises `StreamExists`: the stream has a log, of any backend; `SourceUnavailable`: the database of the URL does
        not answer, or cannot be used.
        """
        try:
            with _connected(database) as connection, connection.transaction():
                log = insert_log(connection, stream.stream_name, stream.stream_kind, 1, POSTGRES, clock())
                connection.execute(_INSERT_HEAD, (log.log_id,))
        except UniqueViolation:
            raise StreamExists(stream.stream_name, DATABASE) from None
        return cls(database, stream.stream_name, clock=clock)

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`. Writers wait for each other, so that events become visible in offset order."""
        if self._backend != POSTGRES:
            raise AppendRefused(self.stream_name, _WRITTEN_ELSEWHERE[self._backend])
        check_append(events, expected_offset)
        calls = list(batches(events, _CALL_EVENTS, _CALL_BYTES)) or [[]]
        with self._reaching(), self._undo_on_error(is_one_call=len(calls) == 1):
            first = self._append(calls[0], expected_offset)
            for call in calls[1:]:
                self._append(call, None)
        return range(first, first + len(events))

    @contextmanager
    def exclude_writers(self) -> Iterator[None]:
        """See `EventLog.exclude_writers`: a transaction."""
        with self._reaching(), self._connection.transaction():
            self.append([])  # locks the row with the next offset
            yield

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        end = self.end_offset()
        last = end if until is None else max(min(until, end), 0)
        return self._read(max(min(first, end), 0), last)

    def start_offset(self) -> int:
        with self._reaching():
            row = self._connection.execute(_START, {"log_id": self._log_id}).fetchone()
        return self.end_offset() if row is None or row[0] is None else int(row[0])

    def end_offset(self) -> int:
        with self._reaching():
            return archive_end(self._connection, self._log_id)

    def close(self) -> None:
        """Close the connection, unless it is the caller's."""
        if self._owns_connection:
            self._connection.close()

    def _reaching(self) -> AbstractContextManager[None]:
        """Translates errors of a connection that is not the caller's."""
        return reaching_database(self._connection) if self._owns_connection else nullcontext()

    def _read(self, first: int, until: int) -> Iterator[RecordedEvent]:
        with self._reaching():
            yield from read_archive(self._connection, self._log_id, first, until)

    @contextmanager
    def _undo_on_error(self, *, is_one_call: bool) -> Iterator[None]:
        """A transaction, or a savepoint in the caller's; a single statement in autocommit mode needs neither."""
        is_idle = self._connection.info.transaction_status is TransactionStatus.IDLE
        if is_one_call and is_idle and self._connection.autocommit:
            yield
            return
        with self._connection.transaction():
            yield

    def _append(self, events: Sequence[NewEvent], expected_offset: int | None) -> int:
        expected = expected_offset if expected_offset is None or 0 <= expected_offset < 2**63 else _NOWHERE
        now = None if self._clock is system_clock else self._clock()  # the server's time is the same for all writers
        try:
            timeout = f"{APPEND_SECONDS}s" if self._owns_connection else None
            values = (self.stream_name, *_arrays(events), expected, now, timeout)
            ((first,),) = self._connection.execute(_APPEND, values, binary=True).fetchall()
        except DatabaseError as error:
            raise self._translate(error, expected_offset) from None
        return int(first)

    def _translate(self, error: DatabaseError, expected_offset: int | None) -> Exception:
        if error.sqlstate == _UNKNOWN_STREAM:
            return UnknownStream(self.stream_name)
        if error.sqlstate == _CONFLICT and expected_offset is not None:
            return AppendConflict(self.stream_name, expected_offset, int(error.diag.message_detail or 0))
        if isinstance(error, InsufficientPrivilege):
            return AppendRefused(self.stream_name, f"{server_reason(error)}. {GET_RIGHT}")
        if isinstance(error, LockNotAvailable) and self._owns_connection:
            held = f"Another writer has held {self.stream_name} for {APPEND_SECONDS:g} s."
            return SourceUnavailable(f"{held} Append again, or end its transaction.")
        return error


def _arrays(events: Sequence[NewEvent]) -> tuple[Sequence[object] | None, ...]:
    """Keys, values, timestamps and headers; None instead of the last two if no event has any."""
    times = [event.timestamp for event in events]
    headers = [headers_json(event.headers) if event.headers else None for event in events]
    return (
        [event.key for event in events],
        [event.value for event in events],
        times if any(time is not None for time in times) else None,
        headers if any(headers) else None,
    )


def _newest(connection: Connection, stream_name: str) -> StoredLog:
    stored = newest_log(connection, stream_name)
    if stored is None:
        raise UnknownStream(stream_name, (known.stream_name for known in stream_identities(connection)))
    return stored


@contextmanager
def _connected(database: str | Connection) -> Iterator[Connection]:
    if not isinstance(database, str):
        yield database
        return
    with reaching_database(), connect(database) as connection:
        yield connection


class PostgresAdmin:
    """The logs of one database; an argument of `create_coordinator_stream`."""

    def __init__(self, database: str | Connection) -> None:
        """``database`` is its URL, or a connection that the caller closes."""
        self._database: Final = database

    def create_stream(
        self,
        stream: StreamIdentity,
        *,
        replication_factor: int = -1,  # noqa: ARG002 (an option of topics)
        settings: Mapping[str, str] | None = None,  # noqa: ARG002
    ) -> None:
        """Create an empty log of a stream, ignoring the other arguments. Raises `StreamExists`, of any backend."""
        PostgresEventLog.create(self._database, stream).close()
