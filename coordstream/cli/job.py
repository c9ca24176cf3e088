"""`coordstream job`: the jobs and the states of their logs."""

from collections.abc import Iterable
from typing import Final

import typer
from psycopg import sql

from coordstream.cli.arguments import JobWord, JsonOrCsv, Utc
from coordstream.cli.output import Column, print_list, print_rows, time_column
from coordstream.cli.status import COLUMNS as LOG_COLUMNS
from coordstream.cli.status import TITLE as LOG_TITLE
from coordstream.cli.status import or_unknown
from coordstream.database import open_database
from coordstream.errors import note
from coordstream.queries.faults import worst_state
from coordstream.queries.logs import logs_now
from coordstream.queries.rows import Cut, Row, Rows, fetch, state
from projections.job_choice import NO_LOGS, find_job

app = typer.Typer()

JOBS: Final = sql.SQL("select * from coordinator.job order by job_name, job_id")
COUNT_COLUMNS: Final = (
    Column("config keys", "config_count", "right"),
    Column("tasks", "task_count", "right"),
    Column("containers", "container_count", "right"),
)
LIST_COLUMNS: Final = (
    Column("job", lambda row: f"{row['job_name']}/{row['job_id']}"),
    Column("state", "state", no_wrap=True),
    Column("lag", lambda row: or_unknown(row["lag"]), "right"),
    Column("bad", "quarantine_open", "right"),
    time_column("last event", "last_record_time", drop=1),
    Column("tasks", "task_count", "right", drop=2),
    Column("containers", "container_count", "right", drop=3),
    Column("gaps", "gap_count", "right", drop=4),
)
JOB_COLUMNS: Final = (
    *COUNT_COLUMNS,
    time_column("first event", "first_record_time"),
    time_column("last event", "last_record_time"),
)
METADATA_COLUMNS: Final = (
    Column("cluster", "cluster_type"),
    Column("epoch id", "epoch_id"),
    Column("config id", "config_id"),
    Column("job model id", "job_model_id"),
    time_column("written", "record_time"),
)


@app.command("list")
def show_list(utc: Utc = False, as_json: JsonOrCsv = None) -> None:
    """List the jobs, each with the worst state and the total lag of its logs.

    Example: coordstream job list --utc
    """
    with open_database() as database:
        jobs = fetch(database.connection, JOBS)
        logs, unreachable = logs_now(database)
    rows = Rows([*jobs.columns, *sums(())], (row | sums(_of_job(row, logs)) for row in jobs))
    print_rows(rows, LIST_COLUMNS, title="Jobs (bad, gaps: see status)", as_json=as_json, utc=utc)
    note(unreachable or ("" if logs else NO_LOGS))


@app.command()
def show(job: JobWord, utc: Utc = False, as_json: JsonOrCsv = None) -> None:
    """Show a job: its logs and their states, counts, and the metadata of its coordinator.

    Example: coordstream job show wordcount
    """
    with open_database() as database:
        found = find_job(database.connection, job)
        # several rows if the config on several streams has this name
        rows = state(database.connection, "job", found, Cut())
        metadata = state(database.connection, "job_coordinator_metadata", found, Cut())
        every_log, unreachable = logs_now(database)
    rows.sort(key=lambda row: str(row["coordinator_stream"]))
    logs = _of_job(rows[0], every_log)
    if as_json is not None:
        print_list([row | sums(logs) | {"logs": logs, "metadata": metadata} for row in rows], as_json=as_json)
    else:
        print_rows(rows, JOB_COLUMNS, title=f"Job {found}", utc=utc)
        print()
        print_rows(logs, LOG_COLUMNS, title=LOG_TITLE, utc=utc)
        print()
        print_rows(metadata, METADATA_COLUMNS, title="Job coordinator", utc=utc)
    note(unreachable)


def sums(logs: Iterable[Row]) -> Row:
    """Totals over a job's logs. The lag is null if that of one log is unknown; replaced incarnations do not count."""
    known = list(logs)
    newest = [log for log in known if log["is_newest"]]
    lags = [log["lag"] for log in newest]
    return {
        "state": worst_state(log["state"] for log in newest),
        "lag": None if None in lags else sum(lags),
        "quarantine_open": sum(log["quarantine_open"] for log in known),
        "gap_count": sum(log["gap_count"] for log in known),
    }


def _of_job(job: Row, logs: Iterable[Row]) -> list[Row]:
    return [log for log in logs if (log["job_name"], log["job_id"]) == (job["job_name"], job["job_id"])]
