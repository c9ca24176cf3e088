"""Compares the archive of a log with its topic, as far as the log was read, and adds the events that it lacks."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from eventlog.events import EventColumns, RecordedEvent, batches
from eventlog.masked_event import mask_event
from eventlog.postgres.archive import archive_writer, horizon_offset, read_archived, read_archived_at
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold_archive
from eventlog.postgres.table_partitions import attach_partition, detached_partitions, ensure_partition, ranges_of
from eventlog.secret_policy import SecretPolicy
from eventlog.source import KAFKA, POSTGRES, EventSource, OffsetLost, StreamFacts
from eventlog.timestamps import datetime_of, micros_of
from eventlog.topic_comparison import EXAMPLES, Pair, TopicComparison, pair_events
from projections.errors import ProjectionError
from projections.fold.batch import sets_value
from projections.fold.log_fold import LogFold
from projections.fold.settings import FoldSettings
from projections.follow.continuity import is_another_topic
from projections.follow.heartbeat import server_now
from projections.follow.resume import require_cluster
from projections.table_differences import Difference, DifferenceKind, TableCheck
from projections.tracked_logs import LOCK_TIMEOUT, TrackedLog, logs_of, position_once_folded

_PROGRESS_EVENTS: Final = 10_000
_BATCH_EVENTS: Final = 10_000
_BATCH_BYTES: Final = 16 << 20
_WITH_ROWS: Final = """
select r.log_offset from (
  select m.log_offset from projection.message_event m where m.log_id = %(log_id)s
  union select c.log_offset from projection.checkpoint_event c where c.log_id = %(log_id)s
  union select q.log_offset from projection.quarantine q where q.log_id = %(log_id)s
  union select t.log_offset from projection.log_time t where t.log_id = %(log_id)s) r
where r.log_offset < %(horizon)s
  and not exists (select from eventlog.event e where e.log_id = %(log_id)s and e.log_offset = r.log_offset)
"""


def check_archive(
    connection: Connection,
    source: EventSource,
    log: TrackedLog,
    until: int,
    settings: FoldSettings,
    on_progress: Callable[[int], None],
) -> list[TableCheck]:
    """Compare the archived events below offset ``until`` with the topic; `TopicComparison` says what is a difference.

    ``missing`` events are in the topic only, ``extra`` ones in the archive only. Only the newest incarnation of a
    stream has a topic; for others the list is empty.

    Raises:
        ProjectionError: the log is not from Kafka, the topic was re-created or truncated and the follower has not
            noticed it yet, it lost events while it was read, or the brokers belong to another cluster.
        StreamMissing, StreamRefused, SourceUnavailable: see `EventSource`.
    """
    if is_replaced(connection, log):
        return []
    facts = find_topic(connection, source, log)
    comparison = TopicComparison(facts, server_now(connection))
    with reading_topic(log):
        pairs = pair_with_topic(connection, source, log, facts, until, settings)
        for number, pair in enumerate(pairs, start=1):
            comparison.add(pair)
            if number % _PROGRESS_EVENTS == 0:
                on_progress(_PROGRESS_EVENTS)
        for event in _later_events(source, log.stream.stream_name, until, comparison):
            comparison.add_later(event)
    return [_table_check(connection, log, comparison, settings.secrets)]


def complete_archive(
    connection: Connection,
    source: EventSource,
    log: TrackedLog,
    settings: FoldSettings,
    on_progress: Callable[[int], None],
) -> TopicComparison | None:
    """Insert the events below the position that the topic has and the archive lacks, in one transaction.

    Returns what differed before: ``missing`` events were inserted, ``different`` ones were left unchanged. None if a
    newer incarnation has replaced the log. Partitions of the archive that were detached and still exist are attached
    first, because they have more than a compacted topic. Raises as `check_archive`, and LockNotAvailable.
    """
    if is_replaced(connection, log):
        return None
    facts = find_topic(connection, source, log)
    attach_archive(connection)
    with connection.transaction(), reading_topic(log):
        connection.execute(LOCK_TIMEOUT)
        hold_archive(connection, log.stream.stream_name)
        now = server_now(connection)
        comparison = TopicComparison(facts, now)
        position = position_once_folded(connection, log)
        pairs = pair_with_topic(connection, source, log, facts, position, settings)
        missing = (pair for pair in _compared(pairs, comparison) if pair.archived is None)
        for archived_at, run in groupby(missing, key=attrgetter("archived_at")):
            events = (pair.current for pair in run if pair.current is not None)
            for batch in batches(events, _BATCH_EVENTS, _BATCH_BYTES):
                _insert(connection, log.log_id, archived_at or now, batch)
                on_progress(len(batch))
    return comparison


def attach_archive(connection: Connection) -> None:
    """Attach the partitions of the archive that were detached and still have their names."""
    for first in detached_partitions(connection, "eventlog", "event"):
        attach_partition(connection, "eventlog", "event", first)


def _compared(pairs: Iterable[Pair], comparison: TopicComparison) -> Iterator[Pair]:
    for pair in pairs:
        comparison.add(pair)
        yield pair


def _insert(connection: Connection, log_id: int, archived_at: datetime, events: list[RecordedEvent]) -> None:
    """Archive events at the time of the next archived one. Their own is unknown, and this one is the latest possible:
    `LogClock` then believes their times.
    """
    for first in ranges_of(event.offset for event in events):
        ensure_partition(connection, "eventlog", "event", first)
    with archive_writer(connection, log_id, micros_of(archived_at)) as write:
        write(EventColumns.of(events))


def has_topic(connection: Connection, log: TrackedLog) -> bool:
    """Return whether the log may have a topic: it was read from Kafka, and no later incarnation replaced it."""
    return log.backend == KAFKA and not is_replaced(connection, log)


def is_replaced(connection: Connection, log: TrackedLog) -> bool:
    return logs_of(connection, log.stream.stream_name)[0].log_id != log.log_id


def find_topic(connection: Connection, source: EventSource, log: TrackedLog) -> StreamFacts:
    """Describe the topic that a log was read from. Raises as `check_archive`."""
    name = log.stream.stream_name
    if log.backend != KAFKA:
        imported = "was imported from a recording and never followed"
        what = "is a log in Postgres" if log.backend == POSTGRES else imported
        raise ProjectionError(f"{name} {what}, so it has no topic in Kafka to compare it with.")
    require_cluster(connection, name, source.cluster_id)
    facts = source.describe(name)
    if is_another_topic(log, facts):
        raise _is_replaced(name, "was deleted and re-created")
    if facts.end_offset < log.next_offset:
        raise _is_replaced(name, f"ends at offset {facts.end_offset}, before the position {log.next_offset}")
    return facts


def _is_replaced(name: str, reason: str) -> ProjectionError:
    return ProjectionError(
        f"The topic {name} {reason}, so it is not the log in the archive. "
        "Run `coordstream follow` to read it as a new incarnation."
    )


def pair_with_topic(
    connection: Connection, source: EventSource, log: TrackedLog, facts: StreamFacts, until: int, settings: FoldSettings
) -> Iterator[Pair]:
    """Read archive and topic below offset ``until``, in offset order. Events that a retention has detached are left
    out, but not those of `lost_base`.
    """
    name, start, horizon = log.stream.stream_name, facts.start_offset, horizon_offset(connection, log.log_id)
    needed = set[int]()
    if horizon > start:
        needed = lost_base(connection, log, horizon, source.read(name, start, horizon + 1), settings)
    current = source.read(name, start, until)
    pages = read_archived(connection, log.log_id, 0, until)
    archived = ((event, datetime_of(at)) for events, times in pages for event, at in zip(events, times, strict=True))
    for pair in pair_events(archived, current):
        if pair.archived or pair.current is None or pair.current.offset >= horizon or pair.current.offset in needed:
            yield pair


@contextmanager
def reading_topic(log: TrackedLog) -> Iterator[None]:
    """Raise ProjectionError if the topic loses events that are read within the block."""
    try:
        yield
    except OffsetLost:
        name = log.stream.stream_name
        raise ProjectionError(f"The topic {name} lost events while it was read. Try again.") from None


def lost_base(
    connection: Connection, log: TrackedLog, horizon: int, topic: Iterable[RecordedEvent], settings: FoldSettings
) -> set[int]:
    """Return the offsets that the archive of a log should have and lacks, by the topic's events up to its horizon.

    The topic may lack some of them, too. They are those of events with rows, and of the newest value of each key at the
    horizon: if the rows are lost too, other events that a retention had kept are not found. An event without key and
    value has no rows, and is not found.
    """
    log_id = log.log_id
    pages = read_archived(connection, log_id, 0, horizon + 1)
    archived = ((event, None) for events, _ in pages for event in events)
    fold = LogFold(log_id, log.stream.stream_kind, settings.secrets)
    newest: dict[bytes, int] = {}  # of the keys whose newest event only the topic has, as digests
    for pair in pair_events(archived, topic):
        event = pair.archived or pair.current
        if event is not None and event.key is not None:
            key = hashlib.sha256(event.key).digest()
            newest.pop(key, None)
            if pair.archived is None and sets_value(fold, event):
                newest[key] = event.offset
    values = {"log_id": log_id, "horizon": horizon}
    with_rows = {offset for (offset,) in connection.execute(_WITH_ROWS, values).fetchall()}
    return with_rows | set(newest.values())


def _later_events(
    source: EventSource, stream_name: str, first: int, comparison: TopicComparison
) -> Iterator[RecordedEvent]:
    """The events from an offset to the topic's end, as long as something is unexplained: events that are written
    meanwhile may have removed some that were not read yet.
    """
    while comparison.lost:
        end = source.end_offsets([stream_name]).get(stream_name)
        if end is None:
            raise OffsetLost(stream_name, first)
        if end <= first:
            return
        yield from source.read(stream_name, first, end)
        first = end


def _table_check(connection: Connection, log: TrackedLog, found: TopicComparison, secrets: SecretPolicy) -> TableCheck:
    lost = found.lost
    gone = read_archived_at(connection, log.log_id, lost[:EXAMPLES])
    pairs = [
        *(Pair(None, event, None) for event in found.missing_events),
        *(Pair(event, None, None) for page in gone for event in page.events),
        *found.different_events,
    ]
    examples = tuple(_difference(pair, secrets) for pair in pairs)
    return TableCheck("event", found.missing, len(lost), found.different, examples)


def _difference(pair: Pair, secrets: SecretPolicy) -> Difference:
    stored, expected = (None if event is None else _values(event, secrets) for event in pair[:2])
    event = pair.archived or pair.current
    kind: DifferenceKind = "different" if pair.is_different else "missing" if pair.archived is None else "extra"
    return Difference(kind, {"log_offset": event.offset if event else None}, stored, expected)


def _values(event: RecordedEvent, secrets: SecretPolicy) -> dict[str, Any]:
    """An event's fields as text, without secrets; ``timestamp`` in ms since 1970."""
    masked = mask_event(event, secrets)
    return {
        "timestamp": event.timestamp,
        "timestamp_type": event.timestamp_type,
        "key": _text(masked.key),
        "value": _text(masked.value),
        "headers": [[name, _text(value)] for name, value in masked.headers],
    }


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "backslashreplace")
