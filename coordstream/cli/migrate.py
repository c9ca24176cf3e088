"""`coordstream migrate`: migrate the database schema, and show which revision it has."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from coordstream.cli.arguments import Json
from coordstream.cli.output import print_json
from coordstream.database import connecting, database_errors, database_url, describe_recreation
from coordstream.migrate import ADVICE, SchemaState, read_schema_state, upgrade
from coordstream.settings import load_settings
from eventlog.postgres.connection import Connection

app = typer.Typer()


@app.callback(invoke_without_command=True)
def migrate(context: typer.Context, as_json: Json = False) -> None:
    """Migrate the database to this program's schema, as `migrate upgrade` does."""
    if context.invoked_subcommand is None:
        upgrade_schema(as_json)


@app.command("upgrade")
def upgrade_schema(as_json: Json = False) -> None:
    """Migrate the database to this program's schema, in one transaction."""
    with _connection() as (url, connection):
        was_current = read_schema_state(url) is SchemaState.CURRENT
        to_rebuild = upgrade(url)
        revision = _revision(connection)
    if as_json:
        print_json([{"revision": revision, "is_changed": not was_current}])
    else:
        print(f"Schema {revision}: {'already up to date' if was_current else 'migrated'}.")
    if to_rebuild is not None:
        print(describe_recreation(to_rebuild), file=sys.stderr)


@app.command("current")
def current_schema(as_json: Json = False) -> None:
    """Show the revision of the database schema, and its state: empty, older, current, newer or incomplete.

    Older and newer compare it with this program."""
    with _connection() as (url, connection):
        revision, state = _revision(connection), read_schema_state(url)
    if as_json:
        print_json([{"revision": revision, "state": str(state)}])
    else:
        print(f"Schema {revision}: {state}." if state is not SchemaState.EMPTY else ADVICE[state])


@contextmanager
def _connection() -> Iterator[tuple[str, Connection]]:
    settings = load_settings()
    url = database_url(settings)
    with database_errors(settings), connecting(settings, url) as connection:
        yield url, connection


def _revision(connection: Connection) -> str | None:
    if connection.execute("select to_regclass('eventlog.alembic_version')").fetchone() == (None,):
        return None
    row = connection.execute("select version_num from eventlog.alembic_version").fetchone()
    return None if row is None else str(row[0])
