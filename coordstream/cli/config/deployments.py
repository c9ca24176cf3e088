"""The deployments of a job: `coordstream config history --deployments`."""

from datetime import datetime
from typing import Final

from coordstream.cli.output import Column, exact_time_column, print_rows
from coordstream.database import open_database
from coordstream.queries.config import newest_deployments, writer
from projections.job_choice import find_job

_COLUMNS: Final = (
    Column("deployment", "deployment_number", "right"),
    Column("run", "run_number", "right"),
    exact_time_column("began", "first_record_time"),
    Column("by", writer, drop=1),
    Column("set", "keys_set", "right"),
    Column("changed", "keys_changed", "right"),
    Column("deleted", "keys_deleted", "right"),
    Column("offsets", lambda row: f"{row['first_log_offset']}–{row['last_log_offset']}", drop=2),
)


def print_deployments(
    job: str,
    since: datetime | None,
    until: datetime | None,
    limit: int | None,
    *,
    utc: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the newest ``limit`` deployments (None: all) between two times, both inclusive, oldest first."""
    with open_database() as database:
        found = find_job(database.connection, job)
        rows = newest_deployments(database.connection, found, since=since, until=until, limit=limit)
    print_rows(rows, _COLUMNS, title=f"Deployments of {found}", as_json=as_json, as_csv=as_csv, utc=utc)
