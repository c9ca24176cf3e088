"""Adds to the archive of a log the events that it lacks and its topic still has."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Final

from eventlog.events import EventColumns, RecordedEvent, batches
from eventlog.postgres.archive import archive_writer
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold_archive
from eventlog.postgres.table_partitions import (
    attach_partition,
    detached_partitions,
    ensure_partition,
    ranges_of,
)
from eventlog.source import EventSource
from eventlog.timestamps import micros_of
from eventlog.topic_comparison import Pair, TopicComparison
from projections.fold.settings import FoldSettings
from projections.follow.heartbeat import server_now
from projections.topic_check import find_topic, is_replaced, pair_with_topic, reading_topic
from projections.tracked_logs import LOCK_TIMEOUT, TrackedLog, position_once_folded

_BATCH_EVENTS: Final = 10_000
_BATCH_BYTES: Final = 16 << 20


def complete_archive(
    connection: Connection,
    source: EventSource,
    log: TrackedLog,
    settings: FoldSettings,
    on_progress: Callable[[int], None],
) -> TopicComparison | None:
    """Insert the events below the position that the topic has and the archive lacks, in one transaction.

    Returns what differed before: ``missing`` events were inserted, ``different`` ones were left unchanged. None if a
    newer incarnation has replaced the log, so that it has no topic. Partitions of the archive that were detached and
    still exist are attached first, because they have more than a compacted topic.

    Raises:
        ProjectionError, EventLogError: see `check_archive`.
        psycopg.errors.LockNotAvailable: another session completes this archive.
    """
    if is_replaced(connection, log):
        return None
    facts = find_topic(connection, source, log)
    for first in detached_partitions(connection, "eventlog", "event"):
        attach_partition(connection, "eventlog", "event", first)
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


def _compared(pairs: Iterable[Pair], comparison: TopicComparison) -> Iterator[Pair]:
    for pair in pairs:
        comparison.add(pair)
        yield pair


def _insert(connection: Connection, log_id: int, archived_at: datetime, events: list[RecordedEvent]) -> None:
    """Archive events at the time of the next archived one.

    Their own time of archiving is unknown, and this one is the latest possible: `LogClock` then believes their times.
    """
    for first in ranges_of(event.offset for event in events):
        ensure_partition(connection, "eventlog", "event", first)
    with archive_writer(connection, log_id, micros_of(archived_at)) as write:
        write(EventColumns.of(events))
