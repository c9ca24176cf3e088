"""Where reading a stream resumes: which log is continued, what the database records, what the operator reads."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from eventlog.errors import StreamKindError
from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.log_registry import newest_log
from eventlog.postgres.source import PostgresSource
from eventlog.secret_policy import SecretPolicy
from eventlog.source import StreamMissing, StreamRefused
from eventlog.streams import identify
from eventlog.wire.coordinator import encode_key
from projections.errors import FoldVersionDiffers, ProjectionError, RebuildNeeded
from projections.fold.settings import FoldSettings
from projections.follow.resume import TAIL_EVENTS, ResumePoint, find_resume_point
from projections.projector import Projector
from projections.rebuild import rebuild_log
from projections.tracked_logs import Observation, logs_of, make_current, read_observations, track_log
from tests.fixtures.memory_source import DAY_MS, MemorySource, MemoryTopic
from tests.projections.follow.running import server_time
from tests.properties.importing import SETTINGS, import_events

pytestmark = pytest.mark.slow

STREAM: Final = "__samza_coordinator_orders_1"
NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
CONFIG: Final = "select config_key, config_value, incarnation from coordinator.config order by 1"
POSITIONS: Final = "select incarnation, state, next_offset, end_offset from coordinator.log_position order by 1"
LOGS: Final = "select incarnation, backend, cluster_id, topic_id from eventlog.log order by 1"
GAPS: Final = """
select incarnation, first_missing_offset, last_missing_offset, reason from coordinator.log_gap order by 1, 2
"""


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


@pytest.fixture
def source() -> MemorySource:
    return MemorySource()


def clock() -> datetime:
    return NOW


def shown(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query.encode()).fetchall()


def key(name: str) -> bytes:
    return encode_key("set-config", name)


def set_config(topic: MemoryTopic, **values: str | None) -> None:
    """Append messages that set config keys, or delete them."""
    for name, value in values.items():
        topic.append(key(name), None if value is None else b'{"values":{"value":"%s"}}' % value.encode())


def resume(connection: Connection, source: MemorySource, now: datetime = NOW) -> ResumePoint:
    with server_time(now):
        return find_resume_point(connection, source, STREAM, SETTINGS, lambda: now)


def follow_to_the_end(connection: Connection, source: MemorySource, now: datetime = NOW) -> ResumePoint:
    """Apply everything, as a follower does."""
    found = resume(connection, source, now)
    assert not found.resync
    projector = Projector(connection, found.log, SETTINGS, lambda: now)
    events = list(source.read(STREAM, projector.next_offset, found.target))
    projector.apply(events)
    connection.execute("update projection.position set read_at = %s where log_id = %s", (now, found.log.log_id))
    return found


def test_an_unknown_stream_is_read_from_its_start(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1", b="2")
    found = resume(connected, source)
    assert (found.target, found.resync, found.message) == (2, False, "")
    assert found.log == replace(logs_of(connected, STREAM)[0], is_current=True)
    assert shown(connected, POSITIONS) == [(1, "catching-up", 0, 2)]
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", source.topics[STREAM].topic_id)]


def test_a_log_that_starts_at_a_later_offset_is_read_from_there(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2", c="3")
    topic.delete_before(2)
    found = resume(connected, source)
    assert (found.log.next_offset, found.target) == (2, 3)
    assert shown(connected, POSITIONS) == [(1, "catching-up", 2, 3)]


@pytest.mark.parametrize("start", [0, 5])
def test_an_empty_topic_is_live_at_once(connected: Connection, source: MemorySource, start: int) -> None:
    topic = source.create(STREAM)
    topic.skip(start)
    topic.delete_before(start)
    found = resume(connected, source)
    assert (found.log.next_offset, found.target, found.log.is_complete) == (start, start, True)
    assert shown(connected, POSITIONS) == [(1, "live", start, start)]
    again = resume(connected, source, NOW + timedelta(days=99))
    assert (again.log.log_id, again.resync) == (found.log.log_id, start > 0)


def test_a_warning_of_the_source_is_reported(connected: Connection, source: MemorySource) -> None:
    source.create(STREAM, warning="its policy is odd")
    assert resume(connected, source).message == "its policy is odd"


def test_a_known_log_continues_at_its_position(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2")
    first = follow_to_the_end(connected, source)
    set_config(topic, c="3")
    again = resume(connected, source)
    assert (again.log.log_id, again.log.next_offset, again.target) == (first.log.log_id, 2, 3)
    assert (again.resync, again.message) == (False, "")
    assert shown(connected, POSITIONS) == [(1, "catching-up", 2, 3)]


def test_compaction_does_not_begin_an_incarnation(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2")
    set_config(topic, a="3", b=None)
    first = follow_to_the_end(connected, source)
    topic.compact()
    assert resume(connected, source).log.log_id == first.log.log_id


def test_a_log_found_at_its_end_counts_as_read(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1")
    follow_to_the_end(connected, source)
    later = NOW + timedelta(days=3)
    resume(connected, source, later)
    assert logs_of(connected, STREAM)[0].read_at == later
    assert shown(connected, POSITIONS) == [(1, "live", 1, 1)]


def test_after_a_long_absence_the_log_is_resynced(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2")
    follow_to_the_end(connected, source)
    set_config(topic, c="3")
    found = resume(connected, source, NOW + timedelta(milliseconds=DAY_MS))
    assert found.resync
    assert "so tombstones may have been removed since" in found.message
    assert (found.log.resync_from, logs_of(connected, STREAM)[0].resync_from) == (2, 2)
    interrupted = resume(connected, source)
    assert "has an interrupted resync" in interrupted.message
    assert (interrupted.resync, interrupted.log.resync_from) == (True, 2)


@pytest.mark.parametrize("records", [1, 3, 5], ids=["fewer", "as many", "more"])
def test_a_recreated_topic_is_a_new_incarnation(connected: Connection, source: MemorySource, records: int) -> None:
    set_config(source.create(STREAM), a="1", b="2", c="3")
    old = follow_to_the_end(connected, source)
    again = source.create(STREAM)
    set_config(again, **{f"n{number}": "9" for number in range(records)})
    found = resume(connected, source)
    assert (found.log.incarnation, found.log.next_offset, found.target, found.resync) == (2, 0, records, False)
    assert found.message.startswith(f"{STREAM} was deleted and re-created. Reading it from its start as incarnation 2;")
    assert shown(connected, POSITIONS) == [(1, "stopped", 3, None), (2, "replacing", 0, records)]
    assert list(read_observations(connected, old.log.log_id)) == [Observation(3, "recreated", None, 3, None)]
    assert shown(connected, GAPS) == [(1, 3, None, "recreated")]
    assert [row[2] for row in shown(connected, CONFIG)] == [1, 1, 1]


def test_the_last_known_end_limits_the_gap_of_a_recreated_topic(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1")
    follow_to_the_end(connected, source)
    set_config(topic, b="2", c="3")
    resume(connected, source)
    source.create(STREAM)
    resume(connected, source)
    assert shown(connected, GAPS) == [(1, 1, 2, "recreated")]


def test_relations_show_the_old_incarnation_until_the_new_one_is_complete(
    connected: Connection, source: MemorySource
) -> None:
    set_config(source.create(STREAM), a="1", b="2")
    follow_to_the_end(connected, source)
    set_config(source.create(STREAM), a="10")
    found = follow_to_the_end(connected, source)
    assert shown(connected, CONFIG) == [("a", "1", 1), ("b", "2", 1)]
    with connected.transaction():
        make_current(connected, found.log)
    assert shown(connected, CONFIG) == [("a", "10", 2)]
    assert resume(connected, source).log.is_complete
    assert shown(connected, POSITIONS) == [(1, "stopped", 2, None), (2, "live", 1, 1)]
    history = "select config_key, incarnation from coordinator.config_history order by 2, 1"
    assert shown(connected, history) == [("a", 1), ("b", 1), ("a", 2)]


def test_an_interrupted_incarnation_continues(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1")
    follow_to_the_end(connected, source)
    again = source.create(STREAM)
    set_config(again, b="2", c="3")
    first = resume(connected, source)
    Projector(connected, first.log, SETTINGS, clock).apply(again.events[:1])
    second = resume(connected, source)
    assert (second.log.log_id, second.log.next_offset, second.log.is_complete) == (first.log.log_id, 1, False)
    assert shown(connected, POSITIONS) == [(1, "stopped", 1, None), (2, "replacing", 1, 2)]


def test_an_incomplete_incarnation_can_be_replaced(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1")
    follow_to_the_end(connected, source)
    incarnations = []
    for value in ("2", "3"):
        set_config(source.create(STREAM), a=value)
        incarnations.append(resume(connected, source).log.incarnation)
    assert incarnations == [2, 3]
    assert [row[:2] for row in shown(connected, POSITIONS)] == [(1, "stopped"), (2, "stopped"), (3, "replacing")]
    assert shown(connected, CONFIG) == [("a", "1", 1)]


def test_a_log_that_ends_before_the_position_was_truncated(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2", c="3")
    old = follow_to_the_end(connected, source)
    topic.truncate(1)
    found = resume(connected, source)
    assert found.log.incarnation == 2
    assert found.message.startswith(f"{STREAM} was truncated: it ends at offset 1, before the position 3. ")
    assert list(read_observations(connected, old.log.log_id)) == [Observation(3, "truncated", None, 1, 2)]
    assert shown(connected, GAPS) == [(1, 1, 2, "truncated")]


def test_a_log_that_was_truncated_and_grew_again_has_different_events(
    connected: Connection, source: MemorySource
) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2", c="3")
    follow_to_the_end(connected, source)
    topic.truncate(1)
    set_config(topic, d="4", e="5", f="6")
    found = resume(connected, source)
    assert found.log.incarnation == 2
    assert found.message.startswith(f"{STREAM} has a different event at offset 1 than before. ")
    assert shown(connected, GAPS) == [(1, 1, 2, "truncated")]


def test_only_the_tail_is_compared(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, **{f"k{number}": "1" for number in range(TAIL_EVENTS + 1)})
    first = follow_to_the_end(connected, source)
    topic.events[0] = topic.events[0]._replace(value=b"x")
    assert resume(connected, source).log.log_id == first.log.log_id
    topic.events[1] = topic.events[1]._replace(value=b"x")
    assert resume(connected, source).log.incarnation == 2


def test_a_recording_of_the_topic_continues_as_its_log(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, a="1", b="2")
    import_events(connected, STREAM, topic.events)
    found = resume(connected, source)
    assert (found.log.incarnation, found.log.next_offset, found.resync) == (1, 2, True)
    assert found.message.startswith(f"{STREAM} was last read at an unknown time.")
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", topic.topic_id)]
    assert resume(connected, source).message.startswith(f"{STREAM} has an interrupted resync.")


def test_a_recording_is_compared_as_a_whole(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    set_config(topic, **{f"k{number}": "1" for number in range(TAIL_EVENTS + 1)})
    import_events(connected, STREAM, topic.events)
    topic.events[0] = topic.events[0]._replace(value=b"x")
    found = resume(connected, source)
    assert found.log.incarnation == 2
    assert shown(connected, LOGS)[0] == (1, "recording", None, None)
    assert shown(connected, GAPS) == [(1, 0, TAIL_EVENTS, "truncated")]


def test_a_topic_id_that_brokers_report_later_is_recorded(connected: Connection, source: MemorySource) -> None:
    topic = source.create(STREAM)
    topic_id, topic.topic_id = topic.topic_id, None
    set_config(topic, a="1")
    first = follow_to_the_end(connected, source)
    assert first.log.topic_id is None
    topic.topic_id = topic_id
    assert resume(connected, source).log == replace(logs_of(connected, STREAM)[0], read_at=NOW)
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", topic_id)]


def test_a_missing_stream_registers_no_log(connected: Connection, source: MemorySource) -> None:
    with pytest.raises(StreamMissing, match=f"has no stream {STREAM}. Create it"):
        resume(connected, source)
    assert shown(connected, LOGS) == []


def test_a_deleted_stream_leaves_its_log_unchanged(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1")
    follow_to_the_end(connected, source)
    before = shown(connected, "select * from projection.position")
    del source.topics[STREAM]
    with pytest.raises(StreamMissing):
        resume(connected, source)
    assert shown(connected, "select * from projection.position") == before


def test_a_name_that_does_not_imply_a_kind_needs_one(connected: Connection, source: MemorySource) -> None:
    source.create("orders")
    with pytest.raises(StreamKindError, match="'coordinator' or 'checkpoint'"):
        find_resume_point(connected, source, "orders", SETTINGS, clock)
    found = find_resume_point(connected, source, "orders", SETTINGS, clock, "checkpoint")
    assert found.log.stream.stream_kind == "checkpoint"
    assert find_resume_point(connected, source, "orders", SETTINGS, clock).log.log_id == found.log.log_id


def test_a_second_cluster_is_refused(connected: Connection, source: MemorySource) -> None:
    source.create(STREAM)
    resume(connected, source)
    other = MemorySource("cluster-2")
    for name in (STREAM, "__samza_coordinator_other_1"):
        other.create(name)
        with pytest.raises(ProjectionError) as refused:
            find_resume_point(connected, other, name, SETTINGS, clock)
        assert str(refused.value) == (
            f"{name} is on the Kafka cluster cluster-2, but the database has logs of cluster-1. A database serves one "
            "Kafka cluster: use the brokers of that cluster, or another database."
        )
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", source.topics[STREAM].topic_id)]


def test_rows_of_another_fold_version_are_refused_and_kept(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1")
    follow_to_the_end(connected, source)
    before = shown(connected, "select * from projection.position")
    other = FoldSettings(SecretPolicy(b"another key of an installation.."))
    with pytest.raises(FoldVersionDiffers):
        find_resume_point(connected, source, STREAM, other, lambda: NOW + timedelta(1))
    assert shown(connected, "select * from projection.position") == before


@pytest.mark.parametrize("is_folded", [False, True])
def test_a_postgres_log_of_the_same_name_is_refused(
    connected: Connection, source: MemorySource, is_folded: bool
) -> None:
    PostgresEventLog.create(connected, identify(STREAM))
    if is_folded:
        stored = newest_log(connected, STREAM)
        assert stored is not None
        track_log(connected, stored, SETTINGS)
    source.create(STREAM)
    with pytest.raises(StreamRefused, match="the database has a postgres log of that name: follow it there"):
        resume(connected, source)


def test_a_postgres_log_is_followed_from_the_database(database_url: str, connected: Connection) -> None:
    own = PostgresEventLog.create(connected, identify("orders", "coordinator"))
    own.append([NewEvent(key("a"), None), NewEvent(key("b"), None)])
    with PostgresSource(database_url) as postgres:
        found = find_resume_point(connected, postgres, "orders", SETTINGS, clock)
        assert (found.log.backend, found.log.next_offset, found.target) == ("postgres", 0, 2)
        Projector(connected, found.log, SETTINGS, clock, archives=False).apply(list(own.read()))
        again = find_resume_point(connected, postgres, "orders", SETTINGS, lambda: NOW + timedelta(days=99))
    assert (again.log.log_id, again.log.next_offset, again.resync, again.message) == (found.log.log_id, 2, False, "")
    assert shown(connected, POSITIONS) == [(1, "live", 2, 2)]


def test_an_archived_log_without_rows_is_refused(connected: Connection, source: MemorySource) -> None:
    set_config(source.create(STREAM), a="1")
    follow_to_the_end(connected, source)
    connected.execute("delete from projection.job_log")
    with pytest.raises(RebuildNeeded, match="but its events are in the archive"):
        resume(connected, source)


def test_a_postgres_log_that_ends_before_the_position_is_an_error(connected: Connection, database_url: str) -> None:
    with PostgresEventLog.create(connected, identify(STREAM)) as log, PostgresSource(database_url) as postgres:
        log.append([NewEvent(key(name), b'{"values":{"value":"1"}}', 1) for name in "ab"])
        found = find_resume_point(connected, postgres, STREAM, SETTINGS, clock)
        Projector(connected, found.log, SETTINGS, clock, archives=False).apply(list(log.read(0, 1)))
        connected.execute("update projection.position set next_offset = 1000")
        with pytest.raises(RebuildNeeded, match=r"The position 1000 of .* is beyond the end of the log, 2\. Run"):
            find_resume_point(connected, postgres, STREAM, SETTINGS, clock)
        assert shown(connected, LOGS) == [(1, "postgres", None, None)]
        assert rebuild_log(connected, logs_of(connected, STREAM)[0], SETTINGS).events == 2
        assert find_resume_point(connected, postgres, STREAM, SETTINGS, clock).message == ""
    assert shown(connected, CONFIG) == [("a", "1", 1), ("b", "1", 1)]
    assert shown(connected, POSITIONS) == [(1, "live", 2, 2)]
