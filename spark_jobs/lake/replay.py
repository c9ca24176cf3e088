"""Replays a lake: the executors restore the logs of each stream, as the archive had them, and fold them."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain, groupby
from typing import Any, Final

from eventlog.events import EventColumns
from eventlog.postgres.archive import ArchivedEvents, archive_events, first_difference
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import insert_log
from eventlog.source import POSTGRES
from eventlog.streams import StreamIdentity, identify
from eventlog.timestamps import datetime_of
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.follow.resume import require_cluster
from projections.log_result import LogResult
from projections.projector import BATCH_EVENTS, LogPartitions, Projector
from projections.scratch_fold import archived_batches
from projections.stream_lock import stream_lock
from projections.tracked_logs import (
    Observation,
    TrackedLog,
    insert_position,
    logs_of,
    make_current,
    read_observations,
    stop_at_position,
    write_observations,
)
from spark_jobs.lake.log_files import LogFiles, pages_of
from spark_jobs.lake.table import LakeError, LakeLog, open_lake, shown
from spark_jobs.log_task import LogTaskSession, StreamTask
from spark_jobs.table_partitions import SeparatePartitions

_INSERT_HEAD: Final = """
insert into eventlog.log_head (log_id, next_offset) values (%s, %s)
on conflict (log_id) do update set next_offset = excluded.next_offset
"""
_SET_HORIZON: Final = """
insert into eventlog.horizon (log_id, retention_number, horizon_offset, horizon_time) values (%s, 0, %s, %s)
on conflict (log_id, retention_number) do update
set horizon_offset = excluded.horizon_offset, horizon_time = excluded.horizon_time
"""
_COMPLETE: Final = "update projection.job_log set is_complete = is_complete or %s where log_id = %s"


def lake_streams(output: str) -> list[StreamTask]:
    """The streams of a lake. Raises LakeError: there is no lake, it has no run, or its table cannot be read."""
    lake = open_lake(output)
    if not lake.run:
        raise LakeError(f"Lake '{output}' has no run yet. Write one with `coordstream export --lake {output}`.")
    logs = [LogFiles.of(lake, key) for key in sorted(lake.logs)]
    streams = [list(each) for _, each in groupby(logs, key=lambda each: each.log.stream_name)]
    return [
        StreamTask(sum(each.log.events for each in stream), partial(restore_stream, stream), _stream(stream[0].log))
        for stream in streams
    ]


def restore_stream(logs: Sequence[LogFiles], session: LogTaskSession) -> LogResult:
    """Restore a stream from a lake: all incarnations, in their order.

    Raises LakeError: the table was changed, or the database has other events of the stream.
    """
    connection = session.connection
    with stream_lock(connection, logs[0].log.stream_name), connection.transaction():
        results = [_LogRestore(session, each).run() for each in logs]
    counted = {name: sum(getattr(each, name) for each in results) for name in ("added", "skipped", "quarantined")}
    return replace(results[-1], **counted)


class _LogRestore:
    """Adds what the database lacks of one log, in the caller's transaction.

    The events keep their times of archiving, and keys are swept after the same events: the rows are those of the
    database that the lake was written from.
    """

    def __init__(self, session: LogTaskSession, source: LogFiles) -> None:
        self._connection = session.connection
        self._settings = session.settings.fold
        self._partitions = SeparatePartitions(session)
        self._source = source
        self._skipped = 0

    def run(self) -> LogResult:
        log, connection = self._source.log, self._connection
        known = {each.incarnation: each for each in logs_of(connection, log.stream_name)}.get(log.incarnation)
        tracked = known or _track(connection, log, self._settings)
        tracked.require_fold_version(self._settings)
        new = self._new_observations(tracked)
        for observation, observed_at in new:
            write_observations(connection, tracked.log_id, [observation], observed_at)
        added, quarantined = self._fold(tracked, [observation for observation, _ in new])
        if new or known is None or tracked.next_offset < log.next_offset:  # a log may have no events
            self._complete(tracked)
        return LogResult(tracked.stream, tracked.incarnation, added, self._skipped, quarantined)

    def _new_observations(self, tracked: TrackedLog) -> list[tuple[Observation, datetime]]:
        """The lake's observations that the database lacks, with their times. Raises LakeError if one comes too late."""
        known = set(read_observations(self._connection, tracked.log_id))
        found = [(_observation(each), datetime.fromisoformat(each[-1])) for each in self._source.log.observations]
        new = [(observation, at) for observation, at in found if observation not in known]
        if any(observation.at_offset < tracked.next_offset - 1 for observation, _ in new):
            raise self._other_events()
        return new

    def _other_events(self) -> LakeError:
        log = self._source.log
        return LakeError(
            f"The database has other events of incarnation {log.incarnation} than lake '{shown(self._source.uri)}'. "
            "Replay the lake into a new database."
        )

    def _fold(self, tracked: TrackedLog, new: list[Observation]) -> tuple[int, int]:
        """Archive and fold the events beyond the position; return how many there were, and how many in quarantine."""
        added = quarantined = 0
        now = datetime_of(0)
        sweeps = [Swept(each.at_offset, each.key) for each in new if each.kind == "swept" and each.key is not None]
        projector = Projector(
            self._connection, tracked, self._settings, lambda: now, archives=False, partitions=self._partitions
        )
        for batch in archived_batches(self._archive_events(tracked), sweeps, BATCH_EVENTS):
            now = datetime_of(batch.archived_at)
            quarantined += projector.apply(batch.events, swept=batch.swept)
            added += len(batch.events)
        if projector.next_offset < self._source.log.next_offset:
            projector.pass_to(self._source.log.next_offset)
        return added, quarantined

    def _archive_events(self, tracked: TrackedLog) -> Iterator[ArchivedEvents]:
        """Compare the events below the position with the archive; write those beyond it there, and yield them."""
        for page in chain.from_iterable(map(pages_of, self._source.batches())):
            known = bisect_left(page.events, tracked.next_offset, key=lambda event: event.offset)
            if known and first_difference(self._connection, tracked.log_id, page.events[:known]) is not None:
                raise self._other_events()
            self._skipped += known
            if new := page.events[known:]:
                archived = ArchivedEvents(new, page.archived_at[known:])
                archive_page(self._connection, self._partitions, tracked.log_id, archived)
                yield archived

    def _complete(self, tracked: TrackedLog) -> None:
        log, log_id = self._source.log, tracked.log_id
        if log.backend == POSTGRES:
            self._connection.execute(_INSERT_HEAD, (log_id, log.next_offset))
        if log.horizon is not None:
            self._connection.execute(_SET_HORIZON, (log_id, *log.horizon))
        known = logs_of(self._connection, log.stream_name)
        if log.is_current and not any(each.is_current and each.incarnation > log.incarnation for each in known):
            make_current(self._connection, tracked)  # no follower of this database has read a newer incarnation
        self._connection.execute(_COMPLETE, (log.is_complete, log_id))
        stop_at_position(self._connection, tracked)


def archive_page(connection: Connection, partitions: LogPartitions, log_id: int, page: ArchivedEvents) -> None:
    """Write events of a lake into the archive, with their times of archiving."""
    partitions.ensure(page.events)
    archive_events(connection, log_id, page.archived_at, EventColumns.of(page.events))


def _track(connection: Connection, log: LakeLog, settings: FoldSettings) -> TrackedLog:
    """Add a log to the database, with the identity that the lake has of it. Raises ProjectionError."""
    require_cluster(connection, log.stream_name, log.cluster_id)
    kind, created_at = _stream(log).stream_kind, datetime.fromisoformat(log.created_at)
    place = {"cluster_id": log.cluster_id, "topic_id": log.topic_id}
    stored = insert_log(connection, log.stream_name, kind, log.incarnation, log.backend, created_at, **place)
    return insert_position(connection, stored, settings.fold_version, is_current=False, is_complete=log.is_complete)


def _stream(log: LakeLog) -> StreamIdentity:
    return identify(log.stream_name, log.stream_kind)


def _observation(observed: list[Any]) -> Observation:
    at_offset, kind, key, from_offset, to_offset, _ = observed
    return Observation(at_offset, kind, None if key is None else bytes.fromhex(key), from_offset, to_offset)
