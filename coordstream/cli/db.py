"""`coordstream db`: the data of the embedded Postgres, and the schema and the users of any database."""

import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import humanize
import typer
from psycopg import sql
from psycopg.errors import UndefinedObject
from rich.console import Console

from coordstream.cli.arguments import Json, JsonObject, Yes
from coordstream.cli.output import confirm, counted, print_json, print_result
from coordstream.cli.server import embedded_settings, require_data_folder
from coordstream.database import (
    ADVICE,
    SchemaState,
    current_revision,
    database_errors,
    database_url,
    describe_recreation,
    open_connection,
    open_database,
    schema_state,
)
from coordstream.errors import CoordstreamError, warn
from coordstream.postgres import EmbeddedPostgres
from coordstream.settings import KEY_FILE, Settings, load_settings
from eventlog.postgres.connection import Connection
from projections.errors import NOT_FOLDED, FoldVersionDiffers
from projections.fold.settings import FoldSettings
from projections.rights import grant_missing_rights

app = typer.Typer()

_ADVICE: Final = "Use pg_dump and pg_restore for that database."
_FOLDS: Final = """
select min(stream_name), fold_version from projection.position join projection.job_log using (log_id) group by 2
"""
_MEMBERSHIP: Final = """
select coalesce(bool_or(inherit_option), false), coalesce(bool_or(set_option), false)
from pg_auth_members where roleid = to_regrole(%s) and member = to_regrole(quote_ident(%s))
"""


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, readable by its owner only.")],
    as_json: JsonObject = False,
) -> None:
    """Write the embedded database to a file, in one snapshot, while others use it.

    The file contains the archive with its secrets in clear text, so keep it safe. Keep mask.key of COORDSTREAM_HOME as
    well: a restored database can be followed again only with the same key. Database users are not in the backup.

    For a database of COORDSTREAM_DATABASE_URL, use pg_dump.

    Example: coordstream db backup coordstream.dump
    """
    from coordstream.backup import back_up  # noqa: PLC0415 (loads SQLAlchemy)

    settings = embedded_settings(_ADVICE)
    require_data_folder(settings)
    server = _start_migrated(settings)
    with Console(stderr=True).status(f"Writing {file}"):
        size = back_up(server, file)
    if as_json:
        print_json({"file": str(file), "bytes": size})
        return
    print(f"Backup written to {file} ({humanize.naturalsize(size)}). It contains secrets: keep it safe.")
    if settings.mask_key is None:
        print(f"Keep {settings.home / KEY_FILE} as well: a restored database can be followed again only with this key.")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `coordstream db backup` wrote.")],
    as_json: JsonObject = False,
) -> None:
    """Restore a backup into the embedded database, which must be empty: completely, or not at all.

    A follower that runs meanwhile stops, and has to be started again. A backup of an older version is migrated. Grant
    roles to users again with `coordstream db grant`.

    For a database of COORDSTREAM_DATABASE_URL, use pg_restore.

    Example: coordstream db restore coordstream.dump
    """
    from coordstream.backup import check_backup  # noqa: PLC0415
    from coordstream.backup import restore as restore_database  # noqa: PLC0415

    settings = embedded_settings(_ADVICE)
    check_backup(EmbeddedPostgres(settings.home), file)
    server = _start_migrated(settings)
    with database_errors(settings), Console(stderr=True).status(f"Restoring {file}"):
        streams = restore_database(server, file)
    sentence = f"Restored {counted(streams, 'stream')} from {file}."
    print_result({"file": str(file), "streams": streams}, sentence, as_json=as_json)
    ours = FoldSettings(settings.secrets).fold_version
    with open_database() as database:
        folds = database.connection.execute(_FOLDS).fetchall()
    warn(str(FoldVersionDiffers(name, found, ours)) for name, found in folds if found not in (ours, NOT_FOLDED))


@app.command()
def reset(
    yes: Yes = False,
    as_json: JsonObject = False,
) -> None:
    """Delete all data of the embedded database and create it again, empty and migrated.

    The server keeps its port, its password and its users. Back up the data first, with `coordstream db backup`.

    Example: coordstream db reset --yes
    """
    from coordstream.backup import reset as reset_database  # noqa: PLC0415

    settings = embedded_settings("Drop and create that database with its own tools, then run `coordstream db migrate`.")
    server = require_data_folder(settings)
    confirm(f"Delete all data of the embedded database in {settings.home}?", yes=yes, done="deleted", has_dry_run=False)
    server.start()
    with database_errors(settings):
        reset_database(server)
    sentence = f"The embedded database in {settings.home} is empty."
    print_result({"data_folder": str(server.data_folder)}, sentence, as_json=as_json)


@app.command()
def migrate(
    is_dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the revision of the schema, and its state.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Migrate the database to this program's schema, in one transaction.

    With --dry-run, the state is empty, older, current, newer or incomplete, compared with this program.

    Example: coordstream db migrate
    """
    from coordstream.migrate import upgrade  # noqa: PLC0415 (loads SQLAlchemy)

    settings = load_settings()
    url = database_url(settings)
    with database_errors(settings), open_connection(settings, url) as connection:
        state, to_rebuild = (schema_state(connection), None) if is_dry_run else upgrade(url)
        revision = current_revision(connection)
    is_current = state is SchemaState.CURRENT
    found = {"state": str(state)} if is_dry_run else {"is_changed": not is_current}
    words = state if is_dry_run else "already up to date" if is_current else "migrated"
    sentence = ADVICE[state] if is_dry_run and state is SchemaState.EMPTY else f"Schema {revision}: {words}."
    print_result([{"revision": revision, **found}], sentence, as_json=as_json)
    if to_rebuild is not None:
        print(describe_recreation(to_rebuild), file=sys.stderr)


@app.command()
def grant(
    role: Annotated[
        Literal["reader", "replayer", "writer"],
        typer.Argument(
            metavar="ROLE",
            help="reader: reads the relations, with secrets as fingerprints. replayer: also reads the bytes of the "
            "archive. writer: appends to logs in Postgres, and reads their bytes.",
        ),
    ],
    user: Annotated[str, typer.Argument(metavar="USER", help="A database user with the right to log in.")],
    as_json: Json = False,
) -> None:
    """Grant a database user a role. Roles apply to all databases of the server.

    Also grants the roles the rights that they lack in this database, as after a restore without the dump's grants.

    Example: coordstream db grant reader ann
    """
    in_postgres = f"coordstream_{role}"
    with open_database(lifts_timeouts=True) as database:
        has_restored = grant_missing_rights(database.connection)
        try:
            changed = grant_role(database.connection, in_postgres, user) or has_restored
        except UndefinedObject:
            remedy = sql.SQL("create role {} login").format(sql.Identifier(user)).as_string()
            raise CoordstreamError(f"The database has no user {user!r}. Create it first: {remedy}.") from None
    row = {"user": user, "role": in_postgres, "is_changed": changed}
    state = "is now" if changed else "is already"
    print_result([row], f"{user} {state} a {role} ({in_postgres}).", as_json=as_json)


def _start_migrated(settings: Settings) -> EmbeddedPostgres:
    """The embedded server, running, its database with this program's schema: the roles of a backup exist then."""
    with open_database(warns=False):
        return EmbeddedPostgres(settings.home)


def grant_role(connection: Connection, role: str, user: str) -> bool:
    """Grant a role, and return whether that changed anything: who created a role may have it, but not its rights."""
    if connection.execute(_MEMBERSHIP, (role, user)).fetchone() == (True, True):
        return False
    statement = sql.SQL("grant {} to {} with inherit true, set true")
    connection.execute(statement.format(sql.Identifier(role), sql.Identifier(user)))
    return True
