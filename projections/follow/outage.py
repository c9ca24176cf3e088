"""Which errors are the machines' and pass: the follower waits them out, and nothing of them is a bad event's fault."""

from typing import Final

import psycopg
from psycopg import errors

from eventlog.postgres.connection import failure_line, refuses_login, server_reason
from eventlog.source import CredentialsRefused, SourceUnavailable
from projections.errors import LockLost

CONFLICTS: Final = (errors.DeadlockDetected, errors.SerializationFailure)
"""Two writers were in each other's way and Postgres undid one: the same again, at once."""

OUTAGES: Final = (
    psycopg.OperationalError,  # also: disk full, out of memory, shutdown, crash
    psycopg.InterfaceError,
    errors.ReadOnlySqlTransaction,  # a standby answers, as in a failover
    errors.IdleInTransactionSessionTimeout,
    SourceUnavailable,
    LockLost,
)


def outage_sentence(error: Exception) -> str:
    """What is out of reach, in a sentence without values of anybody's."""
    return f"{outage_reason(error)}; waiting, and trying again"


def outage_reason(error: Exception) -> str:
    """The same without what is done about it."""
    if isinstance(error, SourceUnavailable | LockLost):
        return str(error).rstrip(".")
    return f"the database does not take events ({_reason(error)})"


def refuses_us(error: Exception) -> bool:
    """Whether brokers or the database do not accept our credentials, which they may not do later either."""
    return isinstance(error, CredentialsRefused) or (isinstance(error, psycopg.Error) and refuses_login(error))


def _reason(error: Exception) -> str:
    primary = server_reason(error) if isinstance(error, psycopg.Error) else None
    return failure_line(error).removeprefix("consuming input failed: ") if primary is None else primary
