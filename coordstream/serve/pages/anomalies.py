"""The page of a job's anomalies."""

from typing import Final

from psycopg import sql

from coordstream.queries.rows import Row, fetch, job_values
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.job import job_head
from eventlog.postgres.connection import Connection

MOST_ANOMALIES: Final = 200

_NOW: Final = sql.SQL("coordinator.anomaly")
_AS_OF: Final = sql.SQL("coordinator.anomaly_between(%(name)s, %(id)s, null, %(at)s)")
_NEWEST: Final = sql.SQL(
    """
    select a.* from {source} a where a.job_name = %(name)s and a.job_id = %(id)s
    order by a.record_time desc nulls last, a.stream_kind, a.incarnation desc, a.log_offset desc, a.anomaly, a.subject
    limit %(limit)s
    """
)


def anomalies_page(connection: Connection, asked: Asked) -> Row:
    """The newest anomalies of a job."""
    job, head = job_head(connection, asked)
    query = _NEWEST.format(source=_NOW if asked.cut.time is None else _AS_OF)
    rows = fetch(connection, query, {**job_values(job), "at": asked.cut.time, "limit": MOST_ANOMALIES})
    return head | {"anomalies": rows, "most": MOST_ANOMALIES}
