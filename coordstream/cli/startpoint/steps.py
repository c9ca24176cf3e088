"""The steps of startpoints, from their request to their end, chosen in the query."""

from datetime import datetime
from typing import Final

from psycopg import sql

from coordstream.cli.job.lookup import Job
from coordstream.cli.query.rows import Rows, fetch, job_values
from eventlog.postgres.connection import Connection

_NOW: Final = sql.SQL("coordinator.startpoint_history")
_AS_OF: Final = sql.SQL("coordinator.startpoint_history_as_of(%(name)s, %(id)s, %(as_of)s)")
# by time and not by offset: no event says that a startpoint expired, so that such a step has none
_STEPS: Final = sql.SQL(
    """
    select n.* from (
      select h.* from {source} h
      where h.job_name = %(name)s and h.job_id = %(id)s
        and (%(since)s::timestamptz is null or h.record_time >= %(since)s)
        and (%(until)s::timestamptz is null or h.record_time <= %(until)s)
      order by h.incarnation desc, h.record_time desc nulls last, h.log_offset desc nulls last, h.system_name desc,
        h.stream_name desc, h.partition_id desc, h.key_bucket desc, h.task_name desc nulls last,
        h.created_at desc, h.status desc
      limit %(limit)s) n
    order by n.incarnation, n.record_time nulls first, n.log_offset nulls first, n.system_name,
      n.stream_name, n.partition_id, n.key_bucket, n.task_name nulls first, n.created_at, n.status
    """
)


def startpoint_steps(
    connection: Connection,
    job: Job,
    as_of: datetime | None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
) -> Rows:
    """The steps of a job's startpoints by time, as of a time or now; the newest so many of them.

    ``since`` and ``until`` are held against the time of the step, both inclusive.
    """
    query = _STEPS.format(source=_NOW if as_of is None else _AS_OF)
    return fetch(connection, query, {**job_values(job), "as_of": as_of, "since": since, "until": until, "limit": limit})
