"""Which errors are outages, which errors of a single stream pass, and how both are described."""

from typing import Final

import psycopg
from psycopg import errors

from eventlog.postgres.connection import GET_RIGHT, UNAVAILABLE, failure_line, refuses_login, server_reason
from eventlog.source import CredentialsRefused, SourceUnavailable, StreamMissing, StreamRefused, StreamUnavailable
from projections.errors import LockLost, RebuildNeeded

OUTAGES: Final = (*UNAVAILABLE, SourceUnavailable, LockLost)
"""Transient errors of brokers or database, which affect all streams: wait and retry. See `is_outage`."""

LIMITS: Final = (
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
    errors.TooManyColumns,
    errors.TooManyArguments,
    errors.QueryCanceled,
)
"""Operational errors by which the database answers that rows are too large for it, as those of one stream may be, or
that somebody cancelled the statement.
"""

RETRIED: Final = (StreamMissing, StreamRefused, RebuildNeeded, psycopg.Error)
"""Errors of a stream whose cause may be fixed. The others take another program or other settings."""

BLOCKED: Final = "another session has locked its rows, as a rebuild or a retention does"


def is_outage(error: Exception) -> bool:
    """Return whether an error affects all streams, rather than the one that was read or whose rows were written."""
    return isinstance(error, OUTAGES) and not isinstance(error, (StreamUnavailable, *LIMITS))


def stream_error_message(stream_name: str, error: Exception) -> str:
    """Describe a stream's error; of Postgres' message only the part that never holds values."""
    if not isinstance(error, psycopg.Error):
        return str(error)
    reason = server_reason(error) or type(error).__name__
    if isinstance(error, errors.InsufficientPrivilege):
        return f"{stream_name} cannot be followed ({reason}). {GET_RIGHT}"
    return f"{stream_name} cannot be followed: the database rejected its rows ({reason})"


def outage_message(error: Exception) -> str:
    """Describe an outage without values, and say that it is retried."""
    return f"{outage_reason(error)}; retrying"


def outage_reason(error: Exception) -> str:
    """Describe an outage without values."""
    if isinstance(error, SourceUnavailable | LockLost):
        return str(error).rstrip(".")
    what = "the disk of the database is full" if isinstance(error, errors.DiskFull) else "the database is unavailable"
    reason = server_reason(error) if isinstance(error, psycopg.Error) else None
    return f"{what} ({reason or failure_line(error).removeprefix('consuming input failed: ')})"


def is_login_refused(error: Exception) -> bool:
    """Return whether brokers or database refused the credentials, so retrying is unlikely to help."""
    return isinstance(error, CredentialsRefused) or (isinstance(error, psycopg.Error) and refuses_login(error))
