"""Which errors are waited out."""

import psycopg
import pytest
from psycopg import errors

from eventlog.source import SourceUnavailable, StreamMissing, StreamRefused
from projections.errors import LockLost, PositionMoved, ProjectionError
from projections.follow.outage import CONFLICTS, OUTAGES, outage_sentence

PASSING = (
    errors.DiskFull,
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.ConnectionFailure,
    errors.TooManyConnections,
    errors.OutOfMemory,
    errors.LockNotAvailable,
    errors.ReadOnlySqlTransaction,
    psycopg.OperationalError,
    psycopg.InterfaceError,
)


@pytest.mark.parametrize("kind", PASSING)
def test_what_machines_do_is_waited_out(kind: type[Exception]) -> None:
    assert isinstance(kind(), OUTAGES)


@pytest.mark.parametrize("kind", [errors.CheckViolation, errors.UndefinedTable, errors.InsufficientPrivilege])
def test_what_waiting_does_not_mend_is_no_outage(kind: type[Exception]) -> None:
    assert not isinstance(kind(), OUTAGES)


@pytest.mark.parametrize("error", [StreamMissing("s", "Kafka"), StreamRefused("s", "why"), PositionMoved("s", 1)])
def test_the_trouble_of_one_stream_is_no_outage(error: Exception) -> None:
    assert not isinstance(error, OUTAGES)


def test_conflicts_of_writers_are_told_from_outages_first() -> None:
    assert {errors.DeadlockDetected, errors.SerializationFailure} == set(CONFLICTS)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            psycopg.OperationalError("consuming input failed: server closed the connection\n\tlong advice"),
            "the database does not take events (server closed the connection); waiting, and trying again",
        ),
        (
            psycopg.OperationalError('connection failed: connection to "127.0.0.1" FATAL:  the system is starting up'),
            "the database does not take events (the system is starting up); waiting, and trying again",
        ),
        (errors.DiskFull(), "the database does not take events (DiskFull); waiting, and trying again"),
        (SourceUnavailable("Kafka is gone."), "Kafka is gone; waiting, and trying again"),
    ],
)
def test_an_outage_is_told_in_one_sentence(error: Exception, sentence: str) -> None:
    assert outage_sentence(error) == sentence


def test_a_lost_lock_is_an_outage() -> None:
    lost: ProjectionError = LockLost()
    assert isinstance(lost, OUTAGES)
    assert "locks" in outage_sentence(lost)
