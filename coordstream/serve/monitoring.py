"""/readyz and /metrics: the state of logs, tasks and jobs, each from one snapshot of the database."""

import math
from collections.abc import Iterable, Iterator
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from psycopg import sql
from psycopg.errors import QueryCanceled
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from coordstream.database import SchemaState, schema_state
from coordstream.queries.faults import Limits, faults, is_to_rebuild
from coordstream.queries.logs import recorded_logs, silent_holders
from coordstream.queries.rows import Row, fetch
from coordstream.serve.application import RETRY_SECONDS
from coordstream.serve.database import snapshot
from coordstream.serve.process import metrics_response
from eventlog.postgres.connection import Connection
from eventlog.source import RECORDING
from projections.retired_streams import retired_jobs

ANOTHER_VERSION: Final = (
    "The schema of the database is that of another version of coordstream. Restart this server with that version."
)
MOST_REASONS: Final = 20
BUDGET_SECONDS: Final = 1.0
JOB: Final = ("job_name", "job_id")
LOG: Final = (*JOB, "stream_name", "stream_kind")
TASK: Final = (*JOB, "task_name")
JobKey = tuple[str, str]

# As in the relation checkpoint: from the checkpoint topic if the job has one, and of one grouper, here that of the
# newest commit. The keys of other groupers and of the other log stay forever.
_COMMITS: Final = sql.SQL("""
with head as (
  select j.job_name, j.job_id, k.message_key as task_name, k.grouper_factory, c.record_time, c.log_offset
  from projection.current_job j
  join projection.checkpoint_current c on c.log_id = coalesce(j.checkpoint_log, j.coordinator_log)
  join projection.event_key k on k.log_id = c.log_id and k.key_id = c.key_id
  where c.layout_id is not null and k.message_key is not null
), newest as (
  select distinct on (h.job_name, h.job_id) h.job_name, h.job_id, h.grouper_factory
  from head h order by h.job_name, h.job_id, h.log_offset desc
)
select h.job_name, h.job_id, h.task_name,
       greatest(extract(epoch from now() - max(h.record_time)), 0)::float8 as age_seconds
from head h join newest n using (job_name, job_id)
where h.grouper_factory is not distinct from n.grouper_factory
group by h.job_name, h.job_id, h.task_name
having max(h.record_time) is not null
""")
_OBSERVED: Final = sql.SQL("select distinct b.job_name, b.job_id from coordinator.input_bound b")
_LAGS: Final = sql.SQL("""
select l.job_name, l.job_id, l.task_name,
       case when count(*) = count(l.records_behind) then sum(l.records_behind)::float8 end as records,
       case when count(*) = count(l.seconds_behind) then max(l.seconds_behind)::float8 end as seconds
from coordinator.task_lag l
where l.job_name = %(job_name)s and l.job_id = %(job_id)s
group by l.job_name, l.job_id, l.task_name
""")
_METADATA_CHANGES: Final = sql.SQL("""
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
""")
_FOLDED: Final = sql.SQL("select distinct j.job_name, j.job_id from projection.job_log j")
_ANOMALIES: Final = sql.SQL("""
select a.job_name, a.job_id, a.anomaly, count(*) as anomalies from coordinator.anomaly a
where a.job_name = %(job_name)s and a.job_id = %(job_id)s
group by a.job_name, a.job_id, a.anomaly
""")


class Readiness(NamedTuple):
    """The newest log of each stream, with the sentences about what is wrong with it; and those about no log."""

    logs: list[tuple[Row, list[str]]]
    others: list[str]

    @property
    def reasons(self) -> list[str]:
        return [*self.others, *(reason for _, reasons in self.logs for reason in reasons)]


def readiness(connection: Connection, most_lag: int) -> Readiness:
    """Whether every log is followed, and has been read to ``most_lag`` offsets before its end.

    The brokers are not asked: a follower writes what it sees of them with each heartbeat.
    """
    if schema_state(connection) is not SchemaState.CURRENT:
        return Readiness([], [ANOTHER_VERSION])
    limits = Limits(most_lag, must_be_live=True)
    silent = silent_holders(connection)
    logs = [(row, _reasons(row, limits, silent)) for row in recorded_logs(connection) if row["is_newest"]]
    return Readiness(logs, [] if logs else [*faults([], limits)])


def _reasons(row: Row, limits: Limits, silent: dict[str, str]) -> list[str]:
    found = [*faults([row], limits), *filter(None, [silent.get(row["stream_name"])])]
    return [*found, f"{row['stream_name']} has to be rebuilt."] if is_to_rebuild(row) else found


def answer_readiness(request: Request) -> JSONResponse:
    """200 if ready, else 503 with reasons; without the token, only with their number."""
    with snapshot(request) as connection:
        reasons = readiness(connection, request.app.state.ready_lag).reasons
    answer: dict[str, object] = {"is_ready": not reasons, "reason_count": len(reasons)}
    if request.state.is_authorized:
        answer["reasons"] = reasons[:MOST_REASONS]
    if not reasons:
        return JSONResponse(answer)
    return JSONResponse(answer, 503, {"Retry-After": str(RETRY_SECONDS)})


class RowsByJob:
    """The rows of a query about one job, for all jobs: for all at once, some relations take minutes.

    Each call reads at least one job, and others for ``BUDGET_SECONDS``, those first that were read longest ago. Of the
    others, the rows are older. Not thread-safe.
    """

    def __init__(self, query: sql.SQL) -> None:
        """``query`` has the parameters ``job_name`` and ``job_id``."""
        self._query: Final = query
        self._rows: dict[JobKey, list[Row]] = {}
        self.waiting: int = 0
        """How many jobs have not been read yet."""

    def read(self, connection: Connection, jobs: set[JobKey]) -> list[Row]:
        """The rows of these jobs. Called in a transaction."""
        self._rows = {job: rows for job, rows in self._rows.items() if job in jobs}
        queue = [*sorted(jobs - self._rows.keys()), *self._rows]
        end = monotonic() + BUDGET_SECONDS
        for job in queue:
            self._rows[job] = self._fetch(connection, job, self._rows.pop(job, []))
            if monotonic() >= end:
                break
        self.waiting = len(jobs) - len(self._rows)
        return [row for rows in self._rows.values() for row in rows]

    def _fetch(self, connection: Connection, job: JobKey, known: list[Row]) -> list[Row]:
        """The rows of a job; the known ones if the query takes longer than a query may."""
        try:
            with connection.transaction():
                return fetch(connection, self._query, {"job_name": job[0], "job_id": job[1]})
        except QueryCanceled:
            return known


class Metrics:
    """The metrics of a database. Those that are read job by job are kept between scrapes."""

    def __init__(self, most_lag: int) -> None:
        """``most_lag``: see `readiness`."""
        self._most_lag: Final = most_lag
        self._lags: Final = RowsByJob(_LAGS)
        self._anomalies: Final = RowsByJob(_ANOMALIES)
        self._lock: Final = Lock()

    def answer(self, request: Request) -> Response:
        with self._lock, snapshot(request) as connection:
            return metrics_response(self._families(connection))

    def _families(self, connection: Connection) -> Iterator[Metric]:
        ready = readiness(connection, self._most_lag)
        yield GaugeMetricFamily("coordstream_ready", "1 if /readyz is ready, else 0", not ready.reasons)
        yield from _of_logs(ready)
        retired = retired_jobs(connection)
        commits = [row for row in fetch(connection, _COMMITS) if _job(row) not in retired]
        lags = self._lags.read(connection, {_job(row) for row in fetch(connection, _OBSERVED)} - retired)
        yield _gauge("task_last_commit_age_seconds", "Age of the task's last checkpoint", TASK, commits, "age_seconds")
        yield _gauge("task_lag_records", "Records behind the inputs' ends, NaN if unknown", TASK, lags, "records")
        yield _gauge(
            "task_lag_seconds",
            "How long the next record has waited, or longer; NaN if unknown",
            TASK,
            lags,
            "seconds",
        )
        yield _metadata_changes(connection)
        anomalies = self._anomalies.read(connection, {_job(row) for row in fetch(connection, _FOLDED)})
        yield _gauge("job_anomalies", "Inconsistencies in the job's logs", (*JOB, "anomaly"), anomalies, "anomalies")
        waiting = [
            {"metric": "coordstream_job_anomalies", "jobs": self._anomalies.waiting},
            {"metric": "coordstream_task_lag", "jobs": self._lags.waiting},
        ]
        yield _gauge("jobs_waiting", "Jobs without values of a metric yet", ("metric",), waiting, "jobs")


def _of_logs(ready: Readiness) -> Iterator[Metric]:
    rows = [row | {"is_ready": not reasons, "one": 1} for row, reasons in ready.logs]
    followed = [row for row in rows if row["backend"] != RECORDING and row["heartbeat_age_seconds"] is not None]
    yield _gauge("log_ready", "1 if the log is followed and read to its end, else 0", LOG, rows, "is_ready")
    yield _gauge("log_state", "1 for the state that the log has", (*LOG, "state"), rows, "one")
    yield _gauge("log_lag_offsets", "Offsets from the position to the log's end, NaN if unknown", LOG, rows, "lag")
    yield _gauge("log_next_offset", "The next offset to fold", LOG, rows, "next_offset")
    yield _gauge(
        "log_heartbeat_age_seconds", "Age of the follower's last heartbeat", LOG, followed, "heartbeat_age_seconds"
    )
    yield _gauge("log_quarantined_events", "Events that cannot be decoded", LOG, rows, "quarantine_open")
    yield _gauge("log_gaps", "Ranges of offsets missing from the archive", LOG, rows, "gap_count")


def _metadata_changes(connection: Connection) -> Metric:
    family = CounterMetricFamily(
        "coordstream_job_metadata_changes", "Changes of the job coordinator's metadata", labels=(*JOB, "change")
    )
    for row in fetch(connection, _METADATA_CHANGES):
        family.add_metric([row[name] for name in (*JOB, "change")], row["changes"])
    return family


def _job(row: Row) -> JobKey:
    return row["job_name"], row["job_id"]


def _gauge(name: str, help_text: str, labels: tuple[str, ...], rows: Iterable[Row], value: str) -> Metric:
    family = GaugeMetricFamily(f"coordstream_{name}", help_text, labels=labels)
    for row in rows:
        family.add_metric([row[label] for label in labels], math.nan if row[value] is None else float(row[value]))
    return family
