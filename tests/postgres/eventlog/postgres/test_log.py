"""The event log in Postgres."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import repeat

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from eventlog.events import LOG_APPEND_TIME, EventColumns, NewEvent, RecordedEvent
from eventlog.log import AppendConflict, AppendRefused, Clock, EventLog, StreamExists
from eventlog.postgres.archive import archive_events
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import EVENT_CHANNEL, PostgresEventLog, UnknownStream
from eventlog.postgres.log_registry import insert_log
from eventlog.postgres.table_partitions import PARTITION_OFFSETS, ensure_partition
from eventlog.source import CredentialsRefused, SourceUnavailable
from eventlog.streams import checkpoint_stream_name, identify
from eventlog.wire.coordinator import encode_key
from tests.contracts.event_log import NOW, STREAM, ConditionalAppendContract, clock, new_events
from tests.fixtures.database_sessions import end_sessions
from tests.fixtures.waiting import PATIENCE, wait_until

CONFIG_A = NewEvent(encode_key("set-config", "a"), b'{"values":{"value":"1"}}')


class TestPostgresEventLog(ConditionalAppendContract):
    @pytest.fixture(autouse=True)
    def _database(self, database_url: str) -> None:
        self.url = database_url

    def make_log(self, clock: Clock) -> EventLog:
        return PostgresEventLog.create(self.url, STREAM, clock=clock)

    def open_again(self, log: EventLog) -> EventLog:
        return PostgresEventLog(self.url, log.stream_name, clock=clock)


def test_a_stream_is_created_once(database_url: str) -> None:
    PostgresEventLog.create(database_url, STREAM).close()
    with pytest.raises(StreamExists, match=r"already has a stream __samza_coordinator_orders_1\. Use it") as exists:
        PostgresEventLog.create(database_url, STREAM)
    assert exists.value.stream_name == STREAM.stream_name


def test_an_unknown_stream_is_reported(database_url: str) -> None:
    with pytest.raises(UnknownStream, match=r"no stream elsewhere\. Create it") as unknown:
        PostgresEventLog(database_url, "elsewhere")
    assert unknown.value.stream_name == "elsewhere"


@pytest.mark.parametrize(
    "call",
    [
        lambda log: log.append([CONFIG_A]),
        lambda log: log.append([CONFIG_A] * 20_000),
        lambda log: list(log.read()),
        lambda log: log.start_offset(),
        lambda log: log.end_offset(),
        lambda log: log.exclude_writers().__enter__(),
    ],
)
def test_an_ended_session_is_an_unavailable_source(
    database_url: str, call: Callable[[PostgresEventLog], object]
) -> None:
    with PostgresEventLog.create(database_url, STREAM) as log:
        end_sessions(database_url)
        for advice in ("", ".*Open the log again"):  # the second time, the connection is closed
            with pytest.raises(SourceUnavailable, match=f"Cannot reach the database of the logs{advice}"):
                call(log)


def test_a_session_that_ends_during_a_read_is_an_unavailable_source(database_url: str) -> None:
    with PostgresEventLog.create(database_url, STREAM) as log:
        log.append(new_events(3))
        events = log.read()
        end_sessions(database_url)
        with pytest.raises(SourceUnavailable):
            next(events)


def test_a_standby_is_an_unavailable_source(database_url: str) -> None:
    PostgresEventLog.create(database_url, STREAM).close()
    standby = make_conninfo(database_url, options="-c default_transaction_read_only=on")
    with (
        PostgresEventLog(standby, STREAM.stream_name) as log,
        pytest.raises(SourceUnavailable, match="read-only transaction"),
    ):
        log.append(new_events(1))


def test_errors_of_a_connection_of_the_caller_are_the_callers(database_url: str, connected: Connection) -> None:
    log = PostgresEventLog.create(connected, STREAM)
    end_sessions(database_url)
    with pytest.raises(psycopg.OperationalError):
        log.end_offset()


def test_a_database_that_does_not_answer_is_an_unavailable_source() -> None:
    nowhere = "postgresql://127.0.0.1:1/coordstream"
    with pytest.raises(SourceUnavailable, match="Connection refused"):
        PostgresEventLog(nowhere, STREAM.stream_name)
    with pytest.raises(SourceUnavailable, match="Connection refused"):
        PostgresEventLog.create(nowhere, STREAM)


def test_an_unusable_database_is_refused_without_its_url(empty_database_url: str) -> None:
    refused = pytest.raises(CredentialsRefused, match=r"log\" does not exist\. Run `coordstream db migrate`\.$")
    with refused:
        PostgresEventLog(empty_database_url, STREAM.stream_name)
    with refused:
        PostgresEventLog.create(empty_database_url, STREAM)
    with pytest.raises(CredentialsRefused, match="Expected postgresql://user") as invalid:
        PostgresEventLog("postgresql://ann:pl4nted%zz@host/name", STREAM.stream_name)
    assert "pl4nted" not in str(invalid.value)


def test_logs_of_one_database_do_not_mix(database_url: str) -> None:
    other = identify(checkpoint_stream_name("orders"))
    with PostgresEventLog.create(database_url, STREAM) as log, PostgresEventLog.create(database_url, other) as second:
        log.append(new_events(2))
        assert second.append(new_events(1, "other")) == range(1)
        assert [event.key for event in second.read()] == [b"other0"]
        assert (log.end_offset(), second.end_offset(), second.stream_kind) == (2, 1, "checkpoint")


def test_a_connection_of_the_caller_stays_open(connected: Connection) -> None:
    with PostgresEventLog.create(connected, STREAM, clock=clock) as log:
        log.append([NewEvent(b"k", b"v")])
        assert [event.timestamp_type for event in log.read()] == [LOG_APPEND_TIME]
        assert log.incarnation == 1
    assert connected.execute("select 1").fetchone() == (1,)


def test_an_append_is_part_of_the_callers_transaction(connected: Connection) -> None:
    with PostgresEventLog.create(connected, STREAM) as log:
        with suppress(ZeroDivisionError), connected.transaction():
            log.append(new_events(2))
            raise ZeroDivisionError
        assert list(log.read()) == []
        with connected.transaction():
            with pytest.raises(AppendConflict):
                log.append(new_events(1), expected_offset=7)
            assert log.append(new_events(1)) == range(1)
        assert log.end_offset() == 1


def test_writers_wait_for_each_other_so_that_no_gap_is_visible(database_url: str, connected: Connection) -> None:
    with PostgresEventLog.create(database_url, STREAM) as reader, ThreadPoolExecutor(1) as pool:
        slow = PostgresEventLog(connected, STREAM.stream_name)
        with connected.transaction():
            assert slow.append(new_events(2, "slow")) == range(2)
            second = pool.submit(_append_in_a_session_of_its_own, database_url)
            wait_until(lambda: _waits_for_a_lock(connected), what="the second writer to wait")
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("eventlog.postgres.log.APPEND_SECONDS", 0.2)
                with pytest.raises(SourceUnavailable, match=r"held __samza_coordinator_orders_1 for 0\.2 s\. Append"):
                    reader.append(new_events(1))
            assert (reader.end_offset(), list(reader.read())) == (0, [])
        assert second.result(timeout=PATIENCE) == range(2, 3)
        assert [event.key for event in reader.read()] == [b"slow0", b"slow1", b"fast0"]


def test_an_append_is_notified_when_it_is_committed(database_url: str) -> None:
    with connect(database_url) as listener, PostgresEventLog.create(database_url, STREAM) as log:
        listener.execute(f"listen {EVENT_CHANNEL}")
        log.append(new_events(3))
        log.append([])
        log.append(new_events(1))
        told = [json.loads(notice.payload) for notice in listener.notifies(timeout=PATIENCE, stop_after=2)]
    assert told == [{"stream_name": STREAM.stream_name, "next_offset": end} for end in (3, 4)]


def test_an_append_over_the_edge_of_a_partition(connected: Connection) -> None:
    with PostgresEventLog.create(connected, STREAM) as log:
        connected.execute("update eventlog.log_head set next_offset = %s", (PARTITION_OFFSETS - 1,))
        assert log.append(new_events(2)) == range(PARTITION_OFFSETS - 1, PARTITION_OFFSETS + 1)
        assert [event.offset for event in log.read()] == [PARTITION_OFFSETS - 1, PARTITION_OFFSETS]
        assert log.start_offset() == PARTITION_OFFSETS - 1


def test_the_archive_of_another_log_is_read_and_not_appended_to(connected: Connection) -> None:
    event = RecordedEvent(5, 1, 0, b"k", b"v")
    with connected.transaction():
        stored = insert_log(connected, STREAM.stream_name, "coordinator", 1, "recording", NOW)
        ensure_partition(connected, "eventlog", "event", 0)
        archive_events(connected, stored.log_id, repeat(0), EventColumns.of([event]))
    log = PostgresEventLog(connected, STREAM.stream_name)
    assert (log.start_offset(), log.end_offset(), list(log.read())) == (5, 6, [event])
    with pytest.raises(AppendRefused, match=r"orders_1: it was imported from a recording\. Set COORDSTREAM_KAFKA_"):
        log.append(new_events(1))


def _append_in_a_session_of_its_own(url: str) -> range:
    with PostgresEventLog(url, STREAM.stream_name) as log:
        return log.append(new_events(1, "fast"))


def _waits_for_a_lock(connection: Connection) -> bool:
    row = connection.execute(
        "select count(*) from pg_locks where not granted and pid <> pg_backend_pid()"
        " and pid in (select pid from pg_stat_activity where datname = current_database())"
    ).fetchone()
    return row is not None and row[0] > 0
