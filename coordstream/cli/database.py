"""The one way in which commands reach the database."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from coordstream.cli.rebuild_hint import made_again_sentence, unfolded_sentence
from coordstream.errors import CoordstreamError
from coordstream.mask_key import secret_policy
from coordstream.postgres import EmbeddedPostgres
from coordstream.schema_check import is_current
from coordstream.settings import Settings, load_settings
from eventlog.postgres.connection import Connection, connect, failure_line, refuses_login, server_reason
from eventlog.secrets.secret_policy import SecretPolicy

URL_SETTING: Final = "COORDSTREAM_DATABASE_URL"
_UNREADABLE: Final = (
    f"{URL_SETTING} can't be read: write postgresql://user:password@host:port/name, "
    "with special characters of the password percent-encoded."
)


class DatabaseError(CoordstreamError):
    """The database can't be reached, or refused; statements and details, which may hold values, stay out."""


class DatabaseUnreachable(DatabaseError):
    """The database does not answer now: it may later."""


@dataclass(frozen=True)
class Database:
    """An open database whose schema is this program's; ``url`` holds the password."""

    settings: Settings
    connection: Connection
    url: str = field(repr=False)

    @property
    def secrets(self) -> SecretPolicy:
        """What counts as a secret, and the key of the installation that fingerprints are made with."""
        return secret_policy(self.settings)


@contextmanager
def open_database(*, warns: bool = True) -> Iterator[Database]:
    """The database of the settings, else the embedded one, which is started and migrated first.

    Where streams are to be rebuilt, a sentence on standard error says so, unless ``warns`` is false.

    Raises:
        CoordstreamError: one sentence; also for errors of Postgres within the ``with`` block.
    """
    settings = load_settings()
    url = database_url(settings)
    with database_errors(settings), connecting(settings, url) as connection:
        has_migrated = False
        if settings.database_url is None:
            has_migrated = migrate_if_needed(url, connection)
        else:
            require_schema(url, connection)
        if warns and not has_migrated and (sentence := unfolded_sentence(connection)):
            print(sentence, file=sys.stderr)
        yield Database(settings, connection, url)


def database_url(settings: Settings) -> str:
    """The URL that was set, else that of the embedded Postgres, which is started.

    Raises:
        DatabaseError: the URL can't be read; the message repeats nothing of it.
        EmbeddedPostgresError: the embedded Postgres can't be started.
    """
    if settings.database_url is None:
        return EmbeddedPostgres(settings.home).start()
    url = settings.database_url.get_secret_value()
    check_url(url)
    return url


def check_url(url: str) -> None:
    """Refuse a URL of which a password's special characters would make something else, such as a host's name."""
    try:
        options = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise DatabaseError(_UNREADABLE) from None
    ports = str(options.get("port", "")).split(",")
    if "@" in f"{options.get('host', '')}{options.get('dbname', '')}" or not all(p.isdecimal() for p in ports if p):
        raise DatabaseError(_UNREADABLE)


@contextmanager
def connecting(settings: Settings, url: str) -> Iterator[Connection]:
    """A connection, closed at the end. Raises DatabaseError, which says who can't be reached and why."""
    try:
        connection = connect(url)
    except psycopg.OperationalError as error:
        advice = "start it, or correct COORDSTREAM_DATABASE_URL" if settings.database_url else "see its log"
        kind = DatabaseError if refuses_login(error) else DatabaseUnreachable
        raise kind(f"{place(settings)} can't be reached ({failure_line(error)}): {advice}.") from None
    with connection:
        yield connection


@contextmanager
def database_errors(settings: Settings) -> Iterator[None]:
    """Turn errors of Postgres into one sentence each."""
    try:
        yield
    except psycopg.Error as error:
        raise _refusal(settings, error) from error
    except Exception as error:
        cause = getattr(error, "orig", None)  # SQLAlchemy's errors have it
        if not isinstance(cause, psycopg.Error):
            raise
        raise _refusal(settings, cause) from error


def place(settings: Settings) -> str:
    """The database in words, without its URL."""
    return f"the database of {URL_SETTING}" if settings.database_url else f"the embedded Postgres in {settings.home}"


def migrate_if_needed(url: str, connection: Connection) -> bool:
    """Bring the schema up to this program's; False if it was. Raises SchemaError where it is newer."""
    if is_current(connection):
        return False
    from coordstream.cli.schema import state_of  # noqa: PLC0415 (loads Alembic and SQLAlchemy)
    from coordstream.migrate import SchemaState, upgrade  # noqa: PLC0415

    if state_of(url) is SchemaState.CURRENT:
        return False
    if (unfolded := upgrade(url)) is not None:
        print(made_again_sentence(unfolded), file=sys.stderr)
    return True


def require_schema(url: str, connection: Connection) -> None:
    """Raise SchemaError, with what to do, unless the schema is this program's."""
    if not is_current(connection):
        from coordstream.cli.schema import require_current_schema  # noqa: PLC0415 (loads Alembic and SQLAlchemy)

        require_current_schema(url)


def _refusal(settings: Settings, error: psycopg.Error) -> DatabaseError:
    if (reason := server_reason(error)) is None:
        ended = f"{place(settings)} ended the connection ({failure_line(error)}): try again when it runs."
        return DatabaseUnreachable(ended)
    return DatabaseError(f"{place(settings)} refuses: {reason}.")
