"""The page of a job: its logs, and its tasks with their lag."""

from typing import Final

from psycopg import sql

from coordstream.queries.cut import too_early
from coordstream.queries.rows import Row, fetch, job_values, state
from coordstream.queries.tasks import task_relations, task_rows
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.paging import page_of
from eventlog.partition import natural_order
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 100

_LOGS: Final = sql.SQL(
    """
    select * from projection.log_status
    where job_name = %(name)s and job_id = %(id)s and is_newest order by stream_kind desc
    """
)
_IS_OBSERVED: Final = sql.SQL(
    "select exists (select from coordinator.input_bound where job_name = %(name)s and job_id = %(id)s) as is_observed"
)
_LAG: Final = sql.SQL(
    """
    select task_name, case when count(*) = count(records_behind) then sum(records_behind)::bigint end as records_behind,
      case when count(*) = count(seconds_behind) then max(seconds_behind) end as seconds_behind,
      nullif(sum(records_lost), 0)::bigint as records_lost
    from coordinator.task_lag where job_name = %(name)s and job_id = %(id)s group by task_name
    """
)
_UNKNOWN_LAG: Final = {"records_behind": None, "seconds_behind": None, "records_lost": None}


def job_head(connection: Connection, asked: Asked) -> tuple[Job, Row]:
    """The job of a request, and what every page of it shows."""
    job = asked.job(connection)
    return job, {"job": job, "early": too_early(connection, job, asked.cut)}


def job_page(connection: Connection, asked: Asked) -> Row:
    """The logs and the tasks of a job."""
    job, head = job_head(connection, asked)
    lag = {} if asked.cut.time else _lag(connection, job)
    tasks = [
        task | lag.get(task["task_name"], _UNKNOWN_LAG)
        for task in task_rows(task_relations(connection, job, asked.cut))
    ]
    search = asked.text("q")
    shown = [task for task in tasks if search is None or search.casefold() in task["task_name"].casefold()]
    shown.sort(key=lambda task: natural_order(task["task_name"]))
    return head | {
        "logs": [] if asked.cut.time else fetch(connection, _LOGS, job_values(job)),
        "page": page_of(shown, asked.page_number, PAGE_ROWS),
        "search": search,
        "task_count": len(tasks),
        "metadata": state(connection, "job_coordinator_metadata", job, asked.cut),
        "is_observed": bool(lag),
    }


def _lag(connection: Connection, job: Job) -> dict[str, Row]:
    """The lag of each task; empty if nothing observes the inputs of the job."""
    (found,) = fetch(connection, _IS_OBSERVED, job_values(job))
    rows = fetch(connection, _LAG, job_values(job)) if found["is_observed"] else []
    return {row["task_name"]: row for row in rows}
