"""The deployments of a job: `coordstream config history --deployments`."""

from datetime import datetime
from typing import Final

from psycopg import sql

from coordstream.cli.database import open_database
from coordstream.cli.output.tables import Column, exact_time_column, print_rows
from coordstream.cli.query.rows import Row, Rows, fetch, job_values
from eventlog.postgres.connection import Connection
from projections.job_choice import Job, find_job

_NEWEST: Final = sql.SQL("""
select * from (
  select d.* from coordinator.config_deployment d
  where d.job_name = %(name)s and d.job_id = %(id)s
    and (%(since)s::timestamptz is null or d.last_record_time >= %(since)s)
    and (%(until)s::timestamptz is null or d.first_record_time <= %(until)s)
  order by d.deployment_number desc limit %(limit)s) newest
order by deployment_number
""")


def writer(row: Row) -> str:
    """The writer of config: source, user and host, as far as the envelope of its message has them."""
    place = "@".join(row[name] for name in ("username", "host") if row[name] is not None)
    if row["source"] is None:
        return place or "–"
    return f"{row['source']} ({place})" if place else str(row["source"])


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


def newest_deployments(
    connection: Connection,
    job: Job,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
) -> Rows:
    """The newest ``limit`` deployments (None: all) between two times, both inclusive, oldest first."""
    return fetch(connection, _NEWEST, {**job_values(job), "since": since, "until": until, "limit": limit})


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
