"""A stream is read to its end in one transaction: all of its new events, or none."""

from typing import Any, Final

import pytest

from eventlog.postgres.connection import Connection
from eventlog.source import SourceUnavailable
from projections.follow.read_to_end import StreamReader
from projections.log_result import LogResult
from tests.fixtures.memory_source import MemorySource, MemoryTopic
from tests.fixtures.projections.follow.running import ORDERS
from tests.fixtures.properties.importing import SETTINGS
from tests.postgres.projections.follow.steps import clock, shown

EVENTS: Final = 500
CONFIG: Final = "select config_key, config_value, incarnation from coordinator.config order by 1"
POSITION: Final = """
select incarnation, next_offset, end_offset, state, is_current
from projection.position join projection.job_log using (log_id) order by 1
"""


@pytest.fixture
def topic() -> MemoryTopic:
    """A topic that sets each of 50 config keys ten times."""
    topic = MemoryTopic()
    for number in range(EVENTS):
        topic.append(b'[1,"set-config","key-%02d"]' % (number % 50), b'{"values":{"value":"%d"}}' % number)
    return topic


def source_of(topic: MemoryTopic, kind: type[MemorySource] = MemorySource) -> MemorySource:
    source = kind()
    source.topics[ORDERS] = topic
    return source


def read(connection: Connection, source: MemorySource, **options: Any) -> LogResult:
    return StreamReader(connection, source, SETTINGS, clock, **options).read_to_end(ORDERS)


@pytest.mark.parametrize("batch_events", [500, 200])
def test_a_topic_is_read_to_its_end(connected: Connection, topic: MemoryTopic, batch_events: int) -> None:
    topic.skip(3)
    with source_of(topic) as source:
        done = read(connected, source, batch_events=batch_events)
        assert (done.added, done.quarantined) == (EVENTS, 0)
        assert shown(connected, POSITION) == [(1, EVENTS + 3, None, "stopped", True)]
        assert [value for _, value, _ in shown(connected, CONFIG)] == [str(number) for number in range(450, 500)]
        assert read(connected, source).added == 0


def test_an_outage_leaves_no_events(connected: Connection, topic: MemoryTopic) -> None:
    class Interrupted(MemorySource):
        def read(self, stream_name: str, first: int, until: int) -> Any:
            yield from super().read(stream_name, first, min(until, 300))
            raise SourceUnavailable("gone")

    with source_of(topic, Interrupted) as source, pytest.raises(SourceUnavailable):
        read(connected, source, batch_events=200)
    assert shown(connected, "select count(*) from eventlog.event") == [(0,)]
    assert shown(connected, POSITION) == [(1, 0, EVENTS, "catching-up", True)]
    with source_of(topic) as source:
        assert read(connected, source, batch_events=200).added == EVENTS


def test_keys_that_were_deleted_meanwhile_are_swept(connected: Connection, topic: MemoryTopic) -> None:
    with source_of(topic) as source:
        read(connected, source)
    connected.execute("update projection.position set read_at = now() - interval '1 year'")
    topic.events = [event for event in topic.events if b"key-07" not in (event.key or b"")]
    topic.append(b'[1,"set-config","key-08"]', b'{"values":{"value":"new"}}')
    topic.append(b'[1,"set-config","key-09"]', b"{")
    with source_of(topic) as source:
        done = read(connected, source, batch_events=100)
    assert ("found 1 deleted key" in done.message, done.added, done.quarantined) == (True, 2, 1)
    assert len(shown(connected, CONFIG)) == 49
    assert ("key-08", "new", 1) in shown(connected, CONFIG)
