"""StreamPartitionCountMonitor: when it reports a change, and when not."""

from collections.abc import Collection, Mapping
from threading import Event
from typing import Final

import pytest

from eventlog.errors import EventLogError
from managers.coordinator.input_monitors import (
    DEFAULT_SECONDS,
    PartitionCountChanges,
    Stream,
    StreamPartitionCountMonitor,
)
from managers.errors import NotReady
from tests.fixtures.waiting import PATIENCE

STREAM: Final = ("test-system", "test-stream")
OTHER: Final = ("test-system", "other")


class Inputs:
    """Streams whose numbers of partitions a test sets, and what the monitor of them reported."""

    def __init__(self, seconds: float = DEFAULT_SECONDS) -> None:
        self.known: dict[Stream, int] = {STREAM: 2, OTHER: 1}
        self.now: dict[Stream, int | EventLogError] = dict(self.known)
        self.changes: list[PartitionCountChanges] = []
        self.errors: list[str] = []
        self.is_reported = Event()
        self.monitor = StreamPartitionCountMonitor(
            lambda: self.known, self.count, self.on_change, self.errors.append, seconds=seconds
        )

    def count(self, streams: Collection[Stream]) -> Mapping[Stream, int | EventLogError]:
        return {stream: self.now[stream] for stream in streams}

    def on_change(self, changes: PartitionCountChanges) -> None:
        self.changes.append(changes)
        self.is_reported.set()


@pytest.mark.scenario("JMM-12")
def test_a_stream_that_grows_is_reported_once_although_another_fails() -> None:
    inputs = Inputs()
    inputs.now = {STREAM: 3, OTHER: EventLogError("No broker answers.")}
    inputs.monitor.update_partition_count_metric()
    inputs.monitor.update_partition_count_metric()
    assert inputs.changes == [{STREAM: (2, 3)}]
    assert inputs.monitor.gauges["test-system-test-stream-partitionCount"] == 3
    assert inputs.errors == ["Cannot count the partitions of test-system.other: No broker answers."]


def test_a_new_job_model_counts_at_once() -> None:
    inputs = Inputs()
    inputs.now[STREAM] = 3
    inputs.known = {STREAM: 3, OTHER: 1}
    inputs.monitor.update_partition_count_metric()
    assert inputs.changes == []


def test_what_is_over_is_said_and_reported_when_it_happens_again() -> None:
    inputs = Inputs()
    for now in (1, 2, 1, EventLogError("No broker answers."), 1, 2, 3, 2, 3):
        inputs.now[STREAM] = now
        inputs.monitor.update_partition_count_metric()
    lost = "Streams lost partitions: test-system.test-stream (2 to 1). Check whether they were created again."
    restored = "test-system.test-stream: the number of partitions is that of the job model again."
    assert inputs.errors == [
        lost,
        restored,
        lost,
        "Cannot count the partitions of test-system.test-stream: No broker answers.",
        "The partitions of test-system.test-stream can be counted again.",
        restored,
        restored,
    ]
    assert inputs.changes == [{STREAM: (2, 3)}, {STREAM: (2, 3)}]


@pytest.mark.scenario("JMM-12")
def test_it_starts_once_and_stops_for_good() -> None:
    inputs = Inputs(seconds=0.01)
    inputs.now[STREAM] = 3
    inputs.monitor.start()
    inputs.monitor.start()
    assert inputs.is_reported.wait(PATIENCE)
    inputs.monitor.stop()
    with pytest.raises(NotReady, match=r"^The StreamPartitionCountMonitor was stopped\. Create another one\.$"):
        inputs.monitor.start()
