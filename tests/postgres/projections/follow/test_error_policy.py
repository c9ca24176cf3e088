"""Which errors are outages, and how errors are described."""

import psycopg
import pytest
from psycopg import errors

from eventlog.source import SourceUnavailable
from projections.errors import LockLost
from projections.follow.error_policy import OUTAGES, is_outage, outage_message, stream_error_message

TRANSIENT = (
    errors.DiskFull,
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.ConnectionFailure,
    errors.TooManyConnections,
    errors.OutOfMemory,
    errors.LockNotAvailable,
    errors.ReadOnlySqlTransaction,
    errors.IdleInTransactionSessionTimeout,
    errors.TransactionTimeout,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    LockLost,
)


@pytest.mark.parametrize("kind", TRANSIENT)
def test_transient_errors_are_outages(kind: type[Exception]) -> None:
    assert isinstance(kind(), OUTAGES)
    assert is_outage(kind())


def test_refused_statements_are_not_outages() -> None:
    """Every error of the class 54, program limit exceeded. Nor is a statement that somebody cancelled."""
    kinds = {kind for kind in vars(errors).values() if str(getattr(kind, "sqlstate", "")).startswith("54")}
    assert {errors.ProgramLimitExceeded, errors.StatementTooComplex} < kinds
    kinds.add(errors.QueryCanceled)
    assert not any(is_outage(kind()) for kind in kinds)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            psycopg.OperationalError("consuming input failed: server closed the connection\n\tlong advice"),
            "the database is unavailable (server closed the connection); retrying",
        ),
        (
            psycopg.OperationalError('connection failed: connection to "127.0.0.1" FATAL:  the system is starting up'),
            "the database is unavailable (the system is starting up); retrying",
        ),
        (errors.DiskFull(), "the disk of the database is full (DiskFull); retrying"),
        (SourceUnavailable("Kafka is gone."), "Kafka is gone; retrying"),
    ],
)
def test_outage_messages(error: Exception, message: str) -> None:
    assert outage_message(error) == message


def test_the_message_of_a_database_error_has_no_values(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("create temporary table t (a text primary key)")
        with pytest.raises(psycopg.errors.UniqueViolation, match="secret") as refused:
            connection.execute("insert into t values ('secret'), ('secret')")
    message = stream_error_message("s", refused.value)
    assert message == (
        's cannot be followed: the database rejected its rows (duplicate key value violates unique constraint "t_pkey")'
    )
