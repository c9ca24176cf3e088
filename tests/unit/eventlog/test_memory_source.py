"""The cluster in memory that tests of the follower use keeps the contract of real ones."""

from collections.abc import Sequence

import pytest

from eventlog.events import NewEvent
from eventlog.source import EventSource
from tests.contracts.event_source import EventSourceContract
from tests.fixtures.memory_source import MemorySource

pytestmark = pytest.mark.slow


class TestMemorySource(EventSourceContract):
    backend = "kafka"

    @pytest.fixture(autouse=True)
    def cluster(self) -> None:
        self._source = MemorySource()

    def make_source(self) -> EventSource:
        return self._source

    def make_stream(self) -> str:
        name = f"__samza_coordinator_job_{len(self._source.topics)}"
        self._source.create(name)
        return name

    def test_the_end_of_a_recreated_topic_is_not_that_of_the_old_one(self, source: EventSource) -> None:
        name = self.make_filled(1)
        source.assign({name: 1})
        assert source.end_offsets([name]) == {name: 1}
        self._source.create(name)
        assert source.end_offsets([name]) == {}

    def append(self, stream_name: str, events: Sequence[NewEvent]) -> None:
        topic = self._source.topics[stream_name]
        for event in events:
            topic.append(*event)
        self._source.tell()
