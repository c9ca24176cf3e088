"""How far the inputs of jobs reach: which partitions to ask about, and the observations of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.system_admin import PartitionBounds
from eventlog.timestamps import time_of
from projections.job_choice import Job

KEPT: Final = timedelta(days=7)
"""How long observations are kept."""

_INPUTS: Final = """
select distinct j.job_name, j.job_id, p.system_name, p.stream_name, p.partition_id
from unnest(%s::text[], %s::text[]) w(job_name, job_id)
join projection.current_job j using (job_name, job_id)
cross join lateral projection.task_position(j.coordinator_log, j.checkpoint_log) p
order by 1, 2, 3, 4, 5
"""
_INSERT: Final = """
insert into eventlog.input_bound
  (job_suffix, system_name, stream_name, partition_id, oldest_offset, end_offset, end_record_time, observed_at)
select j.job_suffix, b.*, %s
from projection.current_job j,
     unnest(%s::text[], %s::text[], %s::integer[], %s::bigint[], %s::bigint[], %s::timestamptz[]) b
where j.job_name = %s and j.job_id = %s
on conflict do nothing
"""
_DELETE_OLD: Final = "delete from eventlog.input_bound where observed_at < %s"


def input_partitions(connection: Connection, jobs: Sequence[Job]) -> dict[Job, list[SystemStreamPartition]]:
    """The partitions that the tasks of each job read, by the job's names for its systems, in order."""
    found: dict[Job, list[SystemStreamPartition]] = {job: [] for job in jobs}
    of_jobs = [job.name for job in jobs], [job.id for job in jobs]
    for name, job_id, *partition in connection.execute(_INPUTS, of_jobs).fetchall():
        found[Job(name, job_id)].append(SystemStreamPartition(*partition))
    return found


def store_bounds(
    connection: Connection,
    job_name: str,
    job_id: str,
    wanted: Iterable[SystemStreamPartition],
    answers: Mapping[str, Iterable[PartitionBounds]],
    observed_at: datetime,
) -> None:
    """Store one observation of a job's inputs. Partitions that no system answered for are stored as unknown.

    ``answers`` are those of each input system, which may have partitions that no task reads yet.
    """
    found = {
        SystemStreamPartition(system, bounds.stream_name, bounds.partition): bounds
        for system, known in answers.items()
        for bounds in known
    }
    rows = [
        (each.system, each.stream, each.partition, *_bounds(found.get(each)))
        for each in dict.fromkeys([*wanted, *found])
    ]
    columns = list(map(list, zip(*rows, strict=True))) or [[]] * 6
    connection.execute(_INSERT, (observed_at, *columns, job_name, job_id))


def delete_old_bounds(connection: Connection, now: datetime) -> None:
    connection.execute(_DELETE_OLD, (now - KEPT,))


def _bounds(known: PartitionBounds | None) -> tuple[int | None, int | None, datetime | None]:
    if known is None:
        return None, None, None
    time = None if known.newest_time is None else time_of(known.newest_time)
    return known.oldest_offset, known.end_offset, time
