"""Migrations: up, down, and where the database stands."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from coordstream.cli.arguments.options import Json
from coordstream.cli.database import connecting, database_errors, database_url
from coordstream.cli.output.tables import print_json
from coordstream.cli.rebuild_hint import made_again_sentence
from coordstream.cli.schema import state_of
from coordstream.errors import CoordstreamError
from coordstream.migrate import SchemaState, downgrade, upgrade
from coordstream.settings import load_settings
from eventlog.postgres.connection import Connection

app = typer.Typer()


@app.callback(invoke_without_command=True)
def migrate(context: typer.Context, as_json: Json = False) -> None:
    """Bring the database to this program's schema; so does `migrate upgrade`."""
    if context.invoked_subcommand is None:
        upgrade_schema(as_json)


@app.command("upgrade")
def upgrade_schema(as_json: Json = False) -> None:
    """Bring the database to this program's schema, in one transaction."""
    with _reached() as (url, connection):
        was_current = state_of(url) is SchemaState.CURRENT
        unfolded = upgrade(url)
        revision = _revision(connection)
    if as_json:
        print_json([{"revision": revision, "is_changed": not was_current}])
    else:
        print(f"schema {revision}: {'was up to date' if was_current else 'migrated'}")
    if unfolded is not None:
        print(made_again_sentence(unfolded), file=sys.stderr)


@app.command("downgrade", context_settings={"ignore_unknown_options": True})  # for -1
def downgrade_schema(
    revision: Annotated[str, typer.Argument(help="base, -1, or the id of a revision.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Also where archived events are dropped with their tables.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take the database back to an earlier revision; what came after it is dropped."""
    with _reached() as (url, connection):
        if not yes and _holds_events(connection):
            raise CoordstreamError(
                "the archive holds events, which going back may drop for ever: export the streams first, "
                "then give --yes."
            )
        downgrade(url, revision)
        reached = _revision(connection)
    if as_json:
        print_json([{"revision": reached, "is_changed": True}])
    else:
        print(f"schema {reached}: taken back")


@app.command("current")
def current_schema(as_json: Json = False) -> None:
    """Say which revision the database stands at, and how it stands to this program: empty, older, current, newer."""
    with _reached() as (url, connection):
        revision, state = _revision(connection), state_of(url)
    if as_json:
        print_json([{"revision": revision, "state": str(state)}])
    else:
        print(f"schema {revision}: {state}")


@contextmanager
def _reached() -> Iterator[tuple[str, Connection]]:
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
