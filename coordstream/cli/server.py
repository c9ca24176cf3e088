"""The embedded Postgres: up, down, and psql on whichever database the settings name."""

import os
import shutil
import signal
import subprocess
from typing import Annotated

import psycopg
import typer
from psycopg.conninfo import conninfo_to_dict

from coordstream.cli.arguments.options import Json
from coordstream.cli.database import (
    URL_SETTING,
    connecting,
    database_errors,
    database_url,
    migrate_if_needed,
    open_database,
)
from coordstream.cli.output.tables import print_json
from coordstream.errors import CoordstreamError
from coordstream.postgres import EmbeddedPostgres
from coordstream.settings import Settings, load_settings

app = typer.Typer()


@app.command()
def up(as_json: Json = False) -> None:
    """Start the embedded Postgres and migrate it; --json tells its URL with the password."""
    settings = _settings_of_embedded()
    server = EmbeddedPostgres(settings.home)
    was_running, kept_port = server.status().state == "running", server.kept_port
    url = database_url(settings)
    with database_errors(settings), connecting(settings, url) as connection:
        migrated = migrate_if_needed(url, connection)
    status = server.status()
    taken_port = None if kept_port == status.port else kept_port
    if as_json:
        print_json(
            {
                "database_url": url,
                "data_folder": str(status.data_folder),
                "port": status.port,
                "taken_port": taken_port,
                "was_running": was_running,
                "migrated": migrated,
            }
        )
        return
    print(f"Postgres {status.major_version} {'was running' if was_running else 'started'} on port {status.port}")
    if taken_port is not None:
        print(f"port {taken_port}, which it had before, is taken by another program: clients need the new port")
    print(f"data folder:  {status.data_folder}")
    print(f"database:     {_without_password(url)} (with its password: coordstream up --json)")
    print(f"schema:       {'migrated' if migrated else 'up to date'}")


@app.command()
def down(as_json: Json = False) -> None:
    """Stop the embedded Postgres of COORDSTREAM_HOME, and no other."""
    settings = _settings_of_embedded()
    server = EmbeddedPostgres(settings.home)
    if server.status().state == "absent":
        raise CoordstreamError(
            f"there is no embedded Postgres in {settings.home}: `coordstream up` makes one, "
            "COORDSTREAM_HOME names another folder."
        )
    was_running = server.stop()
    if as_json:
        print_json({"data_folder": str(server.data_folder), "was_running": was_running})
    else:
        print(f"Postgres on {server.data_folder} {'stopped' if was_running else 'was not running'}")


@app.command()
def psql(
    options: Annotated[list[str] | None, typer.Argument(metavar="[-- OPTIONS]", help="Options of psql.")] = None,
) -> None:
    """Open psql on the database; the password goes by the environment, never by an argument."""
    with open_database() as database:
        program, environment = _psql_program(database.settings), psql_environment(database.url)
    raise typer.Exit(_run_in_foreground([program, *(options or [])], {**os.environ, **environment}))


def psql_environment(url: str) -> dict[str, str]:
    """The URL's parts as variables that libpq reads. Parts that it has no variable for are left out."""
    variables = {d.keyword.decode(): d.envvar.decode() for d in psycopg.pq.Conninfo.get_defaults() if d.envvar}
    options = conninfo_to_dict(url)
    return {variables[name]: str(value) for name, value in options.items() if name in variables}


def _run_in_foreground(command: list[str], environment: dict[str, str]) -> int:
    """Run a program to its end. Ctrl-C is the program's: it stops a query there, not us."""
    child = subprocess.Popen(command, env=environment)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return child.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def _psql_program(settings: Settings) -> str:
    found = shutil.which("psql") or shutil.which("psql", path=EmbeddedPostgres(settings.home).bin_folder)
    if found is None:
        raise CoordstreamError("there is no psql on the PATH: install the client of Postgres.")
    return found


def _settings_of_embedded() -> Settings:
    settings = load_settings()
    if settings.database_url is not None:
        raise CoordstreamError(
            f"{URL_SETTING} names a database, so the embedded Postgres is not used: unset it to use that."
        )
    return settings


def _without_password(url: str) -> str:
    start, _, end = url.partition("@")
    return f"{start.rpartition(':')[0]}@{end}"
