"""/metrics: the state of logs, tasks and jobs for Prometheus, from one snapshot of the database."""

import math
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from psycopg import sql
from starlette.requests import Request
from starlette.responses import Response

from coordstream.queries.rows import Row, fetch
from coordstream.serve.in_turns import InTurns, JobKey
from coordstream.serve.readiness import Readiness, readiness
from eventlog.postgres.connection import Connection
from eventlog.source import RECORDING
from projections.retired_streams import retired_jobs

TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
JOB: Final = ("job_name", "job_id")
LOG: Final = (*JOB, "stream_name", "stream_kind")
TASK: Final = (*JOB, "task_name")

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
# Rows of the same events differ after a rebuild or a retention.
_FOLDED: Final = sql.SQL("""
select j.job_name, j.job_id, p.log_id, p.next_offset, p.rebuilds
from projection.position p join projection.job_log j using (log_id)
""")
_ANOMALIES: Final = sql.SQL("""
select a.job_name, a.job_id, a.anomaly, count(*) as anomalies from coordinator.anomaly a
where a.job_name = %(job_name)s and a.job_id = %(job_id)s
group by a.job_name, a.job_id, a.anomaly
""")


class Metrics:
    """The metrics of a database. Not thread-safe: those that are read job by job are kept between scrapes."""

    def __init__(self, most_lag: int) -> None:
        """``most_lag``: see `readiness`."""
        self._most_lag: Final = most_lag
        self._lags: Final = InTurns(_LAGS)
        self._anomalies: Final = InTurns(_ANOMALIES)

    def render(self, connection: Connection) -> bytes:
        """All metrics in Prometheus' text format."""
        return exposed(self._families(connection))

    def _families(self, connection: Connection) -> Iterator[Metric]:
        ready = readiness(connection, self._most_lag)
        yield GaugeMetricFamily("coordstream_ready", "1 if /readyz is ready, else 0", not ready.reasons)
        yield from _of_logs(ready)
        yield from self._of_tasks(connection)
        yield _metadata_changes(connection)
        yield from self._in_turns(connection)

    def _of_tasks(self, connection: Connection) -> Iterator[Metric]:
        retired = retired_jobs(connection)
        commits = [row for row in fetch(connection, _COMMITS) if _job(row) not in retired]
        observed = {job: monotonic() for job in map(_job, fetch(connection, _OBSERVED)) if job not in retired}
        lags = self._lags.read(connection, observed)
        yield _gauge("task_last_commit_age_seconds", "Age of the task's last checkpoint", TASK, commits, "age_seconds")
        yield _gauge("task_lag_records", "Records behind the inputs' ends, NaN if unknown", TASK, lags, "records")
        yield _gauge("task_lag_seconds", "How long the next record has waited, NaN if unknown", TASK, lags, "seconds")

    def _in_turns(self, connection: Connection) -> Iterator[Metric]:
        anomalies = self._anomalies.read(connection, _folded(connection))
        yield _gauge("job_anomalies", "Inconsistencies in the job's logs", (*JOB, "anomaly"), anomalies, "anomalies")
        waiting = [
            {"metric": "coordstream_job_anomalies", "jobs": self._anomalies.waiting},
            {"metric": "coordstream_task_lag", "jobs": self._lags.waiting},
        ]
        yield _gauge("jobs_waiting", "Jobs with older or no values of a metric", ("metric",), waiting, "jobs")


def exposed(families: Iterable[Metric]) -> bytes:
    """Metrics, and those of this process, in Prometheus' text format."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_Families(families))
    return generate_latest(registry)


async def answer_metrics(request: Request) -> Response:
    """The metrics; those who ask within a second of each other get the same snapshot."""
    text: bytes = await request.app.state.metrics.get()
    return Response(text, headers={"Content-Type": TEXT_FORMAT})


class _Families(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        return self._families


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


def _folded(connection: Connection) -> dict[JobKey, frozenset[tuple[int, int, int]]]:
    """What is folded of the logs of each job: while that stays the same, so do its anomalies."""
    found: dict[JobKey, set[tuple[int, int, int]]] = {}
    for row in fetch(connection, _FOLDED):
        found.setdefault(_job(row), set()).add((row["log_id"], row["next_offset"], row["rebuilds"]))
    return {job: frozenset(logs) for job, logs in found.items()}


def _job(row: Row) -> JobKey:
    return row["job_name"], row["job_id"]


def _gauge(name: str, help_text: str, labels: tuple[str, ...], rows: Iterable[Row], value: str) -> Metric:
    family = GaugeMetricFamily(f"coordstream_{name}", help_text, labels=labels)
    for row in rows:
        family.add_metric([row[label] for label in labels], math.nan if row[value] is None else float(row[value]))
    return family
