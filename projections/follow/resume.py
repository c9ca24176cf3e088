"""Finds where to resume reading a stream: compares it with the known log, and records the result in the database."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

from eventlog.postgres.archive import first_difference, tail_start
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import StoredLog, newest_log
from eventlog.source import POSTGRES, RECORDING, EventSource, StreamFacts, StreamRefused
from eventlog.streams import StreamIdentity, identify
from projections.errors import ProjectionError, RebuildNeeded
from projections.fold.settings import FoldSettings
from projections.follow.continuity import Continuity, check_continuity, is_another_topic
from projections.follow.heartbeat import server_now
from projections.projector import Clock, MakeProjector, Projector
from projections.retired_streams import end_retirement
from projections.tracked_logs import (
    Observation,
    TrackedLog,
    lock_job,
    logs_of,
    register_log,
    stop_at_position,
    track_log,
    write_observations,
)

_FILL_TOPIC: Final = "update eventlog.log set backend = %s, cluster_id = %s, topic_id = %s where log_id = %s"
_CLUSTER: Final = "select cluster_id from eventlog.log where cluster_id is not null limit 1"
TAIL_EVENTS: Final = 1_000
"""How many events below the position are compared with the archive before reading is resumed."""

_SET_STATE: Final = """
update projection.position
set state = case when state in ('refused', 'waiting') then state -- until something of it was read, or it is attached
                 when not %(is_complete)s then 'replacing'
                 when next_offset < %(end)s then 'catching-up' else 'live' end,
    heartbeat_at = clock_timestamp(), end_offset = %(end)s, resync_from = %(resync_from)s,
    read_at = case when %(begins)s or next_offset >= %(end)s then %(asked_at)s else read_at end
where log_id = %(log_id)s
"""


class Topic(NamedTuple):
    """What a source reported of a stream, at ``asked_at`` by the server's clock."""

    backend: str
    cluster_id: str | None
    facts: StreamFacts
    asked_at: datetime


@dataclass(frozen=True)
class ResumePoint:
    """The log to read on with, from its position, or with ``resync`` from the stream's start. It has caught up at
    offset ``target``. ``message`` is for the operator, if not empty. ``events`` and ``quarantined`` count a resync's.
    """

    log: TrackedLog
    topic: Topic
    target: int
    resync: bool = False
    message: str = ""
    events: int = 0
    quarantined: int = 0


@dataclass(frozen=True)
class LogSource:
    """A source of logs, and the connection over which they are read into the database."""

    connection: Connection
    source: EventSource
    settings: FoldSettings
    clock: Clock
    make_projector: MakeProjector = Projector

    def find_resume_point(self, stream_name: str, kind: str | None = None) -> ResumePoint:
        """Find where to resume a stream, and track its log or the next incarnation of it.

        The caller holds the stream's lock. ``kind`` is needed where the name does not imply the stream's kind.

        Raises:
            StreamMissing, SourceUnavailable, OffsetLost: see `EventSource`.
            StreamRefused: see `EventSource`; also if the log is in Postgres and the source in Kafka, or the reverse.
            StreamKindError: neither the name nor ``kind`` tells whether it is a coordinator stream or a checkpoint
                topic.
            ProjectionError: the database has logs of another Kafka cluster.
            FoldVersionDiffers: other settings or other code folded the log.
            RebuildNeeded: the log's rows are missing, or a Postgres log ends before its position.
        """
        asked_at = server_now(self.connection)
        topic = Topic(self.source.backend, self.source.cluster_id, self.source.describe(stream_name), asked_at)
        require_cluster(self.connection, stream_name, topic.cluster_id)
        stored = newest_log(self.connection, stream_name)
        _require_backend(stored, topic)
        stream = identify(stream_name, kind, None if stored is None else stored.stream_kind)
        log = next(iter(logs_of(self.connection, stream_name)), None)
        if log is None:
            return _resume_point(self._track_first(stream, stored, topic), topic, Continuity())
        _require_position(log, topic.facts)
        return self.record(log, topic, check_continuity(log, topic.facts, self._difference(log, topic.facts), asked_at))

    def record(self, log: TrackedLog, topic: Topic, continuity: Continuity) -> ResumePoint:
        """Record how a known log is read on, which may be as a new incarnation, and return where to resume."""
        with self.connection.transaction():
            if continuity.discontinuity is None:
                return _resume_point(self._continue(log, topic, continuity), topic, continuity)
            lock_job(self.connection, log.stream)  # before the log's position, as projectors do
            kind, first, last = continuity.discontinuity
            lost = Observation(log.next_offset, kind, None, first, last)
            write_observations(self.connection, log.log_id, [lost], self.clock())
            stop_at_position(self.connection, log)
            return _resume_point(self._begin(log.stream, log.incarnation + 1, topic), topic, continuity)

    def projector(self, log: TrackedLog) -> Projector:
        archives = self.source.backend != POSTGRES
        return self.make_projector(self.connection, log, self.settings, self.clock, archives=archives)

    def _track_first(self, stream: StreamIdentity, stored: StoredLog | None, topic: Topic) -> TrackedLog:
        if stored is not None and stored.backend != POSTGRES:
            raise RebuildNeeded(stream.stream_name)
        with self.connection.transaction():
            if stored is None:
                return self._begin(stream, 1, topic)
            log = track_log(self.connection, stored, self.settings, start_offset=topic.facts.start_offset)
            return _set_state(self.connection, log, topic, begins=True)

    def _begin(self, stream: StreamIdentity, number: int, topic: Topic) -> TrackedLog:
        """Register an incarnation that is to be read from the topic's start."""
        place = {"cluster_id": topic.cluster_id, "topic_id": topic.facts.topic_id}
        start, now = topic.facts.start_offset, self.clock()
        log = register_log(
            self.connection, stream, number, topic.backend, self.settings, now, **place, start_offset=start
        )
        return _set_state(self.connection, log, topic, begins=True)

    def _continue(self, log: TrackedLog, topic: Topic, continuity: Continuity) -> TrackedLog:
        log.require_fold_version(self.settings)
        if log.backend == RECORDING or (log.topic_id is None and topic.facts.topic_id is not None):
            topic_id = topic.facts.topic_id
            self.connection.execute(_FILL_TOPIC, (topic.backend, topic.cluster_id, topic_id, log.log_id))
            log = replace(log, backend=topic.backend, topic_id=topic_id)
        if continuity.resync and log.resync_from is None:
            log = replace(log, resync_from=log.next_offset)
        return _set_state(self.connection, log, topic)

    def _difference(self, log: TrackedLog, facts: StreamFacts) -> int | None:
        """The first offset at which stream and archive differ: among the last events, or in all of a recording."""
        if log.backend == POSTGRES or is_another_topic(log, facts) or log.next_offset > facts.end_offset:
            return None
        first = 0 if log.backend == RECORDING else tail_start(self.connection, log.log_id, TAIL_EVENTS)
        first = max(first, facts.start_offset)
        if first >= log.next_offset:
            return None
        events = self.source.read(log.stream.stream_name, first, log.next_offset)
        return first_difference(self.connection, log.log_id, events)


def _resume_point(log: TrackedLog, topic: Topic, continuity: Continuity) -> ResumePoint:
    message = " ".join(filter(None, (continuity.message, topic.facts.warning)))
    return ResumePoint(log, topic, topic.facts.end_offset, continuity.resync, message)


def _set_state(connection: Connection, log: TrackedLog, topic: Topic, *, begins: bool = False) -> TrackedLog:
    """Update a log's position. One that ``begins`` counts as read now: tombstones outlive a topic's first reading."""
    end, asked_at = topic.facts.end_offset, topic.asked_at
    values = {"log_id": log.log_id, "is_complete": log.is_complete, "resync_from": log.resync_from}
    connection.execute(_SET_STATE, values | {"end": end, "asked_at": asked_at, "begins": begins})
    end_retirement(connection, log.stream.stream_name)
    is_read = begins or log.next_offset >= end
    return replace(log, end_offset=end, read_at=asked_at if is_read else log.read_at)


def _require_backend(stored: StoredLog | None, topic: Topic) -> None:
    """Postgres logs can only be followed in Postgres; a recording can be continued from Kafka."""
    if stored is not None and (stored.backend == POSTGRES) != (topic.backend == POSTGRES):
        reason = f"the database has a {stored.backend} log of that name: follow it there, or use another database"
        raise StreamRefused(stored.stream_name, reason)


def _require_position(log: TrackedLog, facts: StreamFacts) -> None:
    """Postgres logs are never truncated, so a position beyond the end is an error."""
    if log.backend == POSTGRES and log.next_offset > facts.end_offset:
        name, end = log.stream.stream_name, facts.end_offset
        reason = f"The position {log.next_offset} of {name} is beyond the end of the log, {end}"
        raise RebuildNeeded(name, reason)


def require_cluster(connection: Connection, stream_name: str, cluster_id: str | None) -> None:
    """Raise ProjectionError if the database has logs of another Kafka cluster."""
    (known,) = connection.execute(_CLUSTER).fetchone() or (None,)
    if cluster_id is not None and known not in (None, cluster_id):
        raise ProjectionError(
            f"{stream_name} is on the Kafka cluster {cluster_id}, but the database has logs of {known}. A database "
            "serves one Kafka cluster: use the brokers of that cluster, or another database."
        )
