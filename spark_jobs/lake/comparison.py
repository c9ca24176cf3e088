"""Compares the archive with a lake, which still has all that was written or not, and completes the archive from it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyarrow import compute

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold_archive
from eventlog.postgres.table_partitions import attach_partition, detached_partitions
from projections.log_result import LogResult
from projections.rebuild import rebuild_log
from projections.retention import Check, RetainedEvents
from projections.tracked_logs import LOCK_TIMEOUT, TrackedLog, position_once_folded
from spark_jobs.lake.archive import RunTasks
from spark_jobs.lake.log_files import LogFiles, pages_of, to_table
from spark_jobs.lake.replay import archive_page
from spark_jobs.lake.table import EVENTS, LakeError, LogKey, open_lake, shown
from spark_jobs.log_task import LogTask, LogTaskSession
from spark_jobs.table_partitions import SeparatePartitions

_ARCHIVED: Final = "select count(*) from eventlog.event where log_id = %s and log_offset < %s"
_HORIZONS: Final = """
select retention_number from eventlog.horizon where log_id = %s and horizon_offset > %s and horizon_offset < %s
"""
_FORGET_HORIZONS: Final = "delete from eventlog.horizon where log_id = %s and retention_number = any(%s)"


class Compared(NamedTuple):
    """A log whose `events` below `next_offset` in the archive are the same in the lake, which has `lake_events`."""

    next_offset: int
    events: int
    lake_events: int


def compare_log(source: LogFiles, log: TrackedLog, session: LogTaskSession) -> Compared:
    """Read a log of the lake to its end, and find in it each event that the archive has below its position.

    Raises LakeError: the table was changed, or an archived event is missing or another one.
    """
    events = sum(len(archived) for archived, _ in _compare(source, log, session.connection))
    return Compared(source.log.next_offset, events, source.log.events)


def _compare(source: LogFiles, log: TrackedLog, connection: Connection) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The events of the archive, and those that only the lake has, by batches of the lake."""
    key, first = source.log.key, 0
    for batch in chain(source.batches(), [EVENTS.empty_table()]):
        until = batch["log_offset"][-1].as_py() + 1 if len(batch) else source.log.next_offset
        archived = to_table(key, source.log.stream_kind, read_archived(connection, log.log_id, first, until))
        is_archived = compute.is_in(batch["log_offset"], archived["log_offset"])
        rows = batch.filter(is_archived).select(EVENTS.names)
        if not rows.equals(archived):
            raise LakeError(
                f"Lake '{shown(source.uri)}' does not have the archived event at offset "
                f"{_first_difference(rows, archived)} of {key}. Write a lake into another folder."
            )
        yield archived, batch.filter(compute.invert(is_archived))
        first = until


def complete_log(source: LogFiles, log: TrackedLog, session: LogTaskSession) -> LogResult:
    """Add the events of a log that the archive lacks, as the lake has them, and rebuild the log.

    `added` is the number of these events. What was added to the archive stays there if the rebuild fails; the horizon
    of a retention then stays, too. That of a retention that comes meanwhile stays in any case. Raises as `compare_log`,
    and as `rebuild_log`.
    """
    connection, stored, added = session.connection, source.log, 0
    partitions = SeparatePartitions(session)
    for first in detached_partitions(connection, "eventlog", "event"):
        attach_partition(connection, "eventlog", "event", first)
    with connection.transaction():
        connection.execute(LOCK_TIMEOUT)
        hold_archive(connection, stored.stream_name)
        horizons = connection.execute(_HORIZONS, (log.log_id, (stored.horizon or [-1])[0], stored.next_offset))
        position = position_once_folded(connection, log)
        for _, missing in _compare(source, log, connection):
            for page in pages_of(missing.filter(compute.less(missing["log_offset"], position))):
                archive_page(connection, partitions, log.log_id, page)
                added += len(page.events)
    result = rebuild_log(connection, log, session.settings.fold)
    connection.execute(_FORGET_HORIZONS, (log.log_id, [number for (number,) in horizons]))
    return replace(result, added=added)


def compare_logs(
    output: str,
    logs: Sequence[TrackedLog],
    run_tasks: RunTasks,
    compare: Callable[[LogFiles, TrackedLog, LogTaskSession], Any] = compare_log,
) -> dict[int, Any]:
    """Compare these logs with a lake, or complete them from it; results by log id, or a sentence for a log that failed.

    Raises `LakeError`: there is no lake, or another program has changed the table.
    """
    lake, found = open_lake(output), dict[int, Any]()
    tasks: dict[int, LogTask] = {}
    for log in logs:
        key = LogKey(log.stream.stream_name, log.incarnation)
        if key in lake.logs:
            tasks[log.log_id] = LogTask(lake.logs[key].events, partial(compare, LogFiles.of(lake, key), log))
        else:
            found[log.log_id] = f"Lake '{output}' does not have {key}. {_archive_first(output)}"
    for log_id, outcome in zip(tasks, run_tasks(list(tasks.values())), strict=True):
        found[log_id] = outcome.failure or outcome.result
    return found


def lake_check(output: str, logs: Sequence[TrackedLog], run_tasks: RunTasks) -> Check:
    """Compare these logs with a lake, and return a check of a retention: that the lake has every event that the archive
    has up to the horizon. Raises as `compare_logs`.
    """
    compared = compare_logs(output, logs, run_tasks)

    def check(connection: Connection, retained: RetainedEvents) -> None:
        found: Compared | str = compared[retained.log.log_id]
        if isinstance(found, str):
            raise LakeError(f"{found} Nothing was changed.")
        row = connection.execute(_ARCHIVED, (retained.log.log_id, found.next_offset)).fetchone()
        # events are only added to the archive: none was since the comparison if there are as many
        if found.next_offset <= retained.horizon_offset or row != (found.events,):
            name = LogKey(retained.log.stream.stream_name, retained.log.incarnation)
            raise LakeError(
                f"Lake '{output}' lacks events of {name} that would be detached. {_archive_first(output)} "
                "Nothing was changed."
            )

    return check


def _archive_first(output: str) -> str:
    return f"Run `coordstream export --lake {output}` first."


def _first_difference(rows: pa.Table, archived: pa.Table) -> int:
    in_lake = {row["log_offset"]: row for row in rows.to_pylist()}
    return next(int(row["log_offset"]) for row in archived.to_pylist() if in_lake.get(row["log_offset"]) != row)
