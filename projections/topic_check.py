"""Compares the archive of a log with its topic, as far as the log was read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from eventlog.events import RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.postgres.archive import read_archive_at, read_archived
from eventlog.postgres.archive_comparison import horizon_offset
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import SecretPolicy
from eventlog.source import KAFKA, EventSource, OffsetLost, StreamFacts
from eventlog.timestamps import datetime_of
from eventlog.topic_comparison import EXAMPLES, Pair, TopicComparison, pair_events
from projections.errors import NotInKafka, TopicChanged, TopicReplaced
from projections.fold.settings import FoldSettings
from projections.follow.continuity import is_another_topic
from projections.follow.heartbeat import server_now
from projections.follow.resume import require_cluster
from projections.lost_base import lost_base
from projections.table_differences import Difference, DifferenceKind, TableCheck
from projections.tracked_logs import TrackedLog, logs_of

_PROGRESS_EVENTS: Final = 10_000


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
        NotInKafka: the log is in Postgres, or was imported and never followed.
        TopicReplaced: the topic was re-created or truncated, and the follower has not noticed it yet.
        TopicChanged: the topic lost events while it was read.
        OtherCluster: the brokers belong to another cluster.
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


def has_topic(connection: Connection, log: TrackedLog) -> bool:
    """Return whether the log may have a topic: it was read from Kafka, and no later incarnation replaced it."""
    return log.backend == KAFKA and not is_replaced(connection, log)


def is_replaced(connection: Connection, log: TrackedLog) -> bool:
    """Return whether a stream has a newer incarnation than this one."""
    return logs_of(connection, log.stream.stream_name)[0].log_id != log.log_id


def find_topic(connection: Connection, source: EventSource, log: TrackedLog) -> StreamFacts:
    """Describe the topic that a log was read from. Raises as `check_archive`."""
    name = log.stream.stream_name
    if log.backend != KAFKA:
        raise NotInKafka(name, log.backend)
    require_cluster(connection, name, source.cluster_id)
    facts = source.describe(name)
    if is_another_topic(log, facts):
        raise TopicReplaced(name, "was deleted and re-created")
    if facts.end_offset < log.next_offset:
        raise TopicReplaced(name, f"ends at offset {facts.end_offset}, before the position {log.next_offset}")
    return facts


def pair_with_topic(
    connection: Connection, source: EventSource, log: TrackedLog, facts: StreamFacts, until: int, settings: FoldSettings
) -> Iterator[Pair]:
    """Read archive and topic below offset ``until``, in offset order. Raises OffsetLost and SourceUnavailable.

    Events that a retention has detached are left out, but not those of `lost_base`.
    """
    needed = lost_base(connection, source, log, facts, settings)
    current = source.read(log.stream.stream_name, facts.start_offset, until)
    pages = read_archived(connection, log.log_id, 0, until)
    archived = ((event, datetime_of(at)) for events, times in pages for event, at in zip(events, times, strict=True))
    horizon = horizon_offset(connection, log.log_id)
    for pair in pair_events(archived, current):
        if pair.archived or pair.current is None or pair.current.offset >= horizon or pair.current.offset in needed:
            yield pair


@contextmanager
def reading_topic(log: TrackedLog) -> Iterator[None]:
    """Raise TopicChanged if the topic loses events that are read within the block."""
    try:
        yield
    except OffsetLost:
        raise TopicChanged(log.stream.stream_name) from None


def _later_events(
    source: EventSource, stream_name: str, first: int, comparison: TopicComparison
) -> Iterator[RecordedEvent]:
    """The events from an offset to the topic's end, as long as something is unexplained.

    Events that are written meanwhile may have removed some that were not read yet, so they are read as well.
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
    pairs = [
        *(Pair(None, event, None) for event in found.missing_events),
        *(Pair(event, None, None) for event in read_archive_at(connection, log.log_id, lost[:EXAMPLES])),
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
