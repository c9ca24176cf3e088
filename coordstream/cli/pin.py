"""`coordstream pin`: moments that retention keeps."""

from datetime import datetime
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments import Csv, Json, Utc, parse_time
from coordstream.cli.output import Column, exact_time_column, print_json, print_rows
from coordstream.database import open_database
from coordstream.queries.rows import fetch
from projections.pins import Pin, add_pin, remove_pin

app = typer.Typer(no_args_is_help=True)

_PINS: Final = sql.SQL("select p.name, p.pinned_at from projection.pin p order by p.pinned_at, p.name")
COLUMNS: Final = (Column("name", "name", no_wrap=True), exact_time_column("time", "pinned_at"))

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the pin.")]
At = Annotated[
    datetime,
    typer.Option(
        "--at",
        metavar="TIME",
        parser=parse_time,
        help="The moment: ISO 8601 (default zone: UTC), '90m', '2 hours ago', yesterday or now.",
    ),
]


@app.command()
def add(name: Name, at: At, as_json: Json = False) -> None:
    """Keep the state as of a time, even when the horizon of a retention moves past it."""
    with open_database() as database:
        add_pin(database.connection, Pin(name, at))
    _report(name, f"Pinned {at:%Y-%m-%d %H:%M:%S} UTC as '{name}'.", as_json=as_json)


@app.command("list")
def show(utc: Utc = False, as_json: Json = False, as_csv: Csv = False) -> None:
    """List the pins, oldest moment first."""
    with open_database() as database:
        rows = fetch(database.connection, _PINS, {})
    print_rows(rows, COLUMNS, title="Pins", as_json=as_json, as_csv=as_csv, utc=utc)


@app.command()
def remove(name: Name, as_json: Json = False) -> None:
    """Remove a pin. The next retention detaches what was kept for it only."""
    with open_database() as database:
        remove_pin(database.connection, name)
    _report(name, f"Removed the pin '{name}'.", as_json=as_json)


def _report(name: str, sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json([{"name": name}])
    else:
        print(sentence)
