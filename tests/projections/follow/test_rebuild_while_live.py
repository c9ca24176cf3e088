"""A rebuild while a follower writes and readers read: the follower goes on, and no reader sees part of the rows."""

import threading
from typing import Final

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.source import PostgresSource
from projections.fold.log_clock import STRIDE
from projections.follow.follow_run import FollowPlan
from projections.rebuild import rebuild_log
from projections.table_differences import TableCheck
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.fixtures.waiting import wait_until
from tests.projections.follow.running import ORDERS, MakeLog, append, config, following, run
from tests.properties.importing import SETTINGS

pytestmark = pytest.mark.slow

KEYS: Final = 300
READERS: Final = 8
REBUILDS: Final = 5
DAMAGE: Final = "delete from projection.message_event where log_offset % 2 = 0"
COUNT: Final = "select count(*), count(distinct config_value) from coordinator.config where config_key like 'fixed.%'"


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
        connection.execute("delete from projection.message_current")
        rebuilt = rebuild_log(connection, logs_of(connection, ORDERS)[0], SETTINGS)
        assert [table.table for table in rebuilt.repaired] == ["event_key", "message_current"]
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


def test_readers_see_all_rows_during_rebuilds(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    log = make_log(ORDERS)
    append(log, **{f"fixed.{n}": str(n) for n in range(KEYS)})
    done = threading.Event()
    seen: list[tuple[int, int]] = []
    errors: list[BaseException] = []

    def read() -> None:
        try:
            with psycopg.connect(database_url, autocommit=True) as reader:
                while not done.is_set():
                    seen.extend(reader.execute(COUNT).fetchall())
        except BaseException as error:
            errors.append(error)

    with connect(database_url) as connection, following(database_url, source, FollowPlan((ORDERS,))):
        wait_until(lambda: connection.execute(COUNT).fetchone() == (KEYS, KEYS), what="the state")
        readers = [threading.Thread(target=read) for _ in range(READERS)]
        for reader in readers:
            reader.start()
        try:
            for number in range(REBUILDS):
                connection.execute(DAMAGE)
                rebuild_log(connection, logs_of(connection, ORDERS)[0], SETTINGS, batch_events=50)
                append(log, live=str(number))
            wait_until(lambda: ("orders", "live", str(REBUILDS - 1)) in config(connection), what="the last live event")
        finally:
            done.set()
            for reader in readers:
                reader.join()
        assert not errors
        assert set(seen) == {(KEYS, KEYS)}
        assert differences(connection) == []
