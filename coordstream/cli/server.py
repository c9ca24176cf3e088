"""`coordstream up` and `down`: the embedded Postgres; `coordstream psql`: psql on the database of the settings."""

import os
import shutil
import signal
import subprocess
from importlib.util import find_spec
from typing import Annotated

import psycopg
import typer
from psycopg.conninfo import conninfo_to_dict

from coordstream.cli.arguments import JsonObject
from coordstream.cli.output import print_json, print_result
from coordstream.database import URL_SETTING, database_errors, migrate_if_needed, open_connection, open_database
from coordstream.errors import CoordstreamError
from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.programs import PACKAGE
from coordstream.settings import Settings, load_settings

app = typer.Typer()


@app.command()
def up(as_json: JsonObject = False) -> None:
    """Start the embedded Postgres and migrate its database; --json prints its URL with the password.

    Example: coordstream up --json
    """
    settings = embedded_settings()
    server = EmbeddedPostgres(settings.home)
    was_running = server.running is not None
    url = server.start()
    with database_errors(settings), open_connection(settings, url) as connection:
        migrated = migrate_if_needed(url, connection)
        port = connection.info.port
    if as_json:
        place = {"data_folder": str(server.data_folder), "port": port}
        print_json({"database_url": url, **place, "was_running": was_running, "migrated": migrated})
        return
    print(f"Postgres {server.major_version} {'was running' if was_running else 'started'} on port {port}")
    print(f"data folder:  {server.data_folder}")
    print(f"database:     {_without_password(url)} (with the password: coordstream up --json)")
    print(f"schema:       {'migrated' if migrated else 'up to date'}")


@app.command()
def down(as_json: JsonObject = False) -> None:
    """Stop the embedded Postgres of COORDSTREAM_HOME.

    Example: coordstream down
    """
    server = require_data_folder(embedded_settings())
    was_running = server.stop()
    sentence = f"Postgres on {server.data_folder} {'stopped' if was_running else 'was not running'}"
    print_result({"data_folder": str(server.data_folder), "was_running": was_running}, sentence, as_json=as_json)


@app.command()
def psql(
    options: Annotated[list[str] | None, typer.Argument(metavar="-- OPTIONS", help="Options of psql.")] = None,
) -> None:
    """Open psql on the database. The password is passed in the environment, never as an argument.

    Example: coordstream psql -- -c "select * from coordinator.job"
    """
    with open_database() as database:
        program, environment = _psql_program(database.settings), psql_environment(database.url)
    raise typer.Exit(_run_in_foreground([program, *(options or [])], {**os.environ, **environment}))


def psql_environment(url: str) -> dict[str, str]:
    """The URL's parts as environment variables of libpq. Parts without a variable are left out."""
    variables = {d.keyword.decode(): d.envvar.decode() for d in psycopg.pq.Conninfo.get_defaults() if d.envvar}
    options = conninfo_to_dict(url)
    return {variables[name]: str(value) for name, value in options.items() if name in variables}


def embedded_settings(advice: str = "Unset it to use the embedded one.") -> Settings:
    """The settings of the embedded Postgres. Raises CoordstreamError, with advice, where another database is set."""
    settings = load_settings()
    if settings.database_url is not None:
        raise CoordstreamError(f"{URL_SETTING} is set, so the embedded Postgres is not used. {advice}")
    return settings


def require_data_folder(settings: Settings) -> EmbeddedPostgres:
    """The embedded server, running or not. Raises CoordstreamError where it has never been started."""
    server = EmbeddedPostgres(settings.home)
    if not server.data_folder.exists():
        raise CoordstreamError(
            f"There is no embedded Postgres in {settings.home}. Create it with `coordstream up`, or set "
            "COORDSTREAM_HOME to its folder."
        )
    return server


def _run_in_foreground(command: list[str], environment: dict[str, str]) -> int:
    """Run a program to its end. Ctrl-C goes to the program: there it cancels a query and does not end us."""
    child = subprocess.Popen(command, env=environment)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return child.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def _psql_program(settings: Settings) -> str:
    found = shutil.which("psql")
    if found is None and find_spec(PACKAGE) is not None:
        found = shutil.which("psql", path=EmbeddedPostgres(settings.home).bin_folder)
    if found is None:
        raise CoordstreamError(
            "Program psql not found on the PATH. Install the Postgres client, or pip install 'coordstream[embedded]'."
        )
    return found


def _without_password(url: str) -> str:
    start, _, end = url.partition("@")
    return f"{start.rpartition(':')[0]}@{end}"
