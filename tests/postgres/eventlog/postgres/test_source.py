"""Postgres logs as a follower reads them."""

import itertools
import threading
from collections.abc import Iterator, Sequence
from unittest.mock import create_autospec

import psycopg
import pytest

from eventlog.events import NewEvent
from eventlog.postgres import source as postgres_source
from eventlog.postgres.archive import read_archive
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.log_registry import insert_log
from eventlog.postgres.source import PostgresSource
from eventlog.source import EventSource, Read, SourceUnavailable, StreamRefused
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from tests.contracts.event_log import NOW, new_events
from tests.contracts.event_source import EventSourceContract
from tests.fixtures.database_sessions import end_sessions
from tests.fixtures.database_users import database_user
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.slow

ORDERS = coordinator_stream_name("orders")
COUNTS = coordinator_stream_name("counts")
AT_ONCE = 0.0
LONG = PATIENCE


class TestPostgresSource(EventSourceContract):
    backend = "postgres"

    @pytest.fixture(autouse=True)
    def _database(self, database_url: str) -> Iterator[None]:
        self._numbers = itertools.count()
        with connect(database_url) as connection:
            self._url, self._connection = database_url, connection
            yield

    def make_source(self) -> EventSource:
        return PostgresSource(self._url)

    def make_stream(self) -> str:
        name = coordinator_stream_name(f"job{next(self._numbers)}")
        PostgresEventLog.create(self._connection, identify(name))
        return name

    def append(self, stream_name: str, events: Sequence[NewEvent]) -> None:
        PostgresEventLog(self._connection, stream_name).append(events)


def created(url: str, stream_name: str, count: int = 0) -> PostgresEventLog:
    log = PostgresEventLog.create(url, identify(stream_name))
    log.append(new_events(count))
    return log


def offsets(reads: list[Read]) -> dict[str, list[int]]:
    return {read.stream_name: [event.offset for event in read.events] for read in reads}


def test_logs_of_other_backends_are_not_its_streams(
    database_url: str, connected: Connection, source: PostgresSource
) -> None:
    created(database_url, COUNTS).close()
    created(database_url, checkpoint_stream_name("counts")).close()
    insert_log(connected, ORDERS, "coordinator", 1, "recording", NOW)
    assert source.stream_names() == [checkpoint_stream_name("counts"), COUNTS]
    with pytest.raises(StreamRefused, match=r"archive of a recording log.*COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS"):
        source.describe(ORDERS)
    assert source.end_offsets([ORDERS, COUNTS]) == {COUNTS: 0}


def test_a_waiting_poll_is_notified_of_an_append(
    database_url: str, source: PostgresSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_source, "_QUERY_SECONDS", 10 * LONG)  # no query without a notification
    with created(database_url, ORDERS) as log:
        source.assign({ORDERS: 0})
        assert source.poll(AT_ONCE) == []
        appender = threading.Timer(0.05, log.append, [new_events(1)])
        appender.start()
        assert offsets(source.poll(LONG)) == {ORDERS: [0]}
        appender.join()


def test_an_append_without_a_notification_is_found_within_a_second(database_url: str, source: PostgresSource) -> None:
    with created(database_url, ORDERS) as log:
        source.assign({ORDERS: 0})
        source.poll(AT_ONCE)
        assert source._connection is not None
        source._connection.execute("unlisten *")
        log.append(new_events(1))
        assert offsets(source.poll(LONG)) == {ORDERS: [0]}


def test_a_stream_that_is_not_read_any_more_does_not_keep_a_poll_from_waiting(
    database_url: str, source: PostgresSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    with created(database_url, ORDERS) as log:
        source.assign({ORDERS: 0})
        source.poll(AT_ONCE)
        log.append(new_events(1))
        assert offsets(source.poll(LONG)) == {ORDERS: [0]}
        source.assign({})
        asked = create_autospec(psycopg.Connection.notifies, side_effect=psycopg.Connection.notifies)
        monkeypatch.setattr(psycopg.Connection, "notifies", asked)
        assert source.poll(0.2) == []
        assert 1 <= asked.call_count < 5


FALSE_NOTICES = {
    "no JSON": "garbage",
    "a list": "[]",
    "an empty object": "{}",
    "a name alone": f'{{"stream_name": "{ORDERS}"}}',
    "a name that is a list": '{"stream_name": [], "next_offset": 5}',
    "another stream": '{"stream_name": "nothing", "next_offset": 5}',
    "an end that is not there": f'{{"stream_name": "{ORDERS}", "next_offset": 1000}}',
    "too deep": "[" * 7_999,
    "nothing": "",
}


@pytest.mark.parametrize("payload", FALSE_NOTICES.values(), ids=FALSE_NOTICES)
def test_a_false_notification_moves_nothing(database_url: str, source: PostgresSource, payload: str) -> None:
    with created(database_url, ORDERS, 1) as log, database_user(database_url) as anybody:
        source.assign({ORDERS: 0})
        assert offsets(source.poll(AT_ONCE)) == {ORDERS: [0]}
        with psycopg.connect(anybody, autocommit=True) as login:
            login.execute("select pg_notify('coordstream_event', %s)", (payload,))
        assert source.poll(AT_ONCE) == []
        log.append(new_events(1))
        assert source.poll(LONG) == [Read(ORDERS, list(log.read(1)), 2)]


def test_a_notification_of_events_that_were_read_reads_nothing(
    database_url: str, source: PostgresSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = create_autospec(read_archive, side_effect=read_archive)
    monkeypatch.setattr(postgres_source, "read_archive", read)
    with created(database_url, ORDERS) as log:
        source.assign({ORDERS: 0})
        assert source.poll(AT_ONCE) == []
        log.append(new_events(2))
        assert offsets(source.poll(LONG)) == {ORDERS: [0, 1]}
        log.append(new_events(1))
        source.assign({ORDERS: 3})
        assert source.poll(AT_ONCE) == []
    assert read.call_count == 1


def test_large_values_come_a_few_at_a_time(database_url: str, source: PostgresSource) -> None:
    large = bytes(6 << 20)
    with created(database_url, ORDERS) as log:
        log.append([NewEvent(b"k", large, 1)] * 4)
        source.assign({ORDERS: 0})
        assert [offsets(source.poll(AT_ONCE)) for _ in range(3)] == [{ORDERS: [0, 1]}, {ORDERS: [2, 3]}, {}]


def test_a_lost_connection_is_reported_and_reopened(database_url: str, source: PostgresSource) -> None:
    created(database_url, ORDERS, 1).close()
    source.assign({ORDERS: 0})
    source.poll(AT_ONCE)
    end_sessions(database_url)
    with pytest.raises(SourceUnavailable, match="Cannot reach the database of the logs"):
        source.poll(LONG)
    with PostgresEventLog(database_url, ORDERS) as log:
        log.append(new_events(1))
    assert offsets(source.poll(AT_ONCE)) == {ORDERS: [1]}


def test_a_server_that_is_not_there() -> None:
    with PostgresSource("postgresql://u:secret@127.0.0.1:1/d") as source, pytest.raises(SourceUnavailable) as told:
        source.describe(ORDERS)
    assert "secret" not in str(told.value)
