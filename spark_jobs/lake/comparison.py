"""Compares the archive with a lake: whether the lake still has what was written, and all that the archive has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import pyarrow as pa
from pyarrow import compute

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection
from projections.retention import Check, RetainedEvents
from projections.tracked_logs import TrackedLog
from spark_jobs.lake.archive import RunTasks
from spark_jobs.lake.log_files import LogFiles, to_table
from spark_jobs.lake.table import EVENTS, LakeError, LogKey, open_lake, shown
from spark_jobs.log_task import LogTaskSession

_ARCHIVED: Final = "select count(*) from eventlog.event where log_id = %s and log_offset < %s"


class Compared(NamedTuple):
    """A log whose `events` below `next_offset` in the archive are the same in the lake, which has `lake_events`."""

    next_offset: int
    events: int
    lake_events: int


def compare_logs(output: str, logs: Sequence[TrackedLog], run_tasks: RunTasks) -> Mapping[int, Compared | str]:
    """Compare the archived events of these logs with those in a lake, by log id; a sentence if they are not the same.

    Raises:
        LakeError: There is no lake, or another program has changed the table.
    """
    lake, found = open_lake(output), dict[int, Compared | str]()
    tasks: list[CompareLog] = []
    for log in logs:
        key = LogKey(log.stream.stream_name, log.incarnation)
        if key in lake.logs:
            tasks.append(CompareLog(LogFiles.of(lake, key), log.log_id))
        else:
            found[log.log_id] = f"Lake '{output}' does not have {key}. {_archive_first(output)}"
    for task, outcome in zip(tasks, run_tasks(tasks), strict=True):
        found[task.log_id] = outcome.failure or outcome.result
    return found


def lake_check(output: str, compared: Mapping[int, Compared | str]) -> Check:
    """A check of a retention, that the lake was found to have every event that the archive has up to the horizon."""

    def check(connection: Connection, retained: RetainedEvents) -> None:
        found = compared[retained.log.log_id]
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


@dataclass(frozen=True)
class CompareLog:
    """Reads a log of the lake to its end, and finds in it each event that the archive has below its position."""

    source: LogFiles
    log_id: int

    @property
    def weight(self) -> int:
        return self.source.log.events

    def run(self, session: LogTaskSession) -> Compared:
        """See `LogTask`. Raises LakeError: the table was changed, or an archived event is missing or another one."""
        log, first, events = self.source.log, 0, 0
        for batch in chain(self.source.batches(), [EVENTS.empty_table()]):
            until = batch["log_offset"][-1].as_py() + 1 if len(batch) else log.next_offset
            archived = to_table(log.key, log.stream_kind, read_archived(session.connection, self.log_id, first, until))
            rows = batch.filter(compute.is_in(batch["log_offset"], archived["log_offset"])).select(EVENTS.names)
            if not rows.equals(archived):
                raise LakeError(
                    f"Lake '{shown(self.source.uri)}' does not have the archived event at offset "
                    f"{_first_difference(rows, archived)} of {log.key}. Write a lake into another folder."
                )
            first, events = until, events + len(archived)
        return Compared(log.next_offset, events, log.events)


def _first_difference(rows: pa.Table, archived: pa.Table) -> int:
    in_lake = {row["log_offset"]: row for row in rows.to_pylist()}
    return next(int(row["log_offset"]) for row in archived.to_pylist() if in_lake.get(row["log_offset"]) != row)
