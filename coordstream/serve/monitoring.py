"""/readyz and /metrics: the state of logs, tasks and jobs, each from one snapshot of the database."""

import math
from collections.abc import Iterator
from threading import Lock, Thread
from time import monotonic
from typing import Final

import psycopg
from psycopg import sql
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from coordstream.database import SchemaState, schema_state
from coordstream.errors import CoordstreamError
from coordstream.metric_text import gauge, metric
from coordstream.queries.jobs import JobKey, job_key, job_states
from coordstream.queries.logs import Limits, faults, is_to_rebuild, recorded_logs, silent_holders
from coordstream.queries.rows import Row, fetch
from coordstream.serve.application import RETRY_SECONDS
from coordstream.serve.database import ReadPool, snapshot
from coordstream.serve.process import metrics_response
from eventlog.errors import by_cause
from eventlog.postgres.connection import Connection
from eventlog.source import RECORDING
from projections.retired_streams import retired_jobs

ANOTHER_VERSION: Final = (
    "The schema of the database is that of another version of coordstream. Restart this server with that version."
)
MOST_REASONS: Final = 20
BUDGET_SECONDS: Final = 1.0
WAIT_SECONDS: Final = 0.05
JOB: Final = ("job_name", "job_id")
LOG: Final = (*JOB, "stream_name", "stream_kind")
TASK: Final = (*JOB, "task_name")
_METRICS: Final = (
    ("log_state", "logs", (*LOG, "state"), "one", "1 for the state that the log has"),
    ("log_heartbeat_age_seconds", "followed", LOG, "heartbeat_age_seconds", "Age of the follower's last heartbeat"),
    ("log_ready", "logs", LOG, "is_ready", "1 if the log is followed and read to its end, else 0"),
    ("log_lag_offsets", "logs", LOG, "lag", "Offsets from the position to the log's end, NaN if unknown"),
    ("log_next_offset", "logs", LOG, "next_offset", "The next offset to fold"),
    ("log_quarantined_events", "logs", LOG, "quarantine_open", "Events that cannot be decoded"),
    ("log_gaps", "logs", LOG, "gap_count", "Ranges of offsets missing from the archive"),
    ("job_ok", "jobs", JOB, "is_ok", "0 if the job has a problem: silent, behind, unknown, or one of its logs"),
    ("job_state", "jobs", (*JOB, "state"), "one", "1 for the state that the job has"),
    ("task_last_commit_age_seconds", "commits", TASK, "commit_age_seconds", "Age of the task's last checkpoint"),
    ("task_lag_records", "lags", TASK, "records_behind", "Records behind the inputs' ends, NaN if unknown"),
    (
        "task_lag_seconds",
        "lags",
        TASK,
        "seconds_behind",
        "How long the next record has waited or longer, NaN if unknown",
    ),
    ("task_last_lag_records", "lags", TASK, "last_records_behind", "Records behind the ends that were last known"),
    ("task_lag_age_seconds", "lags", TASK, "lag_age_seconds", "Age of the oldest of these ends, NaN if there is none"),
    ("job_metadata_changes_total", "changes", (*JOB, "change"), "changes", "Changes of the job coordinator's metadata"),
    ("job_anomalies", "anomalies", (*JOB, "anomaly"), "anomalies", "Inconsistencies in the job's logs"),
)
"""The name of each metric, its rows (see `Metrics`), the columns of its labels and of its value, and its help."""
_CHANGES: Final = sql.SQL("""
select m.job_name, m.job_id, c.change, count(*) filter (where c.is_changed) as changes
from (
  select h.*, lag(h.epoch_id) over w as epoch_before, lag(h.job_model_id) over w as job_model_before,
         lag(h.config_id) over w as config_before
  from coordinator.job_coordinator_metadata_history h
  window w as (partition by h.job_name, h.job_id, h.incarnation, h.cluster_type order by h.log_offset)) m
cross join lateral (values
  ('NEW_DEPLOYMENT', m.epoch_id is distinct from m.epoch_before),
  ('JOB_MODEL', m.job_model_id is distinct from m.job_model_before),
  ('CONFIG', m.config_id is distinct from m.config_before)) c(change, is_changed)
where m.operation = 'set'
group by m.job_name, m.job_id, c.change
order by m.job_name, m.job_id, c.change
""")
ANOMALIES: Final = sql.SQL("""
select a.job_name, a.job_id, a.anomaly, count(*) as anomalies from coordinator.anomaly a
where a.job_bucket = %(bucket)s
group by a.job_name, a.job_id, a.anomaly
""")


def readiness(connection: Connection, most_lag: int) -> tuple[list[Row], list[tuple[str, str]]]:
    """The newest log of each stream, and what is wrong: sentences, after the names of their streams.

    A log should be followed, and have been read to ``most_lag`` offsets before its end. The brokers are not asked: a
    follower writes what it sees of them with each heartbeat.
    """
    if schema_state(connection) is not SchemaState.CURRENT:
        return [], [("", ANOTHER_VERSION)]
    silent = silent_holders(connection)
    logs = {row["stream_name"]: row for row in recorded_logs(connection) if row["is_newest"]}
    found = [*faults([*logs.values()], Limits(most_lag, must_be_live=True))]
    found += [(name, silent[name]) for name in logs if name in silent]
    found += [(name, f"{name} has to be rebuilt.") for name, row in logs.items() if is_to_rebuild(row)]
    return [*logs.values()], found


def answer_readiness(request: Request) -> JSONResponse:
    """200 if ready, else 503 with reasons; without the token, only with their number."""
    with snapshot(request) as connection:
        reasons = by_cause(readiness(connection, request.app.state.ready_lag)[1])
    answer: dict[str, object] = {"is_ready": not reasons, "reason_count": len(reasons)}
    if request.state.is_authorized:
        answer["reasons"] = reasons[:MOST_REASONS]
    if not reasons:
        return JSONResponse(answer)
    return JSONResponse(answer, 503, {"Retry-After": str(RETRY_SECONDS)})


class RowsByBucket:
    """The rows of a query about the jobs of a bucket, for all jobs: it reads histories, which scrapes do not wait for.

    Each call reads at least one bucket, and others for ``BUDGET_SECONDS``, in a thread; those first that were read
    longest ago. Of the others, the rows are older; those of a bucket that cannot be read are unknown.
    """

    def __init__(self, query: sql.SQL) -> None:
        """``query`` has the parameter ``bucket``."""
        self.lock: Final = Lock()
        self._query: Final = query
        self._rows: dict[int, list[Row] | None] = {}
        self._reader = Thread()

    def read(self, pool: ReadPool, buckets: set[int]) -> dict[int, list[Row]]:
        """The rows of these buckets, as far as they are known after ``WAIT_SECONDS``. To be called with the lock."""
        if not self._reader.is_alive():
            self._rows = {bucket: rows for bucket, rows in self._rows.items() if bucket in buckets}
            queue = [*sorted(buckets - self._rows.keys()), *self._rows]
            self._reader = Thread(target=self._read, args=(pool, queue), name="anomalies", daemon=True)
            self._reader.start()
        self._reader.join(WAIT_SECONDS)
        return {bucket: rows for bucket, rows in self._rows.items() if rows is not None}

    def _read(self, pool: ReadPool, queue: list[int]) -> None:
        end = monotonic() + BUDGET_SECONDS
        for bucket in queue:
            rows = None
            try:
                with pool.snapshot() as connection:
                    rows = fetch(connection, self._query, {"bucket": bucket})
            except CoordstreamError:  # the database is away, or the query takes longer than a query may
                pass
            except psycopg.Error:  # the pool is closed
                end = -math.inf
            others = {other: known for other, known in self._rows.items() if other != bucket}
            self._rows = others | {bucket: rows}
            if monotonic() >= end:
                break


def answer_metrics(request: Request) -> Response:
    """The metrics of the database."""
    with request.app.state.anomalies.lock, snapshot(request) as connection:
        return metrics_response(_families(connection, request.app.state))


def _families(connection: Connection, state: State) -> Iterator[str]:
    (newest, found), retired = readiness(connection, state.ready_lag), retired_jobs(connection)
    yield gauge("ready", "1 if /readyz is ready, else 0", not found)
    tasks = [row for row in state.tasks.statuses(connection) if job_key(row) not in retired]
    jobs_of: dict[int, set[JobKey]] = {}
    for log in newest:
        jobs_of.setdefault(log["job_bucket"], set()).add(job_key(log))
    anomalies = state.anomalies.read(state.pool, {*jobs_of})
    bad = {name for name, _ in found}
    logs = [row | {"is_ready": row["stream_name"] not in bad, "one": 1} for row in newest]
    observed = {job_key(row) for row in tasks if row["observed_at"] is not None}
    jobs = job_states(connection, newest, tasks, state.job_limits)
    rows_of = {
        "logs": logs,
        "followed": [row for row in logs if row["backend"] != RECORDING and row["heartbeat_age_seconds"] is not None],
        "jobs": [row | {"is_ok": not row["is_problem"], "one": 1} for row in jobs],
        "commits": [row for row in tasks if row["commit_time"] is not None],
        "lags": [row for row in tasks if row["partition_count"] is not None and job_key(row) in observed],
        "changes": fetch(connection, _CHANGES),
        "anomalies": [row for at, rows in anomalies.items() for row in rows if job_key(row) in jobs_of.get(at, ())],
    }
    for name, rows, labels, value, text in _METRICS:
        yield metric(name, text, labels, (([row[each] for each in labels], row[value]) for row in rows_of[rows]))
    waiting = sum(len(jobs) for bucket, jobs in jobs_of.items() if bucket not in anomalies)
    samples = [(["coordstream_job_anomalies"], waiting)]
    yield metric("jobs_waiting", "Jobs whose values of a metric are unknown", ("metric",), samples)
