"""Where a job's tasks run, what they read, how far they are, where they would start."""

from typing import Final

from psycopg import sql

from coordstream.queries.rows import Cut, Row, cut_values, fetch, of_job
from coordstream.queries.startpoints import type_and_value
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

_RELATIONS: Final = (
    "task_container",
    "task_mode",
    "changelog_mapping",
    "task_partition",
    "checkpoint",
    "container_host",
    "container_execution",
    "starting_offset",
)
_TASKS: Final = sql.SQL("""
select t.*, h.host_name, e.execution_container_id
from (
  select n.task_name, max(n.container_id) as container_id, max(n.task_mode) as task_mode,
    max(n.changelog_partition) as changelog_partition, count(n.partition_id) as partition_count,
    max(n.checkpoint_time) as checkpoint_time
  from (
    select c.task_name, c.container_id, null::text as task_mode, null::integer as changelog_partition,
      null::integer as partition_id, null::timestamptz as checkpoint_time from ({task_container}) c
    union all select m.task_name, null, m.task_mode, null, null, null from ({task_mode}) m
    union all select l.task_name, null, null, l.changelog_partition, null, null from ({changelog_mapping}) l
    union all select p.task_name, null, null, null, p.partition_id, null from ({task_partition}) p
    union all select k.task_name, null, null, null, null, k.record_time from ({checkpoint}) k) n
  group by n.task_name) t
left join ({container_host}) h using (container_id)
left join ({container_execution}) e using (container_id)
""")
_PARTITIONS: Final = sql.SQL("""
select system_name, stream_name, partition_id, key_bucket, p.task_name is not null as is_assigned, k.input_offset,
  k.checkpoint_version, k.record_time as checkpoint_time,
  s.decided_by, s.startpoint_type, s.startpoint_value, s.starting_offset, s.ignored_reason
from (select * from ({task_partition}) p where p.task_name = %(task)s) p
full join (select * from ({checkpoint}) k where k.task_name = %(task)s) k
  using (system_name, stream_name, partition_id, key_bucket)
full join (select * from ({starting_offset}) s where s.task_name = %(task)s) s
  using (system_name, stream_name, partition_id, key_bucket)
order by system_name collate "C", stream_name collate "C", partition_id, key_bucket
""")


def task_rows(connection: Connection, job: Job, cut: Cut) -> list[Row]:
    """A row for each task of a job that any relation names; unknown values are null.

    ``partition_count`` is the number of assigned partitions, ``checkpoint_time`` the record time of the checkpoint.
    """
    return _fetch(connection, _TASKS, job, cut)


def task_partitions(connection: Connection, job: Job, task: str, cut: Cut) -> list[Row]:
    """A row for each partition that a task is assigned, has a checkpoint of, or would start."""
    return _fetch(connection, _PARTITIONS, job, cut, task=task)


def _fetch(connection: Connection, query: sql.SQL, job: Job, cut: Cut, **values: str) -> list[Row]:
    relations = {name: of_job(name, cut) for name in _RELATIONS}
    return fetch(connection, query.format(**relations), {**cut_values(job, cut), **values})


def start(row: Row) -> str | None:
    """Where a task would start a partition, and by which rule, such as ``20 (checkpoint)``."""
    if row["decided_by"] is None:
        return None
    place = f"after {row['input_offset']}" if row["startpoint_type"] is None else type_and_value(row)
    return f"{row['starting_offset'] or place} ({row['decided_by']})"
