"""Applies ranges of streams on behalf of a follower in another process, which holds the streams.

The follower decides what is read, and attaches, resyncs and replaces logs; this process reads the events of a range,
and archives and folds them in transactions that the follower's hold of the stream guards.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from eventlog.events import RecordedEvent, batches
from eventlog.postgres.connection import Connection
from eventlog.source import OffsetLost
from projections.errors import PositionMoved
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_BYTES, BATCH_EVENTS, Clock, LogPartitions, Projector, retry_conflicts
from projections.stream_lock import share_stream
from projections.tracked_logs import TrackedLog, logs_of

MOST_PROJECTORS: Final = 500
"""How many logs' folds a process keeps in memory."""


ReadRange = Callable[[str, str | None, int, int], Iterable[RecordedEvent]]
"""Reads events of a topic, see `eventlog.kafka.consumer.RangeReader.read`."""


class Delegated(NamedTuple):
    """The offsets from ``first_offset`` to before ``next_offset`` of a stream's topic; none if the topic was found to
    have no such offsets, or to be another one.

    ``holder_pid``: the Postgres session that holds the stream. ``generation`` differs after each decision of the
    follower to read the stream from another offset.
    """

    stream_name: str
    topic_id: str | None
    holder_pid: int
    first_offset: int
    next_offset: int
    generation: int = 0


class Applied(NamedTuple):
    """How many events of a range were applied, the position after them, and the last event's time in ms since 1970."""

    events: int
    next_offset: int
    timestamp: int | None


class DelegatedWorker:
    """Applies ranges over one connection, and remembers the folds of its logs from range to range."""

    def __init__(self, connection: Connection, read: ReadRange, settings: FoldSettings, clock: Clock) -> None:
        self._connection = connection
        self._read = read
        self._settings = settings
        self._clock = clock
        self._projectors: OrderedDict[int, tuple[TrackedLog, Projector]] = OrderedDict()
        self._partitions = LogPartitions(connection)

    def apply(self, wanted: Delegated) -> Applied:
        """Apply what is not yet applied of a range, such as after a retry, and move the position to its end.

        Raises LockLost if the follower no longer holds the stream, OffsetLost if the topic or the position is another
        one than the follower knew (attach the stream again), and SourceUnavailable.
        """
        while True:
            try:
                return retry_conflicts(lambda: self._apply_rest(wanted))
            except PositionMoved:  # another process has applied a part of the range, and may have been killed
                continue  # until one of us has reached its end

    def _apply_rest(self, wanted: Delegated) -> Applied:
        log = self._current_log(wanted)
        projector = self._take_projector(log)
        count, timestamp = 0, None
        events = self._read(wanted.stream_name, wanted.topic_id, log.next_offset, wanted.next_offset)
        for batch in batches(events, BATCH_EVENTS, BATCH_BYTES):
            self._partitions.ensure(batch)
            with self._connection.transaction():
                share_stream(self._connection, wanted.stream_name, wanted.holder_pid)
                projector.apply(batch)
            count, timestamp = count + len(batch), batch[-1].timestamp
        if projector.next_offset < wanted.next_offset:
            with self._connection.transaction():
                share_stream(self._connection, wanted.stream_name, wanted.holder_pid)
                projector.pass_to(wanted.next_offset)
        self._projectors[log.log_id] = (log, projector)
        if len(self._projectors) > MOST_PROJECTORS:
            self._projectors.popitem(last=False)
        return Applied(count, projector.next_offset, timestamp)

    def _current_log(self, wanted: Delegated) -> TrackedLog:
        first, until = wanted.first_offset, wanted.next_offset
        log = next(iter(logs_of(self._connection, wanted.stream_name)), None)
        is_known = log is not None and log.topic_id == wanted.topic_id and first <= log.next_offset <= until
        if log is None or not is_known or first == until:
            raise OffsetLost(wanted.stream_name, first)
        return log

    def _take_projector(self, log: TrackedLog) -> Projector:
        """The log's projector, which is kept again only if nothing fails: the state of others is unknown."""
        known, projector = self._projectors.pop(log.log_id, (None, None))
        if known is None or projector is None or projector.next_offset != log.next_offset:
            return Projector(self._connection, log, self._settings, self._clock)
        is_same = (known.rebuilds, known.is_current) == (log.rebuilds, log.is_current)
        return projector if is_same else Projector(self._connection, log, self._settings, self._clock)
