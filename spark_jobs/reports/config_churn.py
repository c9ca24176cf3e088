"""The report `config_churn`: how many config keys each writer changed in each job, by day."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, Final

from spark_jobs.reports.picture import Counts, draw_days
from spark_jobs.reports.report import Inputs, Report, Result, Row, Tables, job_of

MOST_JOBS: Final = 8
OTHERS: Final = "other jobs"
COLUMNS: Final = "job_name job_id config_key previous_value operation source host username record_time"

_CHANGES: Final = """
SELECT date_from_unix_date(CAST(unix_micros(record_time) DIV 86400000000 AS int)) AS day,
  job_name, job_id, source, host, username, count(*) AS changes, count(DISTINCT config_key) AS keys,
  count_if(operation <> 'delete' AND previous_value IS NULL) AS new, count_if(operation = 'delete') AS deleted
FROM {changes} GROUP BY ALL
ORDER BY day DESC NULLS LAST, changes DESC, job_name, job_id, source, host, username
"""
"""A row per day (UTC, whatever the zone of the session is), job and writer."""

_KEYS: Final = """
SELECT config_key, count(*) AS changes, count(DISTINCT job_name, job_id) AS jobs, max(record_time) AS last_changed_at
FROM {changes} GROUP BY ALL
"""


def tables(inputs: Inputs) -> Tables:
    """The tables `changes` by day, job and writer, and `keys`."""
    changes = inputs.read("config_change", COLUMNS).persist()
    sql = changes.sparkSession.sql
    return Tables({"changes": sql(_CHANGES, changes=changes), "keys": sql(_KEYS, changes=changes)})


def draw(path: Path, result: Result) -> None:
    """Bars of days, stacked by job: those that changed most, and all others together."""
    rows = [row for row in result.tables["changes"].to_pylist() if row["day"] is not None]
    draw_days(path, result.title, "changes of config keys per {} (UTC)", days_by_job(rows))


def days_by_job(rows: Iterable[Row]) -> Counts:
    by_job: dict[str, Counter[date]] = {}
    for row in rows:
        by_job.setdefault(job_of(row), Counter())[row["day"]] += row["changes"]
    largest = sorted(by_job, key=lambda job: -by_job[job].total())
    shown = {job: by_job[job] for job in largest[:MOST_JOBS]}
    others = sum((by_job[job] for job in largest[MOST_JOBS:]), Counter[date]())
    return {**shown, OTHERS: others} if others else shown


def cells(row: Row) -> dict[str, Any]:
    writer = {"source": row["source"], "host": row["host"], "user": row["username"]}
    counts = {name: row[name] for name in ("changes", "keys", "new", "deleted")}
    return {"day": row["day"], "job": job_of(row), **writer, **counts}


REPORT: Final = Report("config_churn", tables, cells, draw)
