"""The pages of a job: its logs and tasks, its config, deployments, startpoints and anomalies."""

from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Final

from psycopg import sql

from coordstream.queries.config import differences, matching, matching_keys, newest_deployments, writer
from coordstream.queries.history import History, select_history
from coordstream.queries.jobs import task_statuses
from coordstream.queries.rows import Cut, Row, fetch, job_values, outside, state
from coordstream.queries.startpoints import startpoint_steps, type_and_value
from coordstream.queries.tasks import task_rows
from coordstream.serve.pages.asked import Asked, page_of
from coordstream.times import as_datetime
from eventlog.partition import natural_order
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 100

_LOGS: Final = sql.SQL("""
select * from projection.log_status
where job_name = %(name)s and job_id = %(id)s and is_newest order by stream_kind desc
""")
_IS_OBSERVED: Final = """
select exists (select from projection.job_log j join projection.observed_input o using (job_suffix)
               where j.job_name = %s and j.job_id = %s)
"""
_RETAINED: Final = "select * from projection.job_at(%s, %s, %s)"
_UNKNOWN_LAG: Final = {"records_behind": None, "seconds_behind": None, "is_lower_bound": None, "records_lost": None}
CONFIG_ROWS: Final = 200
MOST_CHANGES: Final = 50
MOST_DEPLOYMENTS: Final = 100
MOST_STEPS: Final = 100
MOST_ANOMALIES: Final = 200
_ANOMALIES: Final = sql.SQL("coordinator.anomaly")
_ANOMALIES_AS_OF: Final = sql.SQL("coordinator.anomaly_between(%(name)s, %(id)s, null, %(at)s)")
_NEWEST_ANOMALIES: Final = sql.SQL("""
select a.* from {source} a where a.job_name = %(name)s and a.job_id = %(id)s
order by a.record_time desc nulls last, a.stream_kind, a.incarnation desc, a.log_offset desc, a.anomaly, a.subject
limit %(limit)s
""")


def job_head(connection: Connection, asked: Asked) -> tuple[Job, Row]:
    """The job of a request, and what every page of it shows. Raises psycopg.DataError for a time before the horizon."""
    job = asked.job(connection)
    connection.execute(_RETAINED, (*job, asked.cut.time))
    return job, {"job": job, "early": outside(connection, job, asked.cut)}


def job_page(connection: Connection, asked: Asked) -> Row:
    job, head = job_head(connection, asked)
    lag = {} if asked.cut.time else _lag(connection, job)
    tasks = [task | lag.get(task["task_name"], _UNKNOWN_LAG) for task in task_rows(connection, job, asked.cut)]
    search = asked.text("q")
    tasks.sort(key=lambda task: natural_order(task["task_name"]))
    shown = [task for task in tasks if search is None or search.casefold() in task["task_name"].casefold()]
    # what is unknown first, then the largest lag
    shown.sort(key=lambda task: (task["records_behind"] is not None, -(task["records_behind"] or 0)) if lag else ())
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
    if connection.execute(_IS_OBSERVED, job).fetchone() == (False,):  # the plan of the next query takes 10 ms
        return {}
    rows = task_statuses(connection, job)
    is_observed = any(row["observed_at"] is not None for row in rows)
    return {row["task_name"]: {name: row[name] for name in _UNKNOWN_LAG} for row in rows if is_observed}


def config_page(connection: Connection, asked: Asked) -> Row:
    """The config of a job, with fingerprints instead of secrets."""
    job, head = job_head(connection, asked)
    pattern, from_time = asked.text("key"), asked.time("from")
    rows = state(connection, "config", job, asked.cut)
    shown = sorted(matching(rows, pattern), key=lambda row: str(row["config_key"]))
    earlier = [] if from_time is None else matching(state(connection, "config", job, Cut(from_time)), pattern)
    return head | {
        "early": f"{head['early']} {outside(connection, job, Cut(from_time))}".strip(),
        "pattern": pattern,
        "from_time": from_time,
        "differences": None if from_time is None else list(differences(earlier, shown)),
        "page": page_of(shown, asked.page_number, CONFIG_ROWS),
        "changes": _changes(connection, job, asked.cut, pattern),
        "writer": writer,
        "key_count": len(rows),
    }


def _changes(connection: Connection, job: Job, cut: Cut, pattern: str | None) -> list[Row]:
    keys = None if pattern is None else matching_keys(connection, job, pattern)
    history = History("config_change", cut=cut, limit=MOST_CHANGES, equal={"config_key": keys})
    return list(select_history(connection, job, history))[::-1]


def deployments_page(connection: Connection, asked: Asked) -> Row:
    """The newest deployments of a job, by run: the newest run first."""
    job, head = job_head(connection, asked)
    rows = newest_deployments(connection, job, until=asked.cut.time, limit=MOST_DEPLOYMENTS)[::-1]
    deployments = [row | {"before": _before(row)} for row in rows]
    runs = [(number, list(found)) for number, found in groupby(deployments, key=itemgetter("run_number"))]
    return head | {"runs": runs, "writer": writer, "is_cut": len(rows) == MOST_DEPLOYMENTS, "most": MOST_DEPLOYMENTS}


def _before(deployment: Row) -> str | None:
    """A millisecond before a deployment, to compare its config with that before; None if its time has no page."""
    first, last = (as_datetime(deployment[f"{end}_record_time"]) for end in ("first", "last"))
    if first is None or last is None:
        return None
    return (first - timedelta(milliseconds=1)).isoformat().replace("+00:00", "Z")


def startpoints_page(connection: Connection, asked: Asked) -> Row:
    job, head = job_head(connection, asked)
    requests = state(connection, "startpoint", job, asked.cut)
    fan_outs = state(connection, "startpoint_fan_out", job, asked.cut)
    return head | {
        "requests": sorted(requests, key=lambda row: int(row["log_offset"])),
        "fan_outs": sorted(fan_outs, key=lambda row: natural_order(row["task_name"])),
        "steps": startpoint_steps(connection, job, asked.cut.time, limit=MOST_STEPS)[::-1],
        "most": MOST_STEPS,
        "place": type_and_value,
    }


def anomalies_page(connection: Connection, asked: Asked) -> Row:
    job, head = job_head(connection, asked)
    query = _NEWEST_ANOMALIES.format(source=_ANOMALIES if asked.cut.time is None else _ANOMALIES_AS_OF)
    rows = fetch(connection, query, {**job_values(job), "at": asked.cut.time, "limit": MOST_ANOMALIES})
    return head | {"anomalies": rows, "most": MOST_ANOMALIES}
