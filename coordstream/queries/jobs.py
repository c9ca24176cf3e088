"""The state of each job: whether it commits, and how far it is behind its inputs. That of its logs is another question.

A job writes nothing when it stops, so its commits tell: a running task commits every ``task.commit.ms``.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from psycopg import sql

from coordstream.queries.logs import WORST_FIRST
from coordstream.queries.rows import Row, fetch, grouped, job_values
from coordstream.times import duration
from eventlog.config import ALIVE_COMMITS, commit_ms
from eventlog.errors import list_names
from eventlog.postgres.connection import Connection
from eventlog.source import RECORDING

JobKey = tuple[str, str]

STATES: Final = ("silent", "behind", "unknown", "committing", "stopped")
"""The states of a job, those that need attention first."""
PROBLEMS: Final = ("silent", "behind", "unknown")
LEAST_COMMIT_AGE: Final = 60.0
MOST_SECONDS_BEHIND: Final = 300.0
MOST_LAG_AGE: Final = 300.0
"""Where a limit of lag is set: how old an observation of the inputs may be."""
MOST_NAMES: Final = 3

_TASKS: Final = sql.SQL("""
select t.*, extract(epoch from now() - t.commit_time)::float8 as commit_age_seconds,
  extract(epoch from now() - coalesce(t.commit_time, t.assigned_at))::float8 as silent_seconds,
  extract(epoch from now() - t.last_known_at)::float8 as lag_age_seconds
from projection.task_status t
where {}
order by t.job_name, t.job_id, t.task_name
""")
_OF_ONE: Final = _TASKS.format(sql.SQL("t.job_name = %(name)s and t.job_id = %(id)s"))
_OF_SOME: Final = _TASKS.format(
    sql.SQL("(t.job_name, t.job_id) in (select * from unnest(%(names)s::text[], %(ids)s::text[]))")
)
_AGES: Final = ("commit_age_seconds", "silent_seconds", "lag_age_seconds")
_VERSIONS: Final = sql.SQL("""
select j.job_name, j.job_id, extract(epoch from now())::float8 as now,
  case when not bool_or(exists (select from projection.observed_input o where o.job_suffix = j.job_suffix))
    then string_agg(concat_ws(':', p.log_id, p.xmin), ' ' order by p.log_id) end as version
from projection.job_log j join projection.position p on p.log_id = j.log_id
where j.is_current
group by j.job_name, j.job_id  -- several streams, if their configs have the same name
order by j.job_name, j.job_id
""")
_COMMIT_MS: Final = sql.SQL("""
select c.job_name, c.job_id, c.config_value as value from coordinator.config c where c.config_key = 'task.commit.ms'
""")


class JobLimits(NamedTuple):
    """What a monitor allows: the age of a task's last commit, and how far a job may be behind.

    Without a limit of age: three times the job's ``task.commit.ms``, at least a minute. Without a limit of lag: five
    minutes, as far as the lag is known; with one, an unknown lag is a problem too.
    """

    commit_age_seconds: float | None = None
    lag_seconds: float | None = None
    lag_records: int | None = None


class Lag(NamedTuple):
    """The lag of several tasks: the sum of their records, null if one is unknown, and the longest time."""

    records_behind: int | None
    seconds_behind: int | None
    is_lower_bound: bool | None
    lag_age_seconds: float | None


def job_key(row: Row) -> JobKey:
    return row["job_name"], row["job_id"]


def task_statuses(connection: Connection, job: JobKey) -> list[Row]:
    """The tasks of a job that exist, with the ages of their last commits, and their lags."""
    return fetch(connection, _OF_ONE, job_values(job))


class KeptTasks(NamedTuple):
    """The tasks of a job, read at a time of the server in seconds since 1970.

    ``version``: the transactions that last wrote the positions of its logs; what changes its tasks writes one of them.
    None: its inputs are observed, too.
    """

    version: str | None
    read_at: float
    rows: Sequence[Row]


class FleetTasks:
    """The tasks of all jobs. Those of a job are kept until one of its logs moves; not if its inputs are observed."""

    def __init__(self) -> None:
        self._kept: dict[JobKey, KeptTasks] = {}

    def statuses(self, connection: Connection) -> list[Row]:
        """As `task_statuses`, of all jobs. May be called in several threads."""
        known = self._kept
        jobs = {job_key(row): row for row in fetch(connection, _VERSIONS)}
        kept = {job: known[job] for job, row in jobs.items() if job in known and known[job].version == row["version"]}
        changed = [job for job, row in jobs.items() if job not in kept or row["version"] is None]
        values = {"names": [name for name, _ in changed], "ids": [job_id for _, job_id in changed]}
        read = grouped(fetch(connection, _OF_SOME, values), "job_name", "job_id")
        kept |= {job: KeptTasks(jobs[job]["version"], jobs[job]["now"], read[job]) for job in changed}
        self._kept = kept
        return [task for job, row in jobs.items() for task in _aged(kept[job].rows, row["now"] - kept[job].read_at)]


def _aged(tasks: Sequence[Row], seconds: float) -> Sequence[Row]:
    if not seconds:
        return tasks
    return [task | {name: task[name] + seconds for name in _AGES if task[name] is not None} for task in tasks]


def job_states(connection: Connection, logs: Iterable[Row], tasks: Iterable[Row], limits: JobLimits) -> list[Row]:
    """A row for each job that has a log: its state and lag, and sums over its logs; sorted by name.

    ``logs`` are those of `logs.recorded_logs`, ``tasks`` those of `FleetTasks`, or of a job.
    """
    intervals = {job_key(row): row["value"] for row in fetch(connection, _COMMIT_MS)}
    tasks_of, logs_of = (grouped(rows, "job_name", "job_id") for rows in (tasks, logs))
    return [_job_row(job, logs_of[job], tasks_of[job], intervals.get(job), limits) for job in sorted(logs_of)]


def worst_first(job: Row) -> tuple[object, ...]:
    """A key to sort jobs by: problems first, then by their state and that of their logs, and the largest lag first."""
    log_place = len(WORST_FIRST) if job["log_state"] is None else WORST_FIRST.index(job["log_state"])
    return not job["is_problem"], STATES.index(job["state"]), log_place, -(job["seconds_behind"] or 0), job_key(job)


def _job_row(job: JobKey, logs: Sequence[Row], tasks: Sequence[Row], interval: str | None, limits: JobLimits) -> Row:
    of_logs, lag = sums(logs), lag_of(tasks)
    active = [task for task in tasks if not task["is_standby"]]
    if limits.commit_age_seconds is None:
        limits = limits._replace(commit_age_seconds=max(ALIVE_COMMITS * commit_ms(interval) / 1_000, LEAST_COMMIT_AGE))
    state, detail = state_of([log for log in logs if log["is_newest"]], active, lag, limits)
    times = [task["commit_time"] for task in active if task["commit_time"] is not None]
    has_bad_log = of_logs["log_state"] in ("lost", "refused") or of_logs["quarantine_open"] > 0
    return {
        "job_name": job[0],
        "job_id": job[1],
        "state": state,
        "state_detail": detail,
        "is_problem": state in PROBLEMS or has_bad_log,
        "last_commit_time": max(times, default=None),
        "commit_age_seconds": max((task["silent_seconds"] or 0 for task in active), default=None),
        **lag._asdict(),
        **of_logs,
    }


def sums(logs: Iterable[Row]) -> Row:
    """Totals over a job's logs. The lag is null if that of one log is unknown; replaced incarnations do not count."""
    known = list(logs)
    newest = [log for log in known if log["is_newest"]]
    lags = [log["lag"] for log in newest]
    return {
        "log_state": min((log["state"] for log in newest), key=WORST_FIRST.index, default=None),
        "log_lag": None if None in lags else sum(lags),
        "quarantine_open": sum(log["quarantine_open"] for log in known),
        "gap_count": sum(log["gap_count"] for log in known),
    }


def lag_of(tasks: Iterable[Row]) -> Lag:
    """The lag of several tasks; of a task that reads nothing, nothing is unknown."""
    reading = [task for task in tasks if task["partition_count"] is not None]
    seconds = [task["seconds_behind"] for task in reading if task["seconds_behind"] is not None]
    is_known = reading and all(task["records_behind"] is not None for task in reading)
    ages = [task["lag_age_seconds"] for task in reading if task["lag_age_seconds"] is not None]
    return Lag(
        sum(task["records_behind"] for task in reading) if is_known else None,
        max(seconds, default=None),
        any(task["is_lower_bound"] and task["seconds_behind"] == max(seconds) for task in reading) if seconds else None,
        max(ages, default=None),
    )


def state_of(logs: Sequence[Row], tasks: Sequence[Row], lag: Lag, limits: JobLimits) -> tuple[str, str | None]:
    """The state of a job, one of `STATES`, and a sentence about it without its full stop, or None.

    ``logs`` are the newest of each stream, ``tasks`` those that are not on standby.
    """
    followed = [log for log in logs if log["state"] != "retired" and log["backend"] != RECORDING]
    if not followed:
        return "stopped", next((log["state_detail"] for log in logs if log["state"] == "retired"), "recorded")
    for log in followed:
        if log["state"] != "live" or log["state_detail"] is not None:
            return "unknown", f"{log['stream_name']} is {_log_state(log)}"
    if not tasks:
        return "unknown", "no task is known"
    if fault := next(_commit_faults(tasks, limits.commit_age_seconds or LEAST_COMMIT_AGE), None):
        return fault
    return next(_lag_faults(tasks, lag, limits), ("committing", None))


def _log_state(log: Row) -> str:
    return log["state"] if log["state_detail"] is None else f"{log['state']}: {log['state_detail'].removesuffix('.')}"


def _commit_faults(tasks: Sequence[Row], most_seconds: float) -> Iterator[tuple[str, str]]:
    silent = [task for task in tasks if task["silent_seconds"] is not None and task["silent_seconds"] > most_seconds]
    if silent:
        least = duration(int(min(task["silent_seconds"] for task in silent)))
        if len(silent) == len(tasks):
            never = all(task["commit_time"] is None for task in tasks)
            yield "silent", f"never committed, assigned {least} ago" if never else f"no commit for {least}"
        names = list_names([task["task_name"] for task in silent], most=MOST_NAMES)
        yield "silent", f"{len(silent)} of {len(tasks)} tasks have not committed for {least}: {names}"
    if any(task["silent_seconds"] is None or task["silent_seconds"] < -LEAST_COMMIT_AGE for task in tasks):
        yield "unknown", "the time of a commit is unknown or in the future"
    if all(task["commit_time"] is None for task in tasks):
        yield "unknown", "has not committed yet"


def _lag_faults(tasks: Sequence[Row], lag: Lag, limits: JobLimits) -> Iterator[tuple[str, str]]:
    has_limit = limits.lag_seconds is not None or limits.lag_records is not None
    most_seconds = limits.lag_seconds if has_limit else MOST_SECONDS_BEHIND
    if most_seconds is not None and lag.seconds_behind is not None and lag.seconds_behind > most_seconds:
        yield "behind", f"{'over ' if lag.is_lower_bound else ''}{duration(lag.seconds_behind)} behind"
    records = sum(task["records_behind"] or 0 for task in tasks)
    if limits.lag_records is not None and records > limits.lag_records:
        yield "behind", f"{records:,} records behind"
    if has_limit and (lag.records_behind is None or (lag.lag_age_seconds or 0) > MOST_LAG_AGE):
        yield "unknown", "its lag is unknown"


NO_STATE: Final = _job_row(("", ""), (), (), None, JobLimits()) | {"state": "unknown", "is_problem": True}
"""The columns of a job's state, of which nothing is known."""
