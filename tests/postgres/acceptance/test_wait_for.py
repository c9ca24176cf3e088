"""coordinator.wait_for: who has written an event learns when the relations say it."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import pytest
from psycopg import Error, IsolationLevel
from psycopg.errors import InvalidParameterValue, InvalidTransactionState, NoDataFound, NullValueNotAllowed

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from projections.projector import Projector
from projections.tracked_logs import logs_of, register_log
from tests.builders import config_set, recorded
from tests.fixtures.acceptance.imported_job import IMPORTED_AT, SETTINGS, ImportedJob
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

STREAM: Final = "__samza_coordinator_waited_1"
LONG_MS: Final = 60_000
EVENTS: Final = recorded([config_set("a", "1"), config_set("a", "2")])


@pytest.fixture
def writer(connected: Connection) -> Connection:
    """A connection to a database that knows the stream, of which nothing is folded."""
    with connected.transaction():
        register_log(connected, identify(STREAM), 1, "recording", SETTINGS, IMPORTED_AT)
    return connected


@pytest.fixture
def reader(writer: Connection, database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


def fold(connection: Connection, events: list[RecordedEvent]) -> None:
    Projector(connection, logs_of(connection, STREAM)[0], SETTINGS, lambda: IMPORTED_AT).apply(events)


def wait_for(connection: Connection, stream: str | None, offset: int | None, timeout_ms: int | None) -> Any:
    return connection.execute("select coordinator.wait_for(%s, %s, %s)", (stream, offset, timeout_ms)).fetchone()


@contextmanager
def waiting(reader: Connection, writer: Connection, offset: int) -> Iterator[Future[Any]]:
    """A wait that has begun."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(wait_for, reader, STREAM, offset, LONG_MS)
        asleep = "select wait_event = 'PgSleep' from pg_stat_activity where pid = %s"
        wait_until(lambda: writer.execute(asleep, (reader.info.backend_pid,)).fetchone() == (True,), what="the wait")
        yield answer


def config_value(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute("select config_value from coordinator.config").fetchall()


def test_what_is_folded_needs_no_wait(writer: Connection) -> None:
    fold(writer, EVENTS)
    assert wait_for(writer, STREAM, 1, 0) == (True,)
    assert wait_for(writer, STREAM, 2, 0) == (False,)


def test_it_waits_until_the_event_can_be_read(writer: Connection, reader: Connection) -> None:
    with waiting(reader, writer, 1) as answer:
        fold(writer, EVENTS[:1])
        assert not answer.done()
        fold(writer, EVENTS[1:])
        assert answer.result(timeout=PATIENCE) == (True,)
    assert config_value(reader) == [("2",)]


def test_it_waits_within_a_transaction_that_reads_committed(writer: Connection, reader: Connection) -> None:
    with reader.transaction(), waiting(reader, writer, 1) as answer:
        assert config_value(writer) == []
        fold(writer, EVENTS)
        assert answer.result(timeout=PATIENCE) == (True,)
        assert config_value(reader) == [("2",)]


def test_the_timeout_ends_the_wait(writer: Connection) -> None:
    clocks = "select clock_timestamp(), coordinator.wait_for(%s, 0, 150), clock_timestamp()"
    begun, answer, ended = writer.execute(clocks, (STREAM,)).fetchall()[0]
    assert not answer
    assert 0.15 <= (ended - begun).total_seconds() < PATIENCE / 2


def test_the_incarnation_that_is_shown_counts(writer: Connection) -> None:
    job = ImportedJob(writer, "waited", coordinator=[config_set("a", str(n)) for n in range(5)])
    assert wait_for(writer, STREAM, 4, 0) == (True,)
    job.import_recorded(STREAM, recorded([config_set("b", "1")]))
    assert wait_for(writer, STREAM, 4, 0) == (False,)
    assert wait_for(writer, STREAM, 0, 0) == (True,)


NULL: Final = "does not accept null: pass the name of a stream"


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("unknown", 0, LONG_MS), NoDataFound, r"^Unknown stream 'unknown'\. coordinator\.log_position has"),
        ((STREAM, 1, 600_001), InvalidParameterValue, r"^Invalid timeout_ms 600001\. .* at most 600000 ms"),
        ((None, 0, 0), NullValueNotAllowed, NULL),
        ((STREAM, None, 0), NullValueNotAllowed, NULL),
        ((STREAM, 0, None), NullValueNotAllowed, NULL),
    ],
)
def test_invalid_arguments_are_refused(writer: Connection, arguments: Any, error: type[Error], sentence: str) -> None:
    fold(writer, EVENTS)
    assert wait_for(writer, STREAM, 1, 600_000) == (True,)
    with pytest.raises(error, match=sentence):
        wait_for(writer, *arguments)


@pytest.mark.parametrize("level", [IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE])
def test_a_transaction_that_sees_no_commits_is_refused(writer: Connection, level: IsolationLevel) -> None:
    writer.isolation_level = level
    name = level.name.lower().replace("_", " ")
    with pytest.raises(InvalidTransactionState, match=f"cannot run in a {name} transaction"), writer.transaction():
        wait_for(writer, STREAM, 0, LONG_MS)
