"""Why a task starts where it does: the steps of ``coordinator.explain``, in words."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Final

from psycopg import sql

from coordstream.queries.config import writer
from coordstream.queries.rows import (
    PARTITION,
    Cut,
    Row,
    cut_values,
    fetch,
    input_partition,
    job_values,
    of_job,
    printable,
)
from coordstream.queries.startpoints import describe_place
from coordstream.times import moment
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

_STEPS: Final = sql.SQL("select * from coordinator.explain(%(name)s, %(id)s, %(task)s, %(at)s)")
# records of compaction and transactions count: offsets are compared, inputs are not read
_NEXT_START: Final = sql.SQL("""
select s.job_name, s.job_id, s.task_name, s.system_name, s.stream_name, s.partition_id, s.key_bucket, s.decided_by,
  s.startpoint_type, s.startpoint_value, s.starting_offset, c.input_offset, n.next_offset,
  case when n.skipped is not null then greatest(-n.skipped, 0) end as records_again,
  case when n.skipped is not null then greatest(n.skipped, 0) end as records_skipped, s.ignored_reason
from ({starting_offset}) s
left join ({checkpoint}) c
  on (c.job_name, c.job_id, c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket)
   = (s.job_name, s.job_id, s.task_name, s.system_name, s.stream_name, s.partition_id, s.key_bucket)
left join lateral (
  select b.oldest_offset, b.end_offset from coordinator.input_bound b
  where (b.job_name, b.job_id) = (s.job_name, s.job_id) and b.system_name = s.system_name
    and b.stream_name = s.stream_name and b.partition_id = s.partition_id
    and (%(time)s::timestamptz is null or b.observed_at <= %(time)s)
  order by b.observed_at desc limit 1) b on true
cross join lateral (
  select projection.next_offset(c.input_offset_number) as next_offset,
    case when s.decided_by = 'checkpoint' then projection.next_offset(c.input_offset_number)
         when s.startpoint_type = 'oldest' then b.oldest_offset when s.startpoint_type = 'upcoming' then b.end_offset
         else projection.offset_number(s.starting_offset) end
      - projection.next_offset(c.input_offset_number) as skipped) n
""")
_LOGS: Final = {"coordinator": "coordinator stream", "checkpoint": "checkpoint topic"}


def next_start(connection: Connection, job: Job, at: datetime | None) -> list[Row]:
    """Where each partition of each task of a job would start, as of a time or now, and what that costs.

    ``next_offset`` is where the task is. ``records_again`` and ``records_skipped`` are null if the task has no
    checkpoint, or if only the input knows where the start is and nobody has observed it.
    """
    cut = Cut(at)
    query = _NEXT_START.format(**{name: of_job(name, cut) for name in ("starting_offset", "checkpoint")})
    return fetch(connection, query, cut_values(job, cut))


def explain_task(connection: Connection, job: Job, task: str, at: datetime | None) -> list[Row]:
    """The steps of each input partition of a task, as of a time or now; none if the job has no such task."""
    return fetch(connection, _STEPS, {**job_values(job), "task": task, "at": at})


def explained(steps: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """For each input partition: where it starts, as a sentence, and the steps of that decision."""
    partitions = [list(rows) for _, rows in groupby(steps, key=itemgetter(*PARTITION))]
    return [(_conclusion(rows), rows) for rows in partitions]


def _conclusion(steps: Sequence[Row]) -> str:
    """Where a partition starts, what decides that, and whether the assignment had to be assumed.

    ``steps`` are the partition's rows, in their order.
    """
    partition = printable(input_partition(steps[0]))
    winner = next((step for step in steps if step["outcome"] == "wins"), None)
    if winner is None:
        return f"{partition} is not read: {_reason(steps[0])}."
    place = describe_place(winner["candidate"])
    assumed = f" Not assigned: {_reason(steps[0])}." if steps[0]["rule"] == "input" else ""
    return f"{partition} starts {place}. The {winner['rule']} decides: {_reason(winner)}.{assumed}"


def event(step: Row) -> str | None:
    """The event behind a step: its log and offset, when it was written, and by whom; None if there is none."""
    if step["log_offset"] is None:
        return None
    written = f"{moment(step['record_time'])} UTC" if step["record_time"] else "time not recorded"
    return ", ".join(filter(None, [f"{_LOGS[step['stream_kind']]} {step['log_offset']}", written, writer(step)]))


def _reason(step: Row) -> str:
    """The reason without its code, and the event behind it."""
    source, reason = event(step), step["reason"].partition(": ")[2]
    return printable(reason) if source is None else f"{printable(reason)} ({printable(source)})"
