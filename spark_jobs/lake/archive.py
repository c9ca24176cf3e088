"""Adds the archive's new events to a lake: executors, or this process, write files; the driver commits them at once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from deltalake.transaction import AddAction

from eventlog.events import bytes_of
from eventlog.postgres.archive import ArchivedEvents, read_archived
from eventlog.postgres.connection import Connection, connect, snapshot
from eventlog.source import POSTGRES
from projections.errors import NOT_FOLDED, RebuildNeeded
from spark_jobs.errors import SparkJobError, database_errors
from spark_jobs.lake.log_files import to_table, write_events
from spark_jobs.lake.table import Lake, LakeError, LakeLog, LogKey, commit_run, create_lake, open_lake, shown
from spark_jobs.log_task import LogTask, LogTaskSession, Outcome

FILE_BYTES: Final = 64 << 20
"""A file has about so many bytes of keys and values at most, which a task has in memory."""

_HOLD: Final = "LOCK TABLE ONLY eventlog.event IN ACCESS SHARE MODE"
_LOGS: Final = """
SELECT l.log_id, p.fold_version, jsonb_build_object(
  'stream_name', l.stream_name, 'stream_kind', l.stream_kind, 'incarnation', l.incarnation,
  'backend', l.backend, 'cluster_id', l.cluster_id, 'topic_id', l.topic_id, 'created_at', l.created_at,
  'is_current', j.is_current, 'is_complete', j.is_complete, 'next_offset', p.next_offset,
  'observations', (
    SELECT coalesce(jsonb_agg(jsonb_build_array(
      o.at_offset, o.kind, encode(o.key, 'hex'), o.from_offset, o.to_offset, o.observed_at)
      ORDER BY o.at_offset, o.observation_id), '[]')
    FROM eventlog.observation o WHERE o.log_id = l.log_id),
  'horizon', (
    SELECT jsonb_build_array(max(h.horizon_offset), max(h.horizon_time))
    FROM eventlog.horizon h WHERE h.log_id = l.log_id HAVING count(*) > 0))
FROM eventlog.log l LEFT JOIN (projection.job_log j JOIN projection.position p USING (log_id)) USING (log_id)
ORDER BY l.stream_name, l.incarnation
"""

RunTasks = Callable[[Sequence[LogTask]], Sequence[Outcome]]
"""Runs log tasks, in executors or in this process."""


@dataclass(frozen=True)
class Archived:
    """What a run added to a lake; `run` 0: nothing was new. `failures`: why logs were not continued, by stream."""

    run: int
    logs: int
    files: int = 0
    events: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)


def archive(output: str, database_url: str, run_tasks: RunTasks) -> Archived:
    """Add the events that the lake lacks.

    The files of a run that is killed belong to no commit; a vacuum of the table deletes them, and the next run starts
    where the lake ends. A log is a failure, and stays in the lake as it was, if it has no rows, or a retention has
    detached events of it that the lake lacks; the others continue.

    Raises `LakeError`: the lake is damaged, is another database's, or another run has written to it meanwhile;
    `SparkJobError`: the output is invalid, the database cannot be read, or a file cannot be written.
    """
    create_lake(output)
    lake = open_lake(output)
    with (
        database_errors("the archive", "replayer"),
        connect(database_url, application_name="coordstream lake") as connection,
        snapshot(connection),
    ):
        logs, new, failures = _compare(connection, lake)
        if list(lake.logs.values()) == logs:
            return Archived(0, len(logs), failures=failures)
        outcomes = run_tasks(list(new.values()))
    if failed := [outcome.failure for outcome in outcomes if outcome.failure]:
        raise SparkJobError(failed[0])
    files = [file for outcome in outcomes for file, _ in outcome.result]
    added = {key: sum(count for _, count in outcome.result) for key, outcome in zip(new, outcomes, strict=True)}
    commit_run(lake, files, [replace(log, events=log.events + added.get(log.key, 0)) for log in logs])
    return Archived(lake.run + 1, len(logs), len(files), sum(added.values()), failures)


def _compare(connection: Connection, lake: Lake) -> tuple[list[LakeLog], dict[LogKey, LogTask], Mapping[str, str]]:
    """Return the logs as they will be in the lake, tasks that write what it lacks of them, and failures by stream.

    Until the transaction ends, no retention detaches any of the events.
    """
    connection.execute(_HOLD)
    logs, new, failures = [], dict[LogKey, LogTask](), {}
    for log_id, fold_version, facts in connection.execute(_LOGS).fetchall():
        log = LakeLog(**facts)
        known = lake.logs.get(log.key)
        is_folded = fold_version not in (None, NOT_FOLDED)
        if known and (known.created_at != log.created_at or (is_folded and known.next_offset > log.next_offset)):
            raise _other_database(lake, known)
        if failure := _failure(log, known, fold_version):
            failures[log.stream_name] = failure
            logs += [known] if known else []
            continue
        if known:
            log = replace(log, events=known.events, horizon=known.horizon if known.events else log.horizon)
        if (first := lake.position(log.key)) < log.next_offset:
            offsets = range(first, log.next_offset)
            new[log.key] = LogTask(len(offsets), partial(_write, lake.uri, log_id, log.key, log.stream_kind, offsets))
        logs.append(log)
    if missing := lake.logs.keys() - {log.key for log in logs}:
        raise _other_database(lake, lake.logs[min(missing)])
    return logs, new, failures


def _failure(log: LakeLog, known: LakeLog | None, fold_version: str | None) -> str:
    """Why the lake cannot have a log as it is; empty if it can. Events that a retention detached may be deletions."""
    if fold_version is None and log.backend == POSTGRES:
        return f"It has not been followed yet. Run `coordstream follow {log.stream_name} --once` first."
    if fold_version in (None, NOT_FOLDED):
        return str(RebuildNeeded(log.stream_name))
    if known and known.events and log.horizon is not None and known.next_offset < log.horizon[0]:
        return (
            f"A retention has detached events of the offsets {known.next_offset} to {log.horizon[0]} "
            f"(incarnation {log.incarnation}) before the lake had them. Write a lake into another folder."
        )
    return ""


def _other_database(lake: Lake, log: LakeLog) -> LakeError:
    return LakeError(
        f"Lake '{shown(lake.uri)}' has events of {log.key} that this database lacks: it is the lake of another one, or "
        "this one lost events. Use a folder of its own for each database."
    )


def _write(
    uri: str, log_id: int, key: LogKey, stream_kind: str, offsets: range, session: LogTaskSession
) -> list[tuple[AddAction, int]]:
    """Write events that the lake at ``uri`` lacks; return the files, and the number of events in each."""
    archived = read_archived(session.connection, log_id, offsets.start, offsets.stop)
    tables = (to_table(key, stream_kind, pages) for pages in _of_a_file(archived))
    return [(write_events(uri, key, table), len(table)) for table in tables]


def _of_a_file(pages: Iterable[ArchivedEvents]) -> Iterator[list[ArchivedEvents]]:
    some: list[ArchivedEvents] = []
    size = 0
    for page in pages:
        some.append(page)
        size += bytes_of(page.events)
        if size >= FILE_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some
