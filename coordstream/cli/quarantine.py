"""`coordstream quarantine`: events whose bytes could not be understood."""

from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.cut import Cut
from coordstream.cli.database import open_database
from coordstream.cli.jobs import find_job
from coordstream.cli.options import Json, MaybeJob, Utc
from coordstream.cli.quarantine_retry import retry
from coordstream.cli.rows import fetch, history
from coordstream.cli.tables import Column, print_rows, time_column

app = typer.Typer(no_args_is_help=True)
app.command()(retry)

ALL: Final = sql.SQL("select * from coordinator.quarantine order by stream_name, incarnation, log_offset")
COLUMNS: Final = (
    Column("stream", "stream_name"),
    Column("offset", "log_offset", "right"),
    time_column("recorded", "record_time"),
    Column("reason", "reason"),
    Column("what is wrong", "detail"),
    Column("key", "key_text"),
)
RESOLVED: Final = Column("resolved", "is_resolved")


@app.callback()
def quarantine() -> None:
    """Events whose bytes could not be understood."""


@app.command()
def show(
    job: MaybeJob = None,
    shows_all: Annotated[
        bool, typer.Option("--all", help="Also those whose key was written readably, or deleted, since.")
    ] = False,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show what could not be understood, where, and why; the bytes stay in eventlog.event."""
    with open_database() as database:
        if job is None:
            rows, whose = fetch(database.connection, ALL), "all jobs"
        else:
            found = find_job(database.connection, job)
            rows, whose = history(database.connection, "quarantine", found, Cut(), None), str(found)
    shown = [row for row in rows if shows_all or not row["is_resolved"]]
    columns = (*COLUMNS, RESOLVED) if shows_all else COLUMNS
    print_rows(shown, columns, title=f"Quarantine of {whose}", as_json=as_json, utc=utc)
