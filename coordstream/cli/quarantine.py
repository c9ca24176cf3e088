"""`coordstream quarantine`: events whose bytes could not be understood."""

from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.cut import Cut
from coordstream.cli.database import open_database
from coordstream.cli.jobs import find_job
from coordstream.cli.options import Json
from coordstream.cli.rows import fetch, history
from coordstream.cli.tables import Column, print_rows

app = typer.Typer(no_args_is_help=True)

ALL: Final = sql.SQL("select * from coordinator.quarantine order by stream_name, incarnation, log_offset")
COLUMNS: Final = (
    Column("stream", "stream_name"),
    Column("offset", "log_offset", "right"),
    Column("reason", "reason"),
    Column("what is wrong", "detail"),
    Column("key", "key_text"),
    Column("resolved", "is_resolved"),
)


@app.callback()
def quarantine() -> None:
    """Events whose bytes could not be understood."""


@app.command()
def show(
    job: Annotated[str | None, typer.Argument(metavar="[JOB]", help="Name or name/id; none: of all jobs.")] = None,
    as_json: Json = False,
) -> None:
    """Show what could not be understood, where, and why; the bytes stay in eventlog.event."""
    with open_database() as database:
        if job is None:
            rows, whose = fetch(database.connection, ALL), "all jobs"
        else:
            found = find_job(database.connection, job)
            rows, whose = history(database.connection, "quarantine", found, Cut(), None), str(found)
    print_rows(rows, COLUMNS, title=f"Quarantine of {whose}", as_json=as_json)
