"""Attaching to a stream: what it is now is held beside what is known of it, and what that means is written down."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from eventlog.postgres.archive_comparison import first_difference, tail_start
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import StoredLog, fill_topic, known_cluster, lock_cluster, newest_log
from eventlog.source import EventSource, StreamFacts, StreamRefused
from eventlog.streams import StreamIdentity, identify
from projections.errors import NothingFolded, OtherCluster, PositionBeyondEnd
from projections.fold.settings import FoldSettings
from projections.follow.attachment import Choice, choose, may_be_the_same
from projections.follow.replacement import Topic, begin_replacement, register_incarnation
from projections.projector import Clock
from projections.server_clock import server_now
from projections.tracked_logs import TrackedLog, logs_of, track_log

POSTGRES: Final = "postgres"
RECORDING: Final = "recording"
TAIL_EVENTS: Final = 1_000
"""So many events below the position are compared when a log is taken up again."""

_MARK: Final = """
update projection.position
set state = case when state = 'refused' then state -- until something of it was read
                 when not %(is_complete)s then 'replacing'
                 when next_offset < %(end)s then 'catching-up' else 'live' end,
    heartbeat_at = clock_timestamp(), end_offset = %(end)s, resync_from = %(resync_from)s,
    read_at = case when %(begins)s or next_offset >= %(end)s then %(asked_at)s else read_at end
where log_id = %(log_id)s
"""


@dataclass(frozen=True)
class Attachment:
    """A stream as it is to be followed.

    Reading begins at the log's position, or with ``resync`` at the stream's start; the log is caught up with at
    ``target``. ``sentence`` tells the operator what is out of the way, and is empty if nothing is.
    """

    log: TrackedLog
    topic: Topic
    target: int
    resync: bool = False
    sentence: str = ""


def attach(
    connection: Connection,
    source: EventSource,
    stream_name: str,
    settings: FoldSettings,
    clock: Clock,
    kind: str | None = None,
) -> Attachment:
    """Find out what a stream is, and make its log, or the next incarnation of it, known. The caller has its lock.

    ``kind`` is needed where the name does not tell the stream's kind.

    Raises:
        StreamMissing, SourceUnavailable, OffsetLost: as `EventSource`.
        StreamRefused: as there, or the database has a log of Postgres' own by that name.
        StreamKindError: nobody knows whether it is a coordinator stream or a checkpoint topic.
        OtherCluster: the database has logs of another Kafka cluster.
        FoldVersionDiffers: the log was folded with other settings.
        NothingFolded: the archive has the log and the projection does not.
        PositionBeyondEnd: a log that Postgres keeps ends before its position.
    """
    asked_at = server_now(connection)
    topic = Topic(source.backend, source.cluster_id, source.describe(stream_name), asked_at)
    _require_cluster(connection, stream_name, topic)
    stored = newest_log(connection, stream_name)
    _require_backend(stored, topic)
    log = next(iter(logs_of(connection, stream_name)), None)
    if log is None:
        stream = identify(stream_name, kind if stored is None else stored.stream_kind)
        return _attachment(_begin(connection, stream, stored, topic, settings, clock()), topic, Choice())
    _require_position(log, topic.facts)
    choice = choose(log, topic.facts, _difference(connection, source, log, topic.facts), asked_at)
    with connection.transaction():
        taken_up = _take_up(connection, log, choice, topic, settings, clock())
    return _attachment(taken_up, topic, choice)


def replace_past(
    connection: Connection, attachment: Attachment, choice: Choice, settings: FoldSettings, clock: Clock
) -> Attachment:
    """Attach to the next incarnation of a log whose past turned out to be another while it was read again."""
    with connection.transaction():
        log = _take_up(connection, attachment.log, choice, attachment.topic, settings, clock())
    return _attachment(log, attachment.topic, choice)


def _attachment(log: TrackedLog, topic: Topic, choice: Choice) -> Attachment:
    sentence = "; ".join(filter(None, (choice.sentence, topic.facts.warning)))
    return Attachment(log, topic, topic.facts.end_offset, choice.resync, sentence)


def _begin(
    connection: Connection,
    stream: StreamIdentity,
    stored: StoredLog | None,
    topic: Topic,
    settings: FoldSettings,
    now: datetime,
) -> TrackedLog:
    if stored is not None and stored.backend != POSTGRES:
        raise NothingFolded(stream.stream_name)
    with connection.transaction():
        if stored is not None:
            log = track_log(connection, stored, settings, start_offset=topic.facts.start_offset)
        else:
            _write_cluster(connection, stream.stream_name, topic)
            log = register_incarnation(connection, stream, 1, topic, settings, now)
        return _mark(connection, log, topic, begins=True)


def _take_up(
    connection: Connection, log: TrackedLog, choice: Choice, topic: Topic, settings: FoldSettings, now: datetime
) -> TrackedLog:
    if log.topic_id is None:
        _write_cluster(connection, log.stream.stream_name, topic)
    if choice.change is not None:
        log = begin_replacement(connection, log, choice.change, topic, settings, now)
        return _mark(connection, log, topic, begins=True)
    log.require_fold_version(settings)
    if log.backend == RECORDING or (log.topic_id is None and topic.facts.topic_id is not None):
        fill_topic(connection, log.log_id, topic.backend, topic.cluster_id, topic.facts.topic_id)
        log = replace(log, backend=topic.backend, topic_id=topic.facts.topic_id)
    if choice.resync and log.resync_from is None:
        log = replace(log, resync_from=log.next_offset)
    return _mark(connection, log, topic)


def _mark(connection: Connection, log: TrackedLog, topic: Topic, *, begins: bool = False) -> TrackedLog:
    """Let the log's position say what it is now, in the caller's transaction.

    Where it ``begins``, tombstones that are there now stay for as long as they are kept, however long reading takes.
    """
    end, asked_at = topic.facts.end_offset, topic.asked_at
    values = {"log_id": log.log_id, "is_complete": log.is_complete, "resync_from": log.resync_from}
    connection.execute(_MARK, values | {"end": end, "asked_at": asked_at, "begins": begins})
    is_read = begins or log.next_offset >= end
    return replace(log, end_offset=end, read_at=asked_at if is_read else log.read_at)


def _difference(connection: Connection, source: EventSource, log: TrackedLog, facts: StreamFacts) -> int | None:
    """The first offset where the stream has another event than the archive: in its tail, or anywhere in a recording."""
    if log.backend == POSTGRES or not may_be_the_same(log, facts):
        return None
    first = 0 if log.backend == RECORDING else tail_start(connection, log.log_id, TAIL_EVENTS)
    first = max(first, facts.start_offset)
    if first >= log.next_offset:
        return None
    return first_difference(connection, log.log_id, source.read(log.stream.stream_name, first, log.next_offset))


def _require_backend(stored: StoredLog | None, topic: Topic) -> None:
    """Postgres logs are Postgres' own; what was recorded may be followed on in Kafka."""
    if stored is not None and (stored.backend == POSTGRES) != (topic.backend == POSTGRES):
        reason = f"the database has a {stored.backend} log of that name: follow it there, or use another database"
        raise StreamRefused(stored.stream_name, reason)


def _require_position(log: TrackedLog, facts: StreamFacts) -> None:
    """A log that Postgres keeps is never truncated: a position beyond its end is wrong, not the log."""
    if log.backend == POSTGRES and log.next_offset > facts.end_offset:
        raise PositionBeyondEnd(log.stream.stream_name, log.next_offset, facts.end_offset)


def _require_cluster(connection: Connection, stream_name: str, topic: Topic) -> None:
    known = known_cluster(connection)
    if topic.cluster_id is not None and known not in (None, topic.cluster_id):
        raise OtherCluster(stream_name, str(known), topic.cluster_id)


def _write_cluster(connection: Connection, stream_name: str, topic: Topic) -> None:
    """Look again before the cluster is written down: another follower may have been faster."""
    if topic.cluster_id is not None:
        lock_cluster(connection)
        _require_cluster(connection, stream_name, topic)
