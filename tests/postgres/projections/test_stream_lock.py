"""One reader of a stream at a time: its lock and its holder."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.errors import QueryCanceled

from eventlog.postgres.connection import connect
from projections.errors import LockLost, StreamBusy
from projections.stream_lock import LockHolder, StreamLocks, stream_lock
from tests.fixtures.database_users import database_user, user_of
from tests.fixtures.waiting import wait_until

STREAM = "__samza_coordinator_orders_1"


@pytest.mark.parametrize(
    ("holder", "text"),
    [
        (
            LockHolder(7, "10.0.0.1", "coordstream follow", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
            "coordstream follow on 10.0.0.1 (Postgres backend 7, connected since 2026-01-02 03:04:05 UTC)",
        ),
        (LockHolder(7, None, None, None), "another program (Postgres backend 7)"),
    ],
)
def test_the_description_of_a_holder(holder: LockHolder, text: str) -> None:
    assert str(holder) == text


def test_a_session_that_ends_frees_its_streams(database_url: str) -> None:
    with connect(database_url) as other:
        with connect(database_url) as one:
            locks = StreamLocks(one)
            locks.take(STREAM)
            locks.check()
            other.execute("select pg_terminate_backend(%s, 60000)", (one.info.backend_pid,))
            with pytest.raises(psycopg.OperationalError):
                locks.check()
            one.close()
        wait_until(lambda: StreamLocks(other).take(STREAM), what="the free lock")


def test_the_end_of_a_session_is_noticed_without_a_query(database_url: str) -> None:
    with connect(database_url) as other, connect(database_url) as one:
        locks = StreamLocks(one)
        ran = other.execute(LAST_STATEMENT, (one.info.backend_pid,)).fetchall()
        locks.notice_end()
        assert other.execute(LAST_STATEMENT, (one.info.backend_pid,)).fetchall() == ran
        other.execute("select pg_terminate_backend(%s, 60000)", (one.info.backend_pid,))
        with pytest.raises(psycopg.errors.AdminShutdown, match="due to administrator command"):
            locks.notice_end()


def test_a_session_that_was_exchanged_behind_the_connection_is_an_error(database_url: str) -> None:
    with connect(database_url) as one:
        locks = StreamLocks(one)
        locks._session += 1
        with pytest.raises(LockLost, match="Connect directly, or through a pooler"):
            locks.check()


LAST_STATEMENT = "select query_start from pg_stat_activity where pid = %s"
HELD = "select classid::integer, objid::integer from pg_locks where locktype = 'advisory' and pid = %s"


def test_a_login_without_rights_holds_no_stream(database_url: str) -> None:
    with connect(database_url) as one, database_user(database_url) as anybody:
        locks = StreamLocks(one)
        assert locks.take(STREAM)
        (number,) = one.execute(HELD, (one.info.backend_pid,)).fetchall()
        locks.release(STREAM)
        with psycopg.connect(anybody, autocommit=True) as login:
            login.execute("select pg_advisory_lock(7106407, hashtext(%s)), pg_advisory_lock(%s, %s)", (STREAM, *number))
            assert locks.holder(STREAM) is None
            assert locks.take(STREAM)
            assert one.execute(HELD, (one.info.backend_pid,)).fetchall() != [number]
            with connect(database_url) as other:
                assert not StreamLocks(other).take(STREAM)


def test_a_holder_that_runs_no_statement_is_silent(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other:
        StreamLocks(one).take(STREAM)
        locks = StreamLocks(other)

        def holder() -> LockHolder:
            found = locks.holder(STREAM)
            assert found is not None
            return found

        wait_until(lambda: holder().last_seen_at, what="the silence")
        before = holder().last_seen_at
        one.execute("select")
        after = holder().last_seen_at
        assert before is not None
        assert after is not None
        assert after > before
        with ThreadPoolExecutor(1) as pool:
            sleep = pool.submit(one.execute, "select pg_sleep(60)")
            asleep = "select wait_event = 'PgSleep' from pg_stat_activity where pid = %s"
            wait_until(lambda: other.execute(asleep, (one.info.backend_pid,)).fetchone() == (True,), what="the sleep")
            assert holder().last_seen_at is None  # it is at work
            one.cancel_safe()
            with pytest.raises(QueryCanceled):
                sleep.result()


def test_a_user_who_cannot_see_the_session(database_url: str) -> None:
    """Another user with all rights on the tables cannot see the session's activity, so heartbeats tell."""
    with connect(database_url) as one, database_user(database_url) as writer:
        user = user_of(writer)
        one.execute(f"grant usage on schema eventlog, projection to {user}".encode())
        one.execute(f"grant all on all tables in schema eventlog, projection to {user}".encode())
        one.execute(f"grant execute on all functions in schema projection to {user}".encode())
        StreamLocks(one).take(STREAM)
        with connect(writer) as other:
            locks = StreamLocks(other)
            assert not locks.take(STREAM)
            other.execute(
                "insert into projection.job_log values (1, %s, 'coordinator', 1, 'a', 'a', '1', 1, true, true)",
                (STREAM,),
            )
            hour_ago = "now() - interval '1 hour'"
            other.execute(f"insert into projection.position values (1, 0, null, {hour_ago}, 'live', 'x')".encode())
            holder = locks.holder(STREAM)
            assert holder is not None
            assert (holder.since, holder.is_silent) == (None, True)


def test_a_stream_is_held_during_a_block(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other:
        with stream_lock(one, STREAM):
            with (
                pytest.raises(StreamBusy, match=r"is being read by coordstream on 127\.0\.0\.1 \(Postgres") as busy,
                stream_lock(other, STREAM),
            ):
                raise AssertionError("two sessions hold the lock")
            assert re.search(rf"backend {one.info.backend_pid}, connected since 20.* UTC\)", str(busy.value))
        with stream_lock(other, STREAM):
            pass


def test_a_locked_entry_delays_neither_taking_nor_releasing_its_stream(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other, connect(database_url) as third:
        locks, free = StreamLocks(one), f"{STREAM}0"
        for name in (STREAM, free):
            assert locks.take(name)
        locks.release(free)
        with third.transaction():
            third.execute("select from projection.stream_holder for share")
            assert not locks.take(free)
            locks.release(STREAM)
            assert one.execute(HELD, (one.info.backend_pid,)).fetchall() == []
        assert StreamLocks(other).take(STREAM)
        assert StreamLocks(other).take(free)


def test_a_silent_holder_is_lost_as_soon_as_a_follower_without_heartbeats(database_url: str) -> None:
    comment = "select col_description('coordinator.log_position'::regclass, attnum) from pg_attribute"
    with connect(database_url) as one, connect(database_url) as other:
        StreamLocks(one).take(STREAM)
        ((after,),) = other.execute("select extract(epoch from projection.lost_after())::integer")
        for milliseconds in (0, 1):
            beat = f"now() - projection.lost_after() - interval '{milliseconds} ms'"
            ((is_lost,),) = other.execute(f"select projection.is_lost('live', {beat}, now())".encode())
            assert is_lost == (milliseconds > 0)
        holder = StreamLocks(other).holder(STREAM)
        assert holder is not None
        assert not holder.is_silent
        column = "where attrelid = 'coordinator.log_position'::regclass and attname = 'heartbeat_at'"
        ((text,),) = other.execute(f"{comment} {column}".encode())
        assert str(after) in text
