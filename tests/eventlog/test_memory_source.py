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

    def append(self, stream_name: str, events: Sequence[NewEvent]) -> None:
        topic = self._source.topics[stream_name]
        for event in events:
            topic.append(*event)
        self._source.tell()
