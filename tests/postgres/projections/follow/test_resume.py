"""Where reading a stream resumes: which log is continued, what the database records, what the operator reads."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from eventlog.errors import StreamKindError
from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.log_registry import newest_log
from eventlog.postgres.source import PostgresSource
from eventlog.secret_policy import SecretPolicy
from eventlog.source import StreamMissing, StreamRefused
from eventlog.streams import identify
from projections.errors import FoldVersionDiffers, ProjectionError, RebuildNeeded
from projections.fold.settings import FoldSettings
from projections.follow.resume import TAIL_EVENTS, LogSource
from projections.projector import Projector
from projections.rebuild import rebuild_log
from projections.tracked_logs import Observation, logs_of, read_observations, track_log
from tests.fixtures.memory_source import DAY_MS, MemorySource
from tests.fixtures.projections.follow.running import ORDERS
from tests.fixtures.properties.importing import SETTINGS, import_events
from tests.postgres.projections.follow.steps import GAPS, NOW, clock, key, read_to_end, resume, set_config, shown

pytestmark = pytest.mark.slow

CONFIG: Final = "select config_key, config_value, incarnation from coordinator.config order by 1"
POSITIONS: Final = "select incarnation, state, next_offset, end_offset from coordinator.log_position order by 1"
LOGS: Final = "select incarnation, backend, cluster_id, topic_id from eventlog.log order by 1"


def test_an_unknown_stream_is_read_from_its_start(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1", b="2")
    found = resume(connected, cluster)
    assert (found.target, found.resync, found.message) == (2, False, "")
    assert found.log == replace(logs_of(connected, ORDERS)[0], is_current=True)
    assert shown(connected, POSITIONS) == [(1, "catching-up", 0, 2)]
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", cluster.topics[ORDERS].topic_id)]


@pytest.mark.parametrize("start", [0, 5])
def test_an_empty_topic_is_live_at_once(connected: Connection, cluster: MemorySource, start: int) -> None:
    topic = cluster.create(ORDERS)
    topic.skip(start)
    topic.delete_before(start)
    found = resume(connected, cluster)
    assert (found.log.next_offset, found.target, found.log.is_complete) == (start, start, True)
    assert shown(connected, POSITIONS) == [(1, "live", start, start)]
    again = resume(connected, cluster, NOW + timedelta(days=99))
    assert (again.log.log_id, again.resync) == (found.log.log_id, start > 0)


def test_a_warning_of_the_source_is_reported(connected: Connection, cluster: MemorySource) -> None:
    cluster.create(ORDERS, warning="its policy is odd")
    assert resume(connected, cluster).message == "its policy is odd"


def test_a_known_log_continues_at_its_position(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, a="1", b="2")
    first = read_to_end(connected, cluster)
    set_config(topic, c="3")
    again = resume(connected, cluster)
    assert (again.log.log_id, again.log.next_offset, again.target) == (first.log.log_id, 2, 3)
    assert (again.resync, again.message) == (False, "")
    assert shown(connected, POSITIONS) == [(1, "catching-up", 2, 3)]


def test_a_log_found_at_its_end_counts_as_read(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    later = NOW + timedelta(days=3)
    resume(connected, cluster, later)
    assert logs_of(connected, ORDERS)[0].read_at == later
    assert shown(connected, POSITIONS) == [(1, "live", 1, 1)]


def test_after_a_long_absence_the_log_is_resynced(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, a="1", b="2")
    read_to_end(connected, cluster)
    set_config(topic, c="3")
    found = resume(connected, cluster, NOW + timedelta(milliseconds=DAY_MS))
    assert found.resync
    assert "so tombstones may have been removed since" in found.message
    assert (found.log.resync_from, logs_of(connected, ORDERS)[0].resync_from) == (2, 2)
    interrupted = resume(connected, cluster)
    assert "has an interrupted resync" in interrupted.message
    assert (interrupted.resync, interrupted.log.resync_from) == (True, 2)


@pytest.mark.parametrize("records", [1, 3, 5], ids=["fewer", "as many", "more"])
def test_a_recreated_topic_is_a_new_incarnation(connected: Connection, cluster: MemorySource, records: int) -> None:
    set_config(cluster.create(ORDERS), a="1", b="2", c="3")
    old = read_to_end(connected, cluster)
    again = cluster.create(ORDERS)
    set_config(again, **{f"n{number}": "9" for number in range(records)})
    found = resume(connected, cluster)
    assert (found.log.incarnation, found.log.next_offset, found.target, found.resync) == (2, 0, records, False)
    assert found.message.startswith(f"{ORDERS} was deleted and re-created. Reading it from its start as incarnation 2;")
    assert shown(connected, POSITIONS) == [(1, "stopped", 3, None), (2, "replacing", 0, records)]
    assert list(read_observations(connected, old.log.log_id)) == [Observation(3, "recreated", None, 3, None)]
    assert shown(connected, GAPS) == [(1, 3, None, "recreated")]
    assert [row[2] for row in shown(connected, CONFIG)] == [1, 1, 1]


def test_an_interrupted_incarnation_continues(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    again = cluster.create(ORDERS)
    set_config(again, b="2", c="3")
    first = resume(connected, cluster)
    Projector(connected, first.log, SETTINGS, clock).apply(again.events[:1])
    second = resume(connected, cluster)
    assert (second.log.log_id, second.log.next_offset, second.log.is_complete) == (first.log.log_id, 1, False)
    assert shown(connected, POSITIONS) == [(1, "stopped", 1, None), (2, "replacing", 1, 2)]


def test_an_incomplete_incarnation_can_be_replaced(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    incarnations = []
    for value in ("2", "3"):
        set_config(cluster.create(ORDERS), a=value)
        incarnations.append(resume(connected, cluster).log.incarnation)
    assert incarnations == [2, 3]
    assert [row[:2] for row in shown(connected, POSITIONS)] == [(1, "stopped"), (2, "stopped"), (3, "replacing")]
    assert shown(connected, CONFIG) == [("a", "1", 1)]


def test_a_log_that_ends_before_the_position_was_truncated(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, a="1", b="2", c="3")
    old = read_to_end(connected, cluster)
    topic.truncate(1)
    found = resume(connected, cluster)
    assert found.log.incarnation == 2
    assert found.message.startswith(f"{ORDERS} was truncated: it ends at offset 1, before the position 3. ")
    assert list(read_observations(connected, old.log.log_id)) == [Observation(3, "truncated", None, 1, 2)]
    assert shown(connected, GAPS) == [(1, 1, 2, "truncated")]


def test_a_log_that_was_truncated_and_grew_again_has_different_events(
    connected: Connection, cluster: MemorySource
) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, a="1", b="2", c="3")
    read_to_end(connected, cluster)
    topic.truncate(1)
    set_config(topic, d="4", e="5", f="6")
    found = resume(connected, cluster)
    assert found.log.incarnation == 2
    assert found.message.startswith(f"{ORDERS} has a different event at offset 1 than before. ")
    assert shown(connected, GAPS) == [(1, 1, 2, "truncated")]


def test_only_the_tail_is_compared(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, **{f"k{number}": "1" for number in range(TAIL_EVENTS + 1)})
    first = read_to_end(connected, cluster)
    topic.events[0] = topic.events[0]._replace(value=b"x")
    assert resume(connected, cluster).log.log_id == first.log.log_id
    topic.events[1] = topic.events[1]._replace(value=b"x")
    assert resume(connected, cluster).log.incarnation == 2


def test_a_recording_of_the_topic_continues_as_its_log(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, a="1", b="2")
    import_events(connected, ORDERS, topic.events)
    found = resume(connected, cluster)
    assert (found.log.incarnation, found.log.next_offset, found.resync) == (1, 2, True)
    assert found.message.startswith(f"{ORDERS} was last read at an unknown time.")
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", topic.topic_id)]
    assert resume(connected, cluster).message.startswith(f"{ORDERS} has an interrupted resync.")


def test_a_recording_is_compared_as_a_whole(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, **{f"k{number}": "1" for number in range(TAIL_EVENTS + 1)})
    import_events(connected, ORDERS, topic.events)
    topic.events[0] = topic.events[0]._replace(value=b"x")
    found = resume(connected, cluster)
    assert found.log.incarnation == 2
    assert shown(connected, LOGS)[0] == (1, "recording", None, None)
    assert shown(connected, GAPS) == [(1, 0, TAIL_EVENTS, "truncated")]


def test_a_topic_id_that_brokers_report_later_is_recorded(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    topic_id, topic.topic_id = topic.topic_id, None
    set_config(topic, a="1")
    first = read_to_end(connected, cluster)
    assert first.log.topic_id is None
    topic.topic_id = topic_id
    assert resume(connected, cluster).log == replace(logs_of(connected, ORDERS)[0], read_at=NOW)
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", topic_id)]


def test_a_missing_stream_registers_no_log(connected: Connection, cluster: MemorySource) -> None:
    del cluster.topics[ORDERS]
    with pytest.raises(StreamMissing, match=f"has no stream {ORDERS}. Create it"):
        resume(connected, cluster)
    assert shown(connected, LOGS) == []


def test_a_name_that_does_not_imply_a_kind_needs_one(connected: Connection, cluster: MemorySource) -> None:
    cluster.create("orders")
    with pytest.raises(StreamKindError, match="'coordinator' or 'checkpoint'"):
        LogSource(connected, cluster, SETTINGS, clock).find_resume_point("orders")
    found = LogSource(connected, cluster, SETTINGS, clock).find_resume_point("orders", "checkpoint")
    assert found.log.stream.stream_kind == "checkpoint"
    assert LogSource(connected, cluster, SETTINGS, clock).find_resume_point("orders").log.log_id == found.log.log_id


def test_a_second_cluster_is_refused(connected: Connection, cluster: MemorySource) -> None:
    cluster.create(ORDERS)
    resume(connected, cluster)
    other = MemorySource("cluster-2")
    for name in (ORDERS, "__samza_coordinator_other_1"):
        other.create(name)
        with pytest.raises(ProjectionError) as refused:
            LogSource(connected, other, SETTINGS, clock).find_resume_point(name)
        assert str(refused.value) == (
            f"{name} is on the Kafka cluster cluster-2, but the database has logs of cluster-1. A database serves one "
            "Kafka cluster: use the brokers of that cluster, or another database."
        )
    assert shown(connected, LOGS) == [(1, "kafka", "cluster-1", cluster.topics[ORDERS].topic_id)]


def test_rows_of_another_fold_version_are_refused_and_kept(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    before = shown(connected, "select * from projection.position")
    other = FoldSettings(SecretPolicy(b"another key of an installation.."))
    with pytest.raises(FoldVersionDiffers):
        LogSource(connected, cluster, other, lambda: NOW + timedelta(1)).find_resume_point(ORDERS)
    assert shown(connected, "select * from projection.position") == before


@pytest.mark.parametrize("is_folded", [False, True])
def test_a_postgres_log_of_the_same_name_is_refused(
    connected: Connection, cluster: MemorySource, is_folded: bool
) -> None:
    PostgresEventLog.create(connected, identify(ORDERS))
    if is_folded:
        stored = newest_log(connected, ORDERS)
        assert stored is not None
        track_log(connected, stored, SETTINGS)
    cluster.create(ORDERS)
    with pytest.raises(StreamRefused, match="the database has a postgres log of that name: follow it there"):
        resume(connected, cluster)


def test_a_postgres_log_is_followed_from_the_database(database_url: str, connected: Connection) -> None:
    own = PostgresEventLog.create(connected, identify("orders", "coordinator"))
    own.append([NewEvent(key("a"), None), NewEvent(key("b"), None)])
    with PostgresSource(database_url) as postgres:
        found = LogSource(connected, postgres, SETTINGS, clock).find_resume_point("orders")
        assert (found.log.backend, found.log.next_offset, found.target) == ("postgres", 0, 2)
        Projector(connected, found.log, SETTINGS, clock, archives=False).apply(list(own.read()))
        again = LogSource(connected, postgres, SETTINGS, lambda: NOW + timedelta(days=99)).find_resume_point("orders")
    assert (again.log.log_id, again.log.next_offset, again.resync, again.message) == (found.log.log_id, 2, False, "")
    assert shown(connected, POSITIONS) == [(1, "live", 2, 2)]


def test_an_archived_log_without_rows_is_refused(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    connected.execute("delete from projection.job_log")
    with pytest.raises(RebuildNeeded, match="but its events are in the archive"):
        resume(connected, cluster)


def test_a_postgres_log_that_ends_before_the_position_is_an_error(connected: Connection, database_url: str) -> None:
    with PostgresEventLog.create(connected, identify(ORDERS)) as log, PostgresSource(database_url) as postgres:
        log.append([NewEvent(key(name), b'{"values":{"value":"1"}}', 1) for name in "ab"])
        found = LogSource(connected, postgres, SETTINGS, clock).find_resume_point(ORDERS)
        Projector(connected, found.log, SETTINGS, clock, archives=False).apply(list(log.read(0, 1)))
        connected.execute("update projection.position set next_offset = 1000")
        with pytest.raises(RebuildNeeded, match=r"The position 1000 of .* is beyond the end of the log, 2\. Run"):
            LogSource(connected, postgres, SETTINGS, clock).find_resume_point(ORDERS)
        assert shown(connected, LOGS) == [(1, "postgres", None, None)]
        assert rebuild_log(connected, logs_of(connected, ORDERS)[0], SETTINGS).rebuilt == 2
        assert LogSource(connected, postgres, SETTINGS, clock).find_resume_point(ORDERS).message == ""
    assert shown(connected, CONFIG) == [("a", "1", 1), ("b", "1", 1)]
    assert shown(connected, POSITIONS) == [(1, "live", 2, 2)]
