"""Rebuilds and retentions while a follower writes and readers read: all go on, and no reader sees part of the rows."""

import itertools
import random
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.source import PostgresSource
from projections.fold.log_fold import STRIDE
from projections.follow.follow_run import FollowPlan
from projections.rebuild import rebuild_log
from projections.retention import Retention, retain
from projections.table_differences import TableCheck
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.builders import config_set
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.projections.follow.running import (
    ORDERS,
    MakeLog,
    append,
    config,
    following,
    repeating,
    run,
    wait_for_position,
)
from tests.fixtures.projections.rebuilt import relations
from tests.fixtures.properties.importing import SETTINGS
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

KEYS: Final = scaled(300, 200_000)
READERS: Final = scaled(8, 50)
REBUILDS: Final = scaled(3, 20)
APPENDED_AT_ONCE: Final = 10_000
COUNTING_READERS: Final = 2
"""These count all rows, which takes a second of CPU in the long form; the others read `SAMPLE` rows each time."""

SAMPLE: Final = 100
"""A rebuild replaces half of the rows, so that a sample of half a table would be complete in one of 2^100 reads."""

READER_PAUSE_SECONDS: Final = scaled(0, 10)
WRITER_PAUSE_SECONDS: Final = 0.05
LIVE: Final = "select config_value from coordinator.config where config_key = 'live'"
DAMAGE: Final = """
delete from projection.message_event where log_offset % 2 = 0;
update projection.config set host = 'elsewhere' where key_id % 2 = 0
"""
"""What `COUNT` does not show, in half of the rows that it reads."""
COUNT: Final = "select count(*), count(distinct config_value) from coordinator.config where config_key like 'fixed.%'"
COUNT_SAMPLE: Final = """
select count(*), count(distinct config_value) from coordinator.config
where job_name = 'orders' and job_id = '1' and config_key = any(%s)
"""


def differences(connection: Connection) -> list[TableCheck]:
    """The tables that differ from the log."""
    verification = verify_log(connection, logs_of(connection, ORDERS)[0], SETTINGS)
    return [table for table in verification.tables if not table.is_equal]


def test_a_follower_goes_on_after_a_rebuild(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    log = make_log(ORDERS)
    append(log, **{"job.name": "orders", "a": "1"})
    with connect(database_url) as connection, following(database_url, source, FollowPlan((ORDERS,))) as running:
        wait_until(lambda: ("orders", "a", "1") in config(connection), what="the first events")
        connection.execute("delete from projection.event_key where key_id = 2")
        connection.execute("delete from projection.config")
        rebuilt = rebuild_log(connection, logs_of(connection, ORDERS)[0], SETTINGS)
        assert [table.table for table in rebuilt.repaired] == ["event_key", "config"]
        append(log, a="2", b="3")
        wait_until(lambda: ("orders", "b", "3") in config(connection), what="the events after the rebuild")
        assert ("orders", "a", "2") in config(connection)
        assert running.is_attached(ORDERS)
        assert not running.errors
        assert differences(connection) == []


def test_a_follower_that_starts_again_has_the_log_time_of_its_position(
    database_url: str, source: PostgresSource, make_log: MakeLog
) -> None:
    log = make_log(ORDERS, a="1")
    plan = FollowPlan((ORDERS,), once=True)
    with connect(database_url) as connection:
        run(database_url, source, plan)
        append(log, **{f"early.{n}": str(n) for n in range(STRIDE)})
        append(log, late="1")
        run(database_url, source, plan)
        assert differences(connection) == []


@pytest.mark.torture
def test_readers_see_all_rows_during_rebuilds(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    log = make_log(ORDERS)
    for first in range(0, KEYS, APPENDED_AT_ONCE):
        append(log, **{f"fixed.{n}": str(n) for n in range(first, min(first + APPENDED_AT_ONCE, KEYS))})
    seen: list[tuple[int, int]] = []
    sampled: list[tuple[int, int]] = []
    numbers = itertools.count(1)

    def count() -> None:
        with psycopg.connect(database_url, autocommit=True) as reader:
            seen.extend(reader.execute(COUNT).fetchall())

    def count_sample() -> None:
        keys = [f"fixed.{number}" for number in random.sample(range(KEYS), SAMPLE)]
        with psycopg.connect(database_url, autocommit=True) as reader:
            sampled.extend(reader.execute(COUNT_SAMPLE, (keys,)).fetchall())

    with connect(database_url) as connection, following(database_url, source, FollowPlan((ORDERS,))):
        wait_for_position(connection, ORDERS, KEYS)
        with (
            repeating(count, COUNTING_READERS, READER_PAUSE_SECONDS),
            repeating(count_sample, READERS - COUNTING_READERS, READER_PAUSE_SECONDS),
            repeating(lambda: append(log, live=str(next(numbers))), 1, WRITER_PAUSE_SECONDS),
        ):
            for _ in range(REBUILDS):
                connection.execute(DAMAGE.encode())
                rebuilt = rebuild_log(connection, logs_of(connection, ORDERS)[0], SETTINGS, batch_events=KEYS // 6)
                assert {table.table for table in rebuilt.repaired} == {"message_event", "config"}
        append(log, live="last")
        reads = f"{len(seen)} counts and {len(sampled)} samples by {READERS} readers"
        print(f"{reads}, and {next(numbers)} writes during {REBUILDS} rebuilds")
        wait_until(lambda: connection.execute(LIVE).fetchone() == ("last",), what="the last live event")
        assert set(seen) == {(KEYS, KEYS)}
        assert set(sampled) == {(SAMPLE, SAMPLE)}
        assert differences(connection) == []


STATE_KEYS: Final = 100
STATE_READERS: Final = 4
ROUNDS: Final = 4
AT_MS: Final = 1_790_000_000_000
"""Events of one millisecond would be kept, because the first with the log's time is."""
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
COUNT_STATE: Final = """
select count(*) from coordinator.config where config_key like 'fixed.%'
union all
select count(distinct m.key_id) from projection.message_event m join projection.event_key k using (log_id, key_id)
where k.message_key like 'fixed.%'
"""
PARTITIONS: Final = "select inhrelid::regclass::text from pg_inherits order by 1"


def cut(connection: Any) -> Retention:
    """Detach all events but those of the current state."""
    return retain(connection, logs_of(connection, ORDERS), SETTINGS, LATER)


def wait_for(connection: Connection, live: str) -> None:
    wait_until(lambda: ("orders", "live", live) in config(connection), what="the live event")


def test_follower_and_readers_go_on(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    log = make_log(ORDERS)
    append(log, **{f"fixed.{n}": str(n) for n in range(STATE_KEYS)})
    seen: list[tuple[int]] = []

    def read() -> None:
        with psycopg.connect(database_url, autocommit=True) as reader:
            seen.extend(reader.execute(COUNT_STATE).fetchall())

    with connect(database_url) as connection, following(database_url, source, FollowPlan((ORDERS,))) as running:
        wait_until(lambda: connection.execute(COUNT_STATE).fetchall() == [(STATE_KEYS,)] * 2, what="the state")
        with repeating(read, STATE_READERS):
            for number in range(ROUNDS):
                append(log, live=str(number))
                append(log, live=f"{number} again")
                wait_for(connection, f"{number} again")
                assert cut(connection).detached_tables
        append(log, live="the last one")
        wait_for(connection, "the last one")
        assert running.is_attached(ORDERS)
        assert not running.errors
        assert set(seen) == {(STATE_KEYS,)}
        assert differences(connection) == []


def test_an_older_snapshot_sees_its_rows_and_the_retained_archive(
    database_url: str, source: PostgresSource, make_log: MakeLog
) -> None:
    log = make_log(ORDERS)
    log.append([config_set("a", str(number), at=AT_MS + number) for number in (1, 2, 3)])
    run(database_url, source, FollowPlan((ORDERS,), once=True))
    with connect(database_url) as connection, connect(database_url) as reader, reader.transaction():
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select from projection.gap")
        assert len(cut(connection).detached_tables) == 1
        rows = reader.execute("select log_offset, config_value from coordinator.config_history order by 1").fetchall()
        assert rows == [(0, "1"), (1, "2"), (2, "3")]
        assert reader.execute("select count(*) from coordinator.event where job_name = 'orders'").fetchone() == (3,)
        assert reader.execute("select count(*) from projection.archived_event").fetchone() == (2,)


class FailingConnection:
    """Passes everything to a connection, and fails before a statement."""

    def __init__(self, connection: Connection, fail_before: int) -> None:
        self._connection = connection
        self._left = fail_before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, *arguments: Any, **options: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            raise InterruptedError
        return self._connection.execute(*arguments, **options)


def test_an_interrupted_run_changes_nothing(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    log = make_log(ORDERS)
    append(log, **{f"fixed.{n}": str(n) for n in range(5)})
    append(log, **{f"fixed.{n}": "again" for n in range(5)})
    run(database_url, source, FollowPlan((ORDERS,), once=True))
    statement, interrupted = 0, 0
    with connect(database_url) as connection:
        before, partitions = relations(connection), connection.execute(PARTITIONS).fetchall()
        while True:
            statement += 7
            try:
                cut(FailingConnection(connection, statement))
                break
            except InterruptedError:
                interrupted += 1
                assert relations(connection) == before
                assert connection.execute(PARTITIONS).fetchall() == partitions
        assert interrupted > 5
        assert relations(connection) != before
        assert differences(connection) == []
