"""Ranges that a process applies for a follower elsewhere, which holds the stream."""

from collections.abc import Iterator
from typing import Any

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.source import OffsetLost
from projections.errors import LockLost
from projections.follow.delegated import Delegated, DelegatedWorker
from projections.follow.resume import LogSource
from projections.projector import CONFLICT_TRIES
from projections.stream_lock import StreamLocks
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.projections.follow.running import ORDERS, config, now, say
from tests.fixtures.properties.importing import SETTINGS
from tests.fixtures.waiting import wait_until

ARCHIVED = "select log_offset from eventlog.event order by 1"
POSITION = "select next_offset from projection.position"


@pytest.fixture
def holding(database_url: str, connected: Connection, cluster: MemorySource) -> Iterator[Connection]:
    """The follower's session, which holds the stream and has attached it."""
    say(cluster, a="1", b="2", c="3")
    with connect(database_url) as connection:
        assert StreamLocks(connection).take(ORDERS)
        LogSource(connected, cluster, SETTINGS, now).find_resume_point(ORDERS)
        yield connection


@pytest.fixture
def worker(connected: Connection, cluster: MemorySource) -> DelegatedWorker:
    return worker_of(connected, cluster)


def worker_of(connection: Connection, cluster: MemorySource) -> DelegatedWorker:
    return DelegatedWorker(connection, lambda name, _, first, until: cluster.read(name, first, until), SETTINGS, now)


def a_range(cluster: MemorySource, holding: Connection, first: int, until: int) -> Delegated:
    return Delegated(ORDERS, cluster.topics[ORDERS].topic_id, holding.info.backend_pid, first, until)


def test_a_range_that_is_applied_twice_adds_nothing(
    worker: DelegatedWorker, cluster: MemorySource, holding: Connection, connected: Connection
) -> None:
    worker.apply(a_range(cluster, holding, 0, 2))
    assert worker.apply(a_range(cluster, holding, 0, 3)).events == 1
    assert worker.apply(a_range(cluster, holding, 0, 3)) == (0, 3, None)
    assert connected.execute(ARCHIVED).fetchall() == [(0,), (1,), (2,)]


def test_workers_that_take_turns_notice_each_others_progress(
    worker: DelegatedWorker, cluster: MemorySource, holding: Connection, database_url: str, connected: Connection
) -> None:
    with connect(database_url) as elsewhere:
        other = worker_of(elsewhere, cluster)
        for first, one in enumerate((worker, other, worker)):
            assert one.apply(a_range(cluster, holding, first, first + 1)).events == 1
    assert [value for _, _, value in config(connected)] == ["1", "2", "3"]


def test_the_position_passes_offsets_without_events(
    worker: DelegatedWorker, cluster: MemorySource, holding: Connection, connected: Connection
) -> None:
    cluster.topics[ORDERS].skip(2)
    assert worker.apply(a_range(cluster, holding, 0, 5)).next_offset == 5
    assert connected.execute(POSITION).fetchall() == [(5,)]


@pytest.mark.parametrize(("first", "until", "changes"), [(1, 3, {}), (3, 3, {}), (0, 0, {}), (0, 3, {"topic_id": "b"})])
def test_a_range_that_does_not_continue_the_log_is_refused(
    worker: DelegatedWorker, cluster: MemorySource, holding: Connection, first: int, until: int, changes: dict[str, Any]
) -> None:
    with pytest.raises(OffsetLost):
        worker.apply(a_range(cluster, holding, first, until)._replace(**changes))


def test_nothing_is_written_once_another_session_holds_the_stream(
    worker: DelegatedWorker, cluster: MemorySource, holding: Connection, database_url: str, connected: Connection
) -> None:
    planned = a_range(cluster, holding, 0, 3)
    holding.close()
    with connect(database_url) as other:
        wait_until(lambda: StreamLocks(other).take(ORDERS), what="the stream to be free")
        with pytest.raises(LockLost):
            worker.apply(planned)
    assert connected.execute(ARCHIVED).fetchall() == []


def test_a_stream_is_not_taken_over_in_the_middle_of_a_batch(
    cluster: MemorySource, holding: Connection, database_url: str, connected: Connection
) -> None:
    planned = a_range(cluster, holding, 0, 3)

    def read(name: str, _: str | None, first: int, until: int) -> Iterator[object]:
        return cluster.read(name, first, until)

    with connect(database_url) as other:
        with connected.transaction():  # the batch's transaction is a part of this one
            DelegatedWorker(connected, read, SETTINGS, now).apply(planned)  # type: ignore[arg-type]
            holding.close()
            wait_until(lambda: StreamLocks(other).holder(ORDERS) is None, what="the end of the holder")
            assert not StreamLocks(other).take(ORDERS)
        assert StreamLocks(other).take(ORDERS)
        assert other.execute(POSITION).fetchall() == [(3,)]


def test_a_copy_of_a_range_ends_however_often_another_one_was_faster(
    cluster: MemorySource, holding: Connection, database_url: str, connected: Connection
) -> None:
    events = 2 * CONFLICT_TRIES
    say(cluster, **{f"k{number}": "1" for number in range(events)})
    with connect(database_url) as elsewhere:
        faster = worker_of(elsewhere, cluster)

        def read(stream_name: str, topic_id: str | None, first: int, until: int) -> Iterator[RecordedEvent]:
            faster.apply(a_range(cluster, holding, 0, min(first + 1, until)))
            return cluster.read(stream_name, first, until)

        slower = DelegatedWorker(connected, read, SETTINGS, now)
        assert slower.apply(a_range(cluster, holding, 0, events)).next_offset == events
