"""How every command reaches the database, its schema, and what is reported about one that cannot be used.

Without Alembic and SQLAlchemy, which take a second to load.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege, LockNotAvailable

from coordstream.errors import CoordstreamError, note
from coordstream.queries.rows import NOW, Cut, outside
from coordstream.settings import Settings, load_settings
from eventlog.errors import list_names
from eventlog.postgres.connection import GET_RIGHT, Connection, connect, failure_line, refuses_login, server_reason
from eventlog.secret_policy import SecretPolicy
from projections.errors import NOT_FOLDED
from projections.job_choice import Job, find_job
from projections.relations import TABLES, digest, installed_digest, missing_relations

URL_SETTING: Final = "COORDSTREAM_DATABASE_URL"
_UNREADABLE: Final = (
    f"Invalid {URL_SETTING}. Expected postgresql://user:password@host:port/name, with special characters of the "
    "password percent-encoded."
)
_LOCKED: Final = " Another session, such as a migration, holds a lock. Try again later."
_MOST_NAMES: Final = 3
_TO_REBUILD: Final = """
select distinct j.stream_name from projection.position p join projection.job_log j using (log_id)
where p.fold_version = %s order by j.stream_name
"""
_ENDED: Final = (psycopg.errors.AdminShutdown, psycopg.errors.CannotConnectNow, psycopg.errors.CrashShutdown)
"""The server, or an administrator, ended the session. A new one may be possible."""

_REFUSED_BY_DRIVER: Final = (psycopg.DataError, psycopg.ProgrammingError, psycopg.NotSupportedError)
"""What the driver raises, without a reason of the server, for a value that it cannot send."""

_SEES_REVISION: Final = "select coalesce(has_schema_privilege(to_regnamespace('eventlog')::oid, 'usage'), true)"


class SchemaState(StrEnum):
    """A database's schema compared with the one that this program needs."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"
    INCOMPLETE = "incomplete"
    OTHER = "other"


class SchemaError(CoordstreamError):
    """The database's schema is not the one that this program needs, or cannot be migrated."""


ADVICE: Final = {
    SchemaState.EMPTY: "No coordstream schema in this database. Run `coordstream db migrate`.",
    SchemaState.OLDER: "The database schema is older than this program. Run `coordstream db migrate`.",
    SchemaState.INCOMPLETE: "Tables of the database schema are missing. Run `coordstream db migrate`.",
    SchemaState.NEWER: "The database schema is newer than this program. Install a newer version of coordstream.",
    SchemaState.OTHER: "The database schema is that of another version of coordstream. Install that version, or ask "
    "the database's owner to run `coordstream db migrate`.",
}


class DatabaseError(CoordstreamError):
    """The database cannot be reached, or refused a statement; the message never holds the statement or its details."""


class DatabaseUnreachable(DatabaseError):
    """The database does not answer, or ended the session. It may answer later."""


@dataclass(frozen=True)
class Database:
    """An open database whose schema is this program's; ``url`` holds the password."""

    settings: Settings
    connection: Connection
    url: str = field(repr=False)

    @property
    def secrets(self) -> SecretPolicy:
        """What counts as a secret, and the key for its fingerprints."""
        return self.settings.secrets


@contextmanager
def open_database(*, warns: bool = True, lifts_timeouts: bool = False) -> Iterator[Database]:
    """The database of the settings, or else the embedded one, which is started and migrated first.

    If streams have to be rebuilt, standard error names them, unless ``warns`` is false. ``lifts_timeouts``: for writes,
    which no timeout of the server, the database or the user is to end. Raises `CoordstreamError`: the database cannot
    be used; also for errors of Postgres within the ``with`` block.
    """
    settings = load_settings()
    url = database_url(settings)
    with database_errors(settings), open_connection(settings, url, keeps_timeouts=not lifts_timeouts) as connection:
        has_migrated = False
        if settings.database_url is None:
            has_migrated = migrate_if_needed(url, connection)
        else:
            require_current(connection)
        if warns and not has_migrated and (sentence := describe_missing_rows(connection)):
            note(sentence)
        yield Database(settings, connection, url)


@contextmanager
def open_job(word: str, cut: Cut = NOW) -> Iterator[tuple[Connection, Job]]:
    """The database and the job that a word names; a note says if the cut is before the job's first event.

    Raises as `open_database`, and UnknownJob: no job has the name, or several have it.
    """
    with open_database() as database:
        job = find_job(database.connection, word)
        note(outside(database.connection, job, cut))
        yield database.connection, job


def database_url(settings: Settings) -> str:
    """The URL of the settings, or else that of the embedded Postgres, which is started.

    Raises:
        DatabaseError: the URL is invalid; the message repeats no part of it.
        EmbeddedPostgresError: the embedded Postgres cannot be started.
    """
    if settings.database_url is None:
        from coordstream.postgres import EmbeddedPostgres  # noqa: PLC0415 (only needed without a URL)

        return EmbeddedPostgres(settings.home).start()
    url = settings.database_url.get_secret_value()
    check_url(url)
    return url


def check_url(url: str) -> None:
    """Raise DatabaseError for a URL whose password was not encoded: part of it would be taken for a host."""
    try:
        options = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise DatabaseError(_UNREADABLE) from None
    ports = str(options.get("port", "")).split(",")
    if "@" in f"{options.get('host', '')}{options.get('dbname', '')}" or not all(p.isdecimal() for p in ports if p):
        raise DatabaseError(_UNREADABLE)


def open_connection(settings: Settings, url: str, *, keeps_timeouts: bool = True) -> Connection:
    """Connect to the database. ``keeps_timeouts``: see `connect`.

    Raises DatabaseError, with the place that cannot be reached and the reason.
    """
    try:
        return connect(url, keeps_timeouts=keeps_timeouts)
    except psycopg.OperationalError as error:
        kind = DatabaseError if refuses_login(error) else DatabaseUnreachable
        start = "Correct" if kind is DatabaseError else "Start it, or correct"
        advice = f"{start} {URL_SETTING}." if settings.database_url else "See its log."
        raise kind(f"Cannot reach {place(settings)} ({failure_line(error)}). {advice}") from None
    except psycopg.ProgrammingError as error:
        if error.sqlstate is not None:  # of the server
            raise
        reason = str(error).partition(":")[0]  # a value follows
        raise DatabaseError(
            f"Invalid option for {place(settings)}: {reason}. Correct {URL_SETTING}, or PGCONNECT_TIMEOUT."
        ) from None


@contextmanager
def database_errors(settings: Settings) -> Iterator[None]:
    """Raise errors of Postgres as DatabaseError, with the server's reason and without any value."""
    try:
        yield
    except psycopg.Error as error:
        raise describe(settings, error) from error
    except Exception as error:
        cause = getattr(error, "orig", None)  # set by SQLAlchemy
        if not isinstance(cause, psycopg.Error):
            raise
        raise describe(settings, cause) from error


def place(settings: Settings) -> str:
    """The database in words, without its URL."""
    return f"the database of {URL_SETTING}" if settings.database_url else f"the embedded Postgres in {settings.home}"


def migrate_if_needed(url: str, connection: Connection) -> bool:
    """Migrate to this program's schema; False if it is current. Raises SchemaError if it is newer."""
    if schema_state(connection) is SchemaState.CURRENT:
        return False
    from coordstream.migrate import upgrade  # noqa: PLC0415 (loads Alembic, SQLAlchemy)

    state, to_rebuild = upgrade(url)
    if to_rebuild is not None:
        note(describe_recreation(to_rebuild))
    return state is not SchemaState.CURRENT


def describe_recreation(streams: Sequence[str]) -> str:
    """What a migration did that found tables of the projection missing; ``streams`` have to be rebuilt."""
    rest = _describe_rebuild(streams) if streams else "The archive has no streams to rebuild."
    return f"Tables of the schema projection were missing; it was re-created empty. {rest}"


def describe_missing_rows(connection: Connection) -> str:
    """Which streams lost their rows with their tables, and how to rebuild them; empty if none, or not readable."""
    try:
        streams = [name for (name,) in connection.execute(_TO_REBUILD, (NOT_FOLDED,)).fetchall()]
    except InsufficientPrivilege:  # a writer's
        return ""
    return _describe_rebuild(streams) if streams else ""


def _describe_rebuild(streams: Sequence[str]) -> str:
    number = "1 stream has" if len(streams) == 1 else f"{len(streams)} streams have"
    names = list_names(streams, _MOST_NAMES)
    return f"{number} to be rebuilt from the archive ({names}). Run `coordstream rebuild --all`."


def describe(settings: Settings, error: psycopg.Error) -> DatabaseError:
    reason = server_reason(error)
    if isinstance(error, _ENDED) or (reason is None and not isinstance(error, _REFUSED_BY_DRIVER)):
        lost = f"Lost the connection to {place(settings)} ({reason or failure_line(error)})."
        return DatabaseUnreachable(f"{lost} Try again when it is running.")
    if reason is None:  # the text of the driver may repeat the value
        return DatabaseError(
            f"The input has a value that {place(settings)} cannot store ({type(error).__name__}), such as a text "
            "with a null character. Correct the input."
        )
    if isinstance(error, psycopg.errors.DiskFull):
        return DatabaseError(f"The disk of {place(settings)} is full ({reason}). Free some space there.")
    advice = f" {GET_RIGHT}." if isinstance(error, InsufficientPrivilege) else ""
    advice = _LOCKED if isinstance(error, LockNotAvailable) else advice
    return DatabaseError(f"An error of {place(settings)}: {reason}.{advice}")


def schema_state(connection: Connection) -> SchemaState:
    """Compare the database's schema with this program's.

    For a user who may not read the revision, such as a reader, only the relations are compared: they are this
    program's, or of another version.
    """
    has_relations = installed_digest(connection) == digest()
    if connection.execute(_SEES_REVISION).fetchone() == (False,):
        return SchemaState.CURRENT if has_relations else SchemaState.OTHER
    revision = current_revision(connection)
    if revision is None or revision not in _revisions():
        return SchemaState.EMPTY if revision is None else SchemaState.NEWER
    if revision == head_revision() and missing_relations(connection, TABLES):
        return SchemaState.INCOMPLETE
    return SchemaState.CURRENT if revision == head_revision() and has_relations else SchemaState.OLDER


def require_current(connection: Connection) -> None:
    """Raise SchemaError, with what to do, unless the database's schema is this program's."""
    state = schema_state(connection)
    if state is not SchemaState.CURRENT:
        raise SchemaError(ADVICE[state])


def current_revision(connection: Connection) -> str | None:
    """The revision of the database's schema; None if it has none."""
    if connection.execute("select to_regclass('eventlog.alembic_version')").fetchone() == (None,):
        return None
    row = connection.execute("select version_num from eventlog.alembic_version").fetchone()
    return None if row is None else str(row[0])


def head_revision() -> str:
    """The newest revision of this program."""
    return max(_revisions())


@cache
def _revisions() -> frozenset[str]:
    """The revisions of this program: the file names of revisions begin with their numbers."""
    return frozenset(path.name.partition("_")[0] for path in (migrations_folder() / "versions").glob("*.py"))


def migrations_folder(package: Path = Path(__file__).parent) -> Path:
    """The folder of Alembic's ``env.py`` and ``versions``: in coordstream (a wheel), or beside it (a checkout).

    ``package`` is the folder of coordstream. Raises `CoordstreamError`: neither place has it, because the installation
    is broken.
    """
    for folder in (package / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise CoordstreamError(f"No migrations in {package} or beside it. Reinstall coordstream.")
