"""The logs that are tracked, and the names of their jobs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from eventlog.wire.coordinator import encode_key
from projections.tracked_logs import logs_of, make_current, register_log
from tests.properties.importing import ARCHIVED_AT, SETTINGS, import_events

COORDINATOR: Final = "__samza_coordinator_a-b_1"
CHECKPOINT: Final = "__samza_checkpoint_ver_1_for_a-b_1"
NAMES: Final = "select stream_kind, job_name, job_id from coordinator.log_position order by 1"


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


def config(offset: int, key: str, value: str | None) -> RecordedEvent:
    data = None if value is None else b'{"values":{"value":"%s"}}' % value.encode()
    return RecordedEvent(offset, 1_749_000_000_000, 0, encode_key("set-config", key), data)


def names(connection: Connection) -> list[tuple[object, ...]]:
    return connection.execute(NAMES).fetchall()


def test_a_job_has_its_streams_name_until_config_names_it(connected: Connection) -> None:
    import_events(connected, CHECKPOINT, [])
    assert names(connected) == [("checkpoint", "a-b", "1")]
    events = [config(0, "job.name", "a_b"), config(1, "job.id", "007")]
    import_events(connected, COORDINATOR, events[:1])
    assert names(connected) == [("checkpoint", "a_b", "1"), ("coordinator", "a_b", "1")]
    import_events(connected, COORDINATOR, events)
    assert names(connected) == [("checkpoint", "a_b", "007"), ("coordinator", "a_b", "007")]


def test_a_text_that_is_too_long_for_a_topic_names_no_job(connected: Connection) -> None:
    longest = "a" * 249
    events = [config(0, "job.name", longest), config(1, "job.id", longest), config(2, "job.id", longest + "a")]
    import_events(connected, COORDINATOR, events[:2])
    assert names(connected) == [("coordinator", longest, longest)]
    import_events(connected, COORDINATOR, events)
    assert names(connected) == [("coordinator", longest, "1")]


def test_a_log_that_is_tracked_later_has_the_name_from_config(connected: Connection) -> None:
    import_events(connected, COORDINATOR, [config(0, "job.name", "a_b")])
    import_events(connected, CHECKPOINT, [])
    assert names(connected) == [("checkpoint", "a_b", "1"), ("coordinator", "a_b", "1")]


def test_a_job_has_its_streams_name_again_after_config_loses_it(connected: Connection) -> None:
    import_events(connected, COORDINATOR, [config(0, "job.name", "a_b"), config(1, "job.name", None)])
    assert names(connected) == [("coordinator", "a-b", "1")]


def test_the_newest_spelling_of_the_key_names_the_job(connected: Connection) -> None:
    spaced = config(1, "job.name", "newer")._replace(key=b'[1, "set-config", "job.name"]')
    import_events(connected, COORDINATOR, [config(0, "job.name", "older"), spaced])
    assert connected.execute("select config_value from coordinator.config").fetchall() == [("newer",)]
    assert names(connected) == [("coordinator", "newer", "1")]
    import_events(connected, COORDINATOR, [config(0, "job.name", "older"), spaced, config(2, "job.name", "newest")])
    assert names(connected) == [("coordinator", "newest", "1")]


def test_an_incomplete_incarnation_does_not_name_the_job(connected: Connection) -> None:
    import_events(connected, COORDINATOR, [config(0, "job.name", "a_b")])
    with connected.transaction():
        second = register_log(connected, identify(COORDINATOR), 2, "recording", SETTINGS, ARCHIVED_AT)
    assert {name for _, name, _ in names(connected)} == {"a_b"}
    with connected.transaction():
        make_current(connected, second)
    assert {name for _, name, _ in names(connected)} == {"a-b"}


def test_the_logs_of_a_stream_are_listed_newest_first(connected: Connection) -> None:
    import_events(connected, COORDINATOR, [config(0, "a", "1")])
    import_events(connected, COORDINATOR, [config(0, "a", "2"), config(1, "b", "2")])
    newest, oldest = logs_of(connected, COORDINATOR)
    assert (newest.incarnation, newest.is_current, newest.is_complete, newest.next_offset) == (2, True, True, 2)
    assert (oldest.incarnation, oldest.is_current, oldest.is_complete, oldest.next_offset) == (1, False, True, 1)
    assert newest.stream == oldest.stream == identify(COORDINATOR)
    assert logs_of(connected, CHECKPOINT) == []


def test_a_tracked_log_has_its_topic_and_position(connected: Connection) -> None:
    with connected.transaction():
        log = register_log(
            connected, identify(COORDINATOR), 1, "kafka", SETTINGS, ARCHIVED_AT, topic_id="i", start_offset=7
        )
    assert logs_of(connected, COORDINATOR) == [log]
    assert (log.backend, log.topic_id, log.next_offset) == ("kafka", "i", 7)
    assert (log.end_offset, log.read_at, log.resync_from) == (None, None, None)
    connected.execute("update projection.position set end_offset = 9, read_at = %s, resync_from = 3", (ARCHIVED_AT,))
    assert logs_of(connected, COORDINATOR) == [replace(log, end_offset=9, read_at=ARCHIVED_AT, resync_from=3)]
