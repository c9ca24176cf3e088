"""`coordstream status`: how far each log is read."""

from typing import Final

import typer
from psycopg import sql

from coordstream.cli.database import open_database
from coordstream.cli.options import Json
from coordstream.cli.rows import fetch
from coordstream.cli.tables import Column, print_rows, time_column

app = typer.Typer()

STATUS: Final = sql.SQL(
    """
    select p.*, e.record_time as last_event_time, q.quarantine_open
    from coordinator.log_position p
    join projection.job_log j using (stream_name, incarnation)
    left join lateral (
      select a.record_time from projection.archived_event a where a.log_id = j.log_id order by a.log_offset desc limit 1
    ) e on true
    cross join lateral (
      select count(*) as quarantine_open from projection.quarantine w
      where w.log_id = j.log_id and w.resolved_by is null
    ) q
    order by p.job_name, p.job_id, p.stream_kind desc, p.incarnation
    """
)
COLUMNS: Final = (
    Column("stream", "stream_name"),
    Column("inc.", "incarnation", "right"),
    Column("next", "next_offset", "right"),
    Column("end", lambda row: _or_unknown(row["end_offset"]), "right"),
    Column("lag", lambda row: _or_unknown(row["lag"]), "right"),
    Column("state", "state"),
    time_column("last event", "last_event_time"),
    Column("bad", "quarantine_open", "right"),
)


@app.command()
def status(as_json: Json = False) -> None:
    """Say how far each log is read, when its last event was, and how many events wait in quarantine."""
    with open_database() as database:
        rows = fetch(database.connection, STATUS)
    print_rows(rows, COLUMNS, title="Logs (bad: events in quarantine)", as_json=as_json)


def _or_unknown(number: int | None) -> str:
    return "unknown" if number is None else str(number)
