"""Resync: keys deleted during an absence are found and recorded once, even if the resync is interrupted."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.source import SourceUnavailable
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1
from projections.follow.resume import ResumePoint, find_resume_point
from projections.follow.resync import LiveKeys, resync
from projections.projector import OnStep, Projector
from projections.tracked_logs import Observation, logs_of, read_observations
from tests.fixtures.memory_source import MemorySource, MemoryTopic
from tests.projections.follow.running import server_time
from tests.properties.importing import SETTINGS, always_copying, import_events

pytestmark = pytest.mark.slow

STREAM: Final = "__samza_coordinator_orders_1"
CHECKPOINTS: Final = "__samza_checkpoint_ver_1_for_orders_1"
NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
LATER: Final = NOW + timedelta(days=2)
CONFIG: Final = "select config_key, config_value, log_offset from coordinator.config order by 1"
HISTORY: Final = """
select config_key, operation, log_offset from coordinator.config_history order by log_offset, config_key
"""
GAPS: Final = "select first_missing_offset, last_missing_offset, reason from coordinator.log_gap order by 1"
POSITION: Final = "select next_offset, resync_from, read_at from projection.position"


class Killed(Exception):
    """The process was killed."""


def key(name: str) -> bytes:
    return b'[1,"set-config","%s"]' % name.encode()


def set_config(topic: MemoryTopic, **values: str | None) -> None:
    for name, value in values.items():
        topic.append(key(name), None if value is None else b'{"values":{"value":"%s"}}' % value.encode())


def shown(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query.encode()).fetchall()


def found(connection: Connection, source: MemorySource, now: datetime, stream: str = STREAM) -> ResumePoint:
    with server_time(now):
        return find_resume_point(connection, source, stream, SETTINGS, lambda: now)


def read_all(connection: Connection, source: MemorySource, now: datetime = NOW, stream: str = STREAM) -> None:
    """Read to the end without a resync, and stop."""
    start = found(connection, source, now, stream)
    assert not start.resync
    projector = Projector(connection, start.log, SETTINGS, lambda: now)
    projector.apply(list(source.read(stream, projector.next_offset, start.target)))
    connection.execute("update projection.position set read_at = %s where log_id = %s", (now, start.log.log_id))


def run_resync(
    connection: Connection,
    source: MemorySource,
    *,
    now: datetime = LATER,
    stream: str = STREAM,
    batch_events: int = 2,
    on_step: OnStep = lambda _: None,
    on_batch: Callable[[Sequence[RecordedEvent]], None] = lambda _: None,
) -> ResumePoint:
    start = found(connection, source, now, stream)
    assert start.resync
    projector = always_copying(on_step)(connection, start.log, SETTINGS, lambda: now)
    with server_time(now):
        return resync(
            connection, source, projector, start, SETTINGS, lambda: now, batch_events=batch_events, on_batch=on_batch
        )


def at_the_old_position(source: MemorySource) -> MemoryTopic:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2", c="3", d="4", e="5", f="6")
    return topic


def grow(topic: MemoryTopic) -> None:
    """Change the topic during an absence: delete and compact two keys, change one, add one."""
    set_config(topic, b=None, d="44", f=None, g="7")
    topic.compact()


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
def source() -> MemorySource:
    return MemorySource()


def test_keys_deleted_during_the_absence_are_swept(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        grow(topic)
        after = run_resync(connection, source)
        assert shown(connection, CONFIG) == CONFIG_AFTER
        assert shown(connection, HISTORY) == HISTORY_AFTER
        assert list(read_observations(connection, after.log.log_id)) == OBSERVATIONS
        assert shown(connection, GAPS) == [(6, 6, "compacted"), (8, 8, "compacted")]
        assert (after.log.next_offset, after.resync, after.target) == (10, False, 10)
        assert after.message == f"{STREAM} was read again from its start: found 2 deleted keys."
        assert shown(connection, POSITION) == [(10, None, LATER)]
        assert not found(connection, source, LATER).resync


def test_the_projector_continues_after_the_resync(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        grow(topic)
        start = found(connection, source, LATER)
        projector = Projector(connection, start.log, SETTINGS, lambda: LATER)
        resync(connection, source, projector, start, SETTINGS, lambda: LATER)
        set_config(topic, b="8")
        projector.apply(topic.events[-1:])
        assert ("b", "8", 10) in shown(connection, CONFIG)


@pytest.mark.parametrize("batch_events", [1, 3, 40_000])
def test_the_batch_size_makes_no_difference(database_url: str, source: MemorySource, batch_events: int) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        grow(topic)
        after = run_resync(connection, source, batch_events=batch_events)
        assert (shown(connection, CONFIG), shown(connection, HISTORY)) == (CONFIG_AFTER, HISTORY_AFTER)
        assert list(read_observations(connection, after.log.log_id)) == OBSERVATIONS


def test_nothing_is_swept_if_all_tombstones_are_left(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        set_config(topic, a=None, g="7")
        after = run_resync(connection, source)
        assert list(read_observations(connection, after.log.log_id)) == []
        assert shown(connection, GAPS) == []
        assert after.message == f"{STREAM} was read again from its start: found no deleted keys."
        assert ("a", "delete", 6) in shown(connection, HISTORY)


def test_the_position_reaches_the_end_if_no_new_event_is_left(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        set_config(topic, a=None, b=None)
        topic.compact()
        after = run_resync(connection, source)
        assert (after.log.next_offset, shown(connection, POSITION)) == (8, [(8, None, LATER)])
        assert [name for name, *_ in shown(connection, CONFIG)] == ["c", "d", "e", "f"]
        assert shown(connection, GAPS) == [(6, 7, "compacted")]
        assert shown(connection, HISTORY)[-2:] == [("a", "delete", 7), ("b", "delete", 7)]


def test_a_log_that_starts_after_the_position_is_swept(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        set_config(topic, x="1", y="2", z="3")
        topic.delete_before(8)
        run_resync(connection, source, now=NOW)
        assert shown(connection, CONFIG) == [("z", "3", 8)]
        assert shown(connection, GAPS) == [(6, 7, "compacted")]


def test_a_key_that_was_only_in_quarantine_is_swept(database_url: str, source: MemorySource) -> None:
    topic = source.create(STREAM)
    topic.append(key("bad"), b"{")
    topic.append(b"no key of ours", b"{}")
    topic.append(None, b"{}")
    set_config(topic, a="1")
    open_ones = "select log_offset from coordinator.quarantine where not is_resolved order by 1"
    with connect(database_url) as connection:
        read_all(connection, source)
        assert shown(connection, open_ones) == [(0,), (1,), (2,)]
        topic.append(key("bad"), None)
        topic.append(b"no key of ours", None)
        topic.compact()
        set_config(topic, b="2")
        after = run_resync(connection, source)
        assert shown(connection, open_ones) == [(2,)]
        swept = [key for _, kind, key, *_ in read_observations(connection, after.log.log_id) if kind == "swept"]
        assert swept == [key("bad"), b"no key of ours"]


def test_the_checkpoint_of_a_deleted_task_is_swept(database_url: str, source: MemorySource) -> None:
    topic = source.create(CHECKPOINTS)
    grouper = "org.apache.samza.container.grouper.stream.GroupByPartitionFactory"
    keys = [
        b'{"systemstreampartition-grouper-factory":"%s","taskName":"%s","type":"%s"}'
        % (grouper.encode(), task, KEY_TYPE_V1.encode())
        for task in (b"Partition 0", b"Partition 1")
    ]
    value = b'{"SystemStreamPartition [kafka, in, 0]":{"system":"kafka","stream":"in","partition":"0","offset":"%d"}}'
    tasks = "select task_name, input_offset from coordinator.checkpoint order by 1"
    with connect(database_url) as connection:
        for task in keys:
            topic.append(task, value % 7)
        read_all(connection, source, stream=CHECKPOINTS)
        assert shown(connection, tasks) == [("Partition 0", "7"), ("Partition 1", "7")]
        topic.append(keys[0], None)
        topic.append(keys[1], value % 9)
        topic.compact()
        run_resync(connection, source, stream=CHECKPOINTS)
        assert shown(connection, tasks) == [("Partition 1", "9")]
        history = "select task_name, operation, log_offset from coordinator.checkpoint_history order by 3, 1"
        assert shown(connection, history)[-1] == ("Partition 1", "set", 3)
        assert ("Partition 0", "delete", 3) in shown(connection, history)


def test_a_key_written_again_during_the_resync_is_not_swept(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        grow(topic)
        source.page_events = 1

        def write_again(batch: Sequence[RecordedEvent]) -> None:
            if batch[0].offset == 0:
                set_config(topic, e="55")
                topic.compact()

        after = run_resync(connection, source, batch_events=1, on_batch=write_again)
        assert list(read_observations(connection, after.log.log_id)) == OBSERVATIONS
        assert after.log.next_offset == 10


def test_a_different_event_far_below_the_position_begins_an_incarnation(
    database_url: str, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.follow.resume.TAIL_EVENTS", 1)
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        grow(topic)
        topic.events[1] = topic.events[1]._replace(value=b"x")
        after = run_resync(connection, source)
        assert (after.log.incarnation, after.log.next_offset, after.resync) == (2, 0, False)
        assert after.message.startswith(f"{STREAM} has a different event at offset 2 than before. ")
        assert shown(connection, GAPS) == [(2, 5, "truncated")]
        assert [name for name, *_ in shown(connection, CONFIG)] == list("abcdef")
        assert found(connection, source, LATER).log.incarnation == 2


def test_an_event_that_was_truncated_begins_an_incarnation(database_url: str, source: MemorySource) -> None:
    """Compaction has removed all events that were written in place of the truncated ones."""
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2", c="3")
    set_config(topic, a="4")
    with connect(database_url) as connection:
        read_all(connection, source)
        topic.truncate(3)
        set_config(topic, b="5")
        set_config(topic, b="6", c="7")
        topic.compact()
        after = run_resync(connection, source)
        assert (after.log.incarnation, after.log.next_offset, after.resync) == (2, 0, False)
        assert after.message.startswith(f"{STREAM} was truncated: it lost its event at offset 3, and has an older one ")
        assert shown(connection, GAPS) == [(3, 3, "truncated")]


@pytest.mark.parametrize("occurrence", range(1, 13))
@pytest.mark.parametrize("loses_connection", [False, True], ids=["killed", "connection lost"])
def test_an_interrupted_resync_is_repeated_and_recorded_once(
    database_url: str, source: MemorySource, occurrence: int, loses_connection: bool
) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
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
            run_resync(connection, source, batch_events=2, on_step=fail)
    with connect(database_url) as connection:
        after = run_resync(connection, source, now=LATER + timedelta(minutes=1))
        assert shown(connection, CONFIG) == [*CONFIG_AFTER, ("h", "8", 10), ("i", "9", 11), ("j", "10", 12)]
        swept = [each for each in read_observations(connection, after.log.log_id) if each.kind == "swept"]
        assert swept == [Observation(12, "swept", key("b")), Observation(12, "swept", key("f"))]
        assert [row for row in shown(connection, HISTORY) if row[1] == "delete"] == [
            ("b", "delete", 12),
            ("f", "delete", 12),
        ]
        assert shown(connection, GAPS) == [(6, 6, "compacted"), (8, 8, "compacted")]
        assert shown(connection, POSITION) == [(13, None, LATER + timedelta(minutes=1))]


def test_a_resync_is_repeated_after_an_outage(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    with connect(database_url) as connection:
        read_all(connection, source)
        grow(topic)
        source.page_events = 1

        def lose(batch: Sequence[RecordedEvent]) -> None:
            source.is_away = batch[-1].offset >= 4

        with pytest.raises(SourceUnavailable):
            run_resync(connection, source, batch_events=1, on_batch=lose)
        source.is_away = False
        run_resync(connection, source)
        assert shown(connection, CONFIG) == CONFIG_AFTER


def test_sweeps_and_position_become_visible_in_one_transaction(database_url: str, source: MemorySource) -> None:
    topic = at_the_old_position(source)
    seen: list[tuple[int, int]] = []
    query = """
    select p.next_offset, (select count(*)::int from eventlog.observation) from projection.position p
    """
    with connect(database_url) as connection, connect(database_url) as reader:
        read_all(connection, source)
        grow(topic)

        def look(_: str) -> None:
            seen.extend(reader.execute(query).fetchall())

        run_resync(connection, source, batch_events=1, on_step=look)
        seen.extend(reader.execute(query).fetchall())
    assert set(seen) == {(6, 0), (8, 0), (10, 3)}


VALUE: Final = b'{"values":{"value":"1"}}'


def event(offset: int, name: bytes | None, value: bytes | None = VALUE) -> RecordedEvent:
    return RecordedEvent(offset, 0, 0, name, value)


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


def live_keys(connection: Connection, *events: RecordedEvent) -> LiveKeys:
    import_events(connection, STREAM, events)
    return LiveKeys(connection, logs_of(connection, STREAM)[0].log_id)


def test_two_spellings_of_a_key_are_two_live_keys(connected: Connection) -> None:
    keys = live_keys(connected, event(0, key("a")), event(1, b'[1, "set-config", "a"]'))
    keys.discard([event(0, key("a"))])
    assert keys.remaining() == [b'[1, "set-config", "a"]']
