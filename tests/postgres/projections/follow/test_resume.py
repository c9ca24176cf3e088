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
from eventlog.source import KAFKA, StreamRefused
from eventlog.streams import identify
from projections.errors import ProjectionError, RebuildNeeded
from projections.follow.heartbeat import write_refusal
from projections.follow.resume import TAIL_EVENTS, LogSource
from projections.projector import Projector
from projections.rebuild import rebuild_log
from projections.tracked_logs import Observation, logs_of, mark_for_rebuild, read_observations, track_log
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.projections.follow.running import ORDERS
from tests.fixtures.properties.importing import SETTINGS, import_events
from tests.postgres.projections.follow.steps import GAPS, NOW, clock, key, read_to_end, resume, set_config, shown

pytestmark = pytest.mark.slow

CONFIG: Final = "select config_key, config_value, incarnation from coordinator.config order by 1"
POSITIONS: Final = "select incarnation, state, next_offset, end_offset from coordinator.log_position order by 1"
LOGS: Final = "select incarnation, backend, cluster_id, topic_id from eventlog.log order by 1"


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


def test_a_log_found_at_its_end_counts_as_read(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    later = NOW + timedelta(days=3)
    resume(connected, cluster, later)
    assert logs_of(connected, ORDERS)[0].read_at == later
    assert shown(connected, POSITIONS) == [(1, "live", 1, 1)]


RECREATED: Final = "was deleted and re-created. Reading it from its start as incarnation 2;"


@pytest.mark.parametrize(
    ("kept", "added", "message", "lost"),
    [
        (None, 1, RECREATED, Observation(3, "recreated", None, 3, None)),
        (None, 3, RECREATED, Observation(3, "recreated", None, 3, None)),
        (1, 0, "was truncated: it ends at offset 1, before the position 3. ", Observation(3, "truncated", None, 1, 2)),
        (1, 3, "has a different event at offset 1 than before. ", Observation(3, "truncated", None, 1, 2)),
    ],
)
def test_a_changed_past_is_a_new_incarnation(
    connected: Connection, cluster: MemorySource, kept: int | None, added: int, message: str, lost: Observation
) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, a="1", b="2", c="3")
    old = read_to_end(connected, cluster)
    if kept is None:
        topic = cluster.create(ORDERS)
    else:
        topic.truncate(kept)
    set_config(topic, **{f"n{number}": "9" for number in range(added)})
    found, end = resume(connected, cluster), (kept or 0) + added
    assert (found.log.incarnation, found.log.next_offset, found.target, found.resync) == (2, 0, end, False)
    assert found.message.startswith(f"{ORDERS} {message}")
    assert shown(connected, POSITIONS) == [(1, "stopped", 3, None), (2, "replacing", 0, end)]
    assert list(read_observations(connected, old.log.log_id)) == [lost]
    assert shown(connected, GAPS) == [(1, lost.from_offset, lost.to_offset, lost.kind)]
    assert [row[2] for row in shown(connected, CONFIG)] == [1, 1, 1]


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


def test_only_the_tail_is_compared(connected: Connection, cluster: MemorySource) -> None:
    topic = cluster.create(ORDERS)
    set_config(topic, **{f"k{number}": "1" for number in range(TAIL_EVENTS + 1)})
    first = read_to_end(connected, cluster)
    topic.events[0] = topic.events[0]._replace(value=b"x")
    assert resume(connected, cluster).log.log_id == first.log.log_id
    topic.events[1] = topic.events[1]._replace(value=b"x")
    assert resume(connected, cluster).log.incarnation == 2


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


def test_an_archived_log_without_rows_is_refused(connected: Connection, cluster: MemorySource) -> None:
    set_config(cluster.create(ORDERS), a="1")
    read_to_end(connected, cluster)
    connected.execute("delete from projection.job_log")
    with pytest.raises(RebuildNeeded, match="but its events are in the archive"):
        resume(connected, cluster)
    write_refusal(connected, ORDERS, None, KAFKA, "Run `coordstream rebuild --all`")
    mark_for_rebuild(connected, [KAFKA])
    assert shown(connected, POSITIONS) == [(1, "stopped", 0, 1)]


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
