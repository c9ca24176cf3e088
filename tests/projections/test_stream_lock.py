"""One reader at a time: the lock of a stream, and who has it."""

import re
from datetime import UTC, datetime

import psycopg
import pytest

from eventlog.connection import connect
from projections.errors import LockLost, StreamBusy
from projections.stream_lock import LockHolder, StreamLocks, stream_lock
from tests.fixtures.waiting import wait_until

STREAM = "__samza_coordinator_orders_1"


def test_one_session_at_a_time_has_a_stream(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other:
        first, second = StreamLocks(one), StreamLocks(other)
        assert first.take(STREAM)
        assert not second.take(STREAM)
        assert second.take(f"{STREAM}0")
        first.release(STREAM)
        assert second.take(STREAM)


def test_the_holder_is_named(database_url: str) -> None:
    before = datetime.now(UTC)
    with connect(database_url, application_name="coordstream follow") as one, connect(database_url) as other:
        assert StreamLocks(other).holder(STREAM) is None
        StreamLocks(one).take(STREAM)
        holder = StreamLocks(other).holder(STREAM)
        assert holder is not None
        assert holder[:3] == (one.info.backend_pid, "127.0.0.1", "coordstream follow")
        assert holder.since is not None
        assert abs((holder.since - before).total_seconds()) < 60


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
def test_a_holder_in_words(holder: LockHolder, text: str) -> None:
    assert str(holder) == text


def test_the_lock_of_a_session_that_was_ended_is_free(database_url: str) -> None:
    with connect(database_url) as other:
        with connect(database_url) as one:
            locks = StreamLocks(one)
            locks.take(STREAM)
            locks.check()
            other.execute("select pg_terminate_backend(%s)", (one.info.backend_pid,))
            with pytest.raises(psycopg.OperationalError):
                locks.check()
            one.close()
        wait_until(lambda: StreamLocks(other).take(STREAM), what="the free lock")


def test_another_session_behind_the_connection_is_noticed(database_url: str) -> None:
    with connect(database_url) as one:
        locks = StreamLocks(one)
        locks._session += 1
        with pytest.raises(LockLost, match="connect to Postgres itself"):
            locks.check()


def test_a_stream_is_held_for_the_time_of_a_block(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other:
        with stream_lock(one, STREAM):
            with (
                pytest.raises(StreamBusy, match=r"is being read by coordstream on 127\.0\.0\.1 \(Postgres") as busy,
                stream_lock(other, STREAM),
            ):
                raise AssertionError("two hold the lock")
            assert re.search(rf"backend {one.info.backend_pid}, ", busy.value.holder)
        with stream_lock(other, STREAM):
            pass
