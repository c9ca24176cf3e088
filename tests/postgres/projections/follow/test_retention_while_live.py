"""A retention while a follower writes and readers read: the follower goes on, and readers see every row of a state."""

from datetime import UTC, datetime
from typing import Any, Final

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.source import PostgresSource
from projections.follow.follow_run import FollowPlan
from projections.retention import Retention, retain
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.builders import config_set
from tests.fixtures.projections.follow.running import ORDERS, MakeLog, append, config, following, repeating, run
from tests.fixtures.projections.rebuilt import relations
from tests.fixtures.properties.importing import SETTINGS
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

KEYS: Final = 100
READERS: Final = 4
ROUNDS: Final = 4
AT_MS: Final = 1_790_000_000_000
"""Events of one millisecond would be kept, because the first with the log's time is."""
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
COUNT: Final = """
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


def is_verified(connection: Connection) -> bool:
    return verify_log(connection, logs_of(connection, ORDERS)[0], SETTINGS).is_equal


def test_follower_and_readers_go_on(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    log = make_log(ORDERS)
    append(log, **{f"fixed.{n}": str(n) for n in range(KEYS)})
    seen: list[tuple[int]] = []

    def read() -> None:
        with psycopg.connect(database_url, autocommit=True) as reader:
            seen.extend(reader.execute(COUNT).fetchall())

    with connect(database_url) as connection, following(database_url, source, FollowPlan((ORDERS,))) as running:
        wait_until(lambda: connection.execute(COUNT).fetchall() == [(KEYS,)] * 2, what="the state")
        with repeating(read, READERS):
            for number in range(ROUNDS):
                append(log, live=str(number))
                append(log, live=f"{number} again")
                wait_for(connection, f"{number} again")
                assert cut(connection).detached_tables
        append(log, live="the last one")
        wait_for(connection, "the last one")
        assert running.is_attached(ORDERS)
        assert not running.errors
        assert set(seen) == {(KEYS,)}
        assert is_verified(connection)


def test_an_older_snapshot_sees_its_rows_and_the_retained_events(
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
        assert reader.execute("select count(*) from coordinator.event where job_name = 'orders'").fetchone() == (2,)


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
        assert is_verified(connection)
