"""Resync: keys deleted during an absence are found and recorded once, even if the resync is interrupted."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import psycopg
import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1
from projections.follow.resume import LogSource, ResumePoint
from projections.follow.resync import resync
from projections.projector import OnStep, Projector
from projections.tracked_logs import Observation, make_current, read_observations
from tests.fixtures.memory_source import FIRST_MS, MemorySource, MemoryTopic
from tests.fixtures.projections.follow.running import ORDERS, server_time
from tests.fixtures.properties.importing import SETTINGS, always_copying
from tests.postgres.projections.follow.steps import (
    GAPS,
    NOW,
    at_the_old_position,
    grow,
    key,
    read_to_end,
    resume,
    set_config,
    shown,
)

pytestmark = pytest.mark.slow

CHECKPOINTS: Final = "__samza_checkpoint_ver_1_for_orders_1"
LATER: Final = NOW + timedelta(days=2)
CONFIG: Final = "select config_key, config_value, log_offset from coordinator.config order by 1"
HISTORY: Final = """
select config_key, operation, log_offset from coordinator.config_history order by log_offset, config_key
"""
AS_OF: Final = f"""
select second, config_key, config_value from generate_series(0, 2) second
cross join lateral coordinator.config_as_of('orders', '1', to_timestamp({FIRST_MS} / 1000 + second)) order by 1, 2
"""
POSITION: Final = "select next_offset, resync_from, read_at from projection.position"


class Killed(Exception):
    """The process was killed."""


def run_resync(
    connection: Connection,
    source: MemorySource,
    *,
    now: datetime = LATER,
    stream_name: str = ORDERS,
    batch_events: int = 2,
    on_step: OnStep = lambda _: None,
    on_batch: Callable[[Sequence[RecordedEvent]], None] = lambda _: None,
) -> ResumePoint:
    start = resume(connection, source, now, stream_name)
    assert start.resync
    projector = always_copying(on_step)(connection, start.log, SETTINGS, lambda: now)
    with server_time(now):
        logs = LogSource(connection, source, SETTINGS, lambda: now)
        return resync(logs, projector, start, batch_events=batch_events, on_batch=on_batch)


CONFIG_AFTER: Final = [("a", "1", 0), ("c", "3", 2), ("d", "44", 7), ("e", "5", 4), ("g", "7", 9)]
HISTORY_AFTER: Final = [
    *((name, "set", offset) for offset, name in enumerate("abcdef")),
    *(("d", "set", 7), ("b", "delete", 9), ("f", "delete", 9), ("g", "set", 9)),
]
OBSERVATIONS: Final = [
    Observation(6, "gap", None, 6, 6),
    Observation(9, "swept", key("b")),
    Observation(9, "swept", key("f")),
]


@pytest.fixture
def topic(connected: Connection, cluster: MemorySource) -> MemoryTopic:
    """The topic at the position of an absent follower."""
    topic = at_the_old_position(cluster)
    read_to_end(connected, cluster)
    return topic


@pytest.mark.parametrize("batch_events", [1, 3, 40_000])
def test_keys_deleted_during_the_absence_are_swept(
    connected: Connection, cluster: MemorySource, topic: MemoryTopic, batch_events: int
) -> None:
    grow(topic)
    after = run_resync(connected, cluster, batch_events=batch_events)
    assert shown(connected, CONFIG) == CONFIG_AFTER
    assert shown(connected, HISTORY) == HISTORY_AFTER
    assert list(read_observations(connected, after.log.log_id)) == OBSERVATIONS
    assert shown(connected, GAPS) == [(1, 6, 6, "compacted"), (1, 8, 8, "compacted")]
    assert (after.log.next_offset, after.resync, after.target) == (10, False, 10)
    assert after.message == f"{ORDERS} was read again from its start: found 2 deleted keys."
    assert shown(connected, POSITION) == [(10, None, LATER)]
    assert not resume(connected, cluster, LATER).resync


def test_the_projector_continues_after_the_resync(
    connected: Connection, cluster: MemorySource, topic: MemoryTopic
) -> None:
    grow(topic)
    start = resume(connected, cluster, LATER)
    projector = Projector(connected, start.log, SETTINGS, lambda: LATER)
    resync(LogSource(connected, cluster, SETTINGS, lambda: LATER), projector, start)
    set_config(topic, b="8")
    projector.apply(topic.events[-1:])
    assert ("b", "8", 10) in shown(connected, CONFIG)


def test_the_position_reaches_the_end_if_no_new_event_is_left(
    connected: Connection, cluster: MemorySource, topic: MemoryTopic
) -> None:
    set_config(topic, a=None, b=None)
    topic.compact()
    after = run_resync(connected, cluster)
    assert (after.log.next_offset, shown(connected, POSITION)) == (8, [(8, None, LATER)])
    assert [name for name, *_ in shown(connected, CONFIG)] == ["c", "d", "e", "f"]
    assert shown(connected, GAPS) == [(1, 6, 7, "compacted")]
    assert shown(connected, HISTORY)[-2:] == [("a", "delete", 7), ("b", "delete", 7)]


def test_a_log_that_starts_after_the_position_is_swept(
    connected: Connection, cluster: MemorySource, topic: MemoryTopic
) -> None:
    set_config(topic, x="1", y="2", z="3")
    topic.delete_before(8)
    run_resync(connected, cluster, now=NOW)
    assert shown(connected, CONFIG) == [("z", "3", 8)]
    assert shown(connected, GAPS) == [(1, 6, 7, "compacted")]


def test_a_key_that_was_only_in_quarantine_is_swept(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.topics[ORDERS]
    topic.append(key("bad"), b"{")
    topic.append(b"no key of ours", b"{}")
    topic.append(None, b"{}")
    set_config(topic, a="1")
    open_ones = "select log_offset from coordinator.quarantine where not is_resolved order by 1"
    read_to_end(connected, cluster)
    assert shown(connected, open_ones) == [(0,), (1,), (2,)]
    topic.append(key("bad"), None)
    topic.append(b"no key of ours", None)
    topic.compact()
    set_config(topic, b="2")
    after = run_resync(connected, cluster)
    assert shown(connected, open_ones) == [(2,)]
    swept = [key for _, kind, key, *_ in read_observations(connected, after.log.log_id) if kind == "swept"]
    assert swept == [key("bad"), b"no key of ours"]


def test_the_checkpoint_of_a_deleted_task_is_swept(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(CHECKPOINTS)
    grouper = "org.apache.samza.container.grouper.stream.GroupByPartitionFactory"
    keys = [
        b'{"systemstreampartition-grouper-factory":"%s","taskName":"%s","type":"%s"}'
        % (grouper.encode(), task, KEY_TYPE_V1.encode())
        for task in (b"Partition 0", b"Partition 1")
    ]
    value = b'{"SystemStreamPartition [kafka, in, 0]":{"system":"kafka","stream":"in","partition":"0","offset":"%d"}}'
    tasks = "select task_name, input_offset from coordinator.checkpoint order by 1"
    for task in keys:
        topic.append(task, value % 7)
    read_to_end(connected, cluster, stream_name=CHECKPOINTS)
    assert shown(connected, tasks) == [("Partition 0", "7"), ("Partition 1", "7")]
    topic.append(keys[0], None)
    topic.append(keys[1], value % 9)
    topic.compact()
    run_resync(connected, cluster, stream_name=CHECKPOINTS)
    assert shown(connected, tasks) == [("Partition 1", "9")]
    history = "select task_name, operation, log_offset from coordinator.checkpoint_history order by 3, 1"
    assert shown(connected, history)[-1] == ("Partition 1", "set", 3)
    assert ("Partition 0", "delete", 3) in shown(connected, history)


def test_a_key_written_again_during_the_resync_is_not_swept(
    connected: Connection, cluster: MemorySource, topic: MemoryTopic
) -> None:
    grow(topic)
    cluster.page_events = 1

    def write_again(batch: Sequence[RecordedEvent]) -> None:
        if batch[0].offset == 0:
            set_config(topic, e="55")
            topic.compact()

    after = run_resync(connected, cluster, batch_events=1, on_batch=write_again)
    assert list(read_observations(connected, after.log.log_id)) == OBSERVATIONS
    assert after.log.next_offset == 10


def test_a_different_event_far_below_the_position_begins_an_incarnation(
    connected: Connection, cluster: MemorySource, topic: MemoryTopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.follow.resume.TAIL_EVENTS", 1)
    grow(topic)
    topic.events[1] = topic.events[1]._replace(value=b"x")
    after = run_resync(connected, cluster)
    assert (after.log.incarnation, after.log.next_offset, after.resync) == (2, 0, False)
    assert after.message.startswith(f"{ORDERS} has a different event at offset 2 than before. ")
    assert shown(connected, GAPS) == [(1, 2, 5, "truncated")]
    assert [name for name, *_ in shown(connected, CONFIG)] == list("abcdef")
    assert resume(connected, cluster, LATER).log.incarnation == 2


def test_an_event_that_was_truncated_begins_an_incarnation(connected: Connection, cluster: MemorySource) -> None:
    """Compaction has removed all events that were written in place of the truncated ones."""
    topic = cluster.topics[ORDERS]
    set_config(topic, a="1", b="2", c="3")
    set_config(topic, a="4")
    read_to_end(connected, cluster)
    before = shown(connected, AS_OF)
    topic.truncate(3)
    set_config(topic, b="5")
    set_config(topic, b="6", c="7")
    topic.compact()
    after = run_resync(connected, cluster)
    assert (after.log.incarnation, after.log.next_offset, after.resync) == (2, 0, False)
    assert after.message.startswith(f"{ORDERS} was truncated: it lost its event at offset 3, which compaction keeps. ")
    assert shown(connected, GAPS) == [(1, 3, 3, "truncated")]
    make_current(connected, read_to_end(connected, cluster).log)
    assert (len(before), shown(connected, AS_OF)) == (6, before)


def test_the_loss_of_all_is_an_incarnation(connected: Connection, cluster: MemorySource, topic: MemoryTopic) -> None:
    topic.delete_before(6)
    after = run_resync(connected, cluster)
    assert (after.log.incarnation, after.log.next_offset, shown(connected, GAPS)) == (2, 6, [(1, 5, 5, "truncated")])


@pytest.mark.parametrize("occurrence", range(1, 13))
@pytest.mark.parametrize("loses_connection", [False, True], ids=["killed", "connection lost"])
def test_an_interrupted_resync_is_repeated_and_recorded_once(
    database_url: str,
    connected: Connection,
    cluster: MemorySource,
    topic: MemoryTopic,
    occurrence: int,
    loses_connection: bool,
) -> None:
    grow(topic)
    set_config(topic, h="8", i="9", j="10")
    left = occurrence

    def fail(_: str) -> None:
        nonlocal left
        left -= 1
        if left == 0 and loses_connection:
            with connect(database_url) as other:
                other.execute("select pg_terminate_backend(%s, 60000)", (backend,))  # waits for its end
        elif left == 0:
            raise Killed

    with connect(database_url) as connection:
        backend = connection.info.backend_pid
        with pytest.raises(psycopg.OperationalError if loses_connection else Killed):
            run_resync(connection, cluster, batch_events=2, on_step=fail)
    after = run_resync(connected, cluster, now=LATER + timedelta(minutes=1))
    assert shown(connected, CONFIG) == [*CONFIG_AFTER, ("h", "8", 10), ("i", "9", 11), ("j", "10", 12)]
    swept = [each for each in read_observations(connected, after.log.log_id) if each.kind == "swept"]
    assert swept == [Observation(12, "swept", key("b")), Observation(12, "swept", key("f"))]
    assert [row for row in shown(connected, HISTORY) if row[1] == "delete"] == [
        ("b", "delete", 12),
        ("f", "delete", 12),
    ]
    assert shown(connected, GAPS) == [(1, 6, 6, "compacted"), (1, 8, 8, "compacted")]
    assert shown(connected, POSITION) == [(13, None, LATER + timedelta(minutes=1))]
