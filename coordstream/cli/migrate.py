"""`coordstream migrate`: upgrade and downgrade the database schema, and show which revision it has."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from coordstream.cli.arguments.options import Json
from coordstream.cli.output.formats import print_json
from coordstream.database import connecting, database_errors, database_url, describe_recreation
from coordstream.errors import CoordstreamError
from coordstream.migrate import ADVICE, SchemaState, downgrade, read_schema_state, require_revision, upgrade
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


@app.command("downgrade", context_settings={"ignore_unknown_options": True})  # for -1
def downgrade_schema(
    revision: Annotated[str, typer.Argument(metavar="REVISION", help="base, -1, or the id of a revision.")],
    yes: Annotated[bool, typer.Option("--yes", help="Drop archived events with their tables.")] = False,
    as_json: Json = False,
) -> None:
    """Migrate the database back to an earlier revision. Tables and columns that were added since are dropped."""
    require_revision(revision)
    with _connection() as (url, connection):
        if not yes and _holds_events(connection):
            raise CoordstreamError(
                "The archive holds events, which a downgrade may drop. Back up the database, or export the streams, "
                "then repeat the command with --yes."
            )
        downgrade(url, revision)
        reached = _revision(connection)
    if as_json:
        print_json([{"revision": reached, "is_changed": True}])
    else:
        print("Schema removed." if reached is None else f"Schema {reached}: downgraded.")


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
    if not _exists(connection, "alembic_version"):
        return None
    row = connection.execute("select version_num from eventlog.alembic_version").fetchone()
    return None if row is None else str(row[0])


def _holds_events(connection: Connection) -> bool:
    return _exists(connection, "event") and bool(connection.execute("select 1 from eventlog.event limit 1").fetchall())


def _exists(connection: Connection, table: str) -> bool:
    row = connection.execute("select to_regclass('eventlog.' || %s::text) is not null", (table,)).fetchone()
    return row is not None and bool(row[0])
