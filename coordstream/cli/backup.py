"""`coordstream backup`, `restore` and `reset`: the data of the embedded Postgres."""

import sys
from pathlib import Path
from typing import Annotated

import humanize
import typer
from rich.console import Console

from coordstream.backup import back_up, check_backup
from coordstream.backup import reset as reset_database
from coordstream.backup import restore as restore_database
from coordstream.cli.arguments import JsonObject
from coordstream.cli.output import confirm, print_json
from coordstream.cli.server import embedded_settings, require_data_folder
from coordstream.database import connecting, database_errors, migrate_if_needed, open_database
from coordstream.mask_key import KEY_FILE
from coordstream.postgres import EmbeddedPostgres
from coordstream.settings import Settings
from projections.fold.settings import FoldSettings

app = typer.Typer()

_ADVICE = "Use pg_dump and pg_restore for that database."


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, readable by its owner only.")],
    as_json: JsonObject = False,
) -> None:
    """Write the embedded database to a file, in one snapshot, while others use it.

    The file contains the archive with its secrets in clear text, so keep it safe. Keep mask.key of COORDSTREAM_HOME as
    well: a restored database can be followed again only with the same key. Database users are not in the backup.

    For a database of COORDSTREAM_DATABASE_URL, use pg_dump.
    """
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
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `coordstream backup` wrote.")],
    as_json: JsonObject = False,
) -> None:
    """Restore a backup into the embedded database, which must be empty: completely, or not at all.

    A backup of an older version is migrated. Grant roles to users again with `coordstream grant`.

    For a database of COORDSTREAM_DATABASE_URL, use pg_restore.
    """
    settings = embedded_settings(_ADVICE)
    check_backup(EmbeddedPostgres(settings.home), file)
    server = _start_migrated(settings)
    with database_errors(settings), Console(stderr=True).status(f"Restoring {file}"):
        streams = restore_database(server, file)
    if _has_other_key():
        print(
            f"The backup was made with another masking key: copy the original {KEY_FILE} to {settings.home} (or set "
            "COORDSTREAM_MASK_KEY) before you follow or import these streams again.",
            file=sys.stderr,
        )
    if as_json:
        print_json({"file": str(file), "streams": streams})
    else:
        print(f"Restored {streams} {'stream' if streams == 1 else 'streams'} from {file}.")


@app.command()
def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: JsonObject = False,
) -> None:
    """Delete all data of the embedded database and create it again, empty and migrated.

    The server keeps its port, its password and its users. Back up the data first, with `coordstream backup`.
    """
    settings = embedded_settings("Drop and create that database with its own tools, then run `coordstream migrate`.")
    server = require_data_folder(settings)
    confirm(f"Delete all data of the embedded database in {settings.home}?", yes=yes, done="deleted", has_dry_run=False)
    server.start()
    with database_errors(settings):
        reset_database(server)
    if as_json:
        print_json({"data_folder": str(server.data_folder)})
    else:
        print(f"The embedded database in {settings.home} is empty.")


def _has_other_key() -> bool:
    """Whether stored rows were folded with another key, or other secret patterns, than those of the settings."""
    with open_database(warns=False) as database:
        versions = database.connection.execute("select distinct fold_version from projection.position").fetchall()
        settings = FoldSettings(database.secrets)
    return not all(settings.follows(version) for (version,) in versions)


def _start_migrated(settings: Settings) -> EmbeddedPostgres:
    """The embedded server, running, its database with this program's schema: the roles of a backup exist then."""
    server = EmbeddedPostgres(settings.home)
    url = server.start()
    with database_errors(settings), connecting(settings, url) as connection:
        migrate_if_needed(url, connection)
    return server
