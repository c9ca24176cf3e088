"""The monitors of a job's inputs."""

from collections.abc import Collection, Mapping
from threading import Event
from typing import Final

import pytest

from eventlog.errors import EventLogError
from managers.coordinator.input_monitors import (
    DEFAULT_SECONDS,
    PartitionCountChanges,
    PeriodicCheck,
    Stream,
    StreamPartitionCountMonitor,
    StreamRegexMonitor,
)
from managers.errors import NotReady
from tests.fixtures.waiting import PATIENCE


def test_an_error_is_known_until_the_check_works_again() -> None:
    told: list[Exception] = []
    first, other = KeyError("a"), ValueError("c")
    errors = iter([first, KeyError("b"), other, None])

    def check_inputs() -> None:
        error = next(errors)
        if error is not None:
            raise error

    check = PeriodicCheck(check_inputs, 1, first_after=1, on_failure=told.append)
    seen = []
    for _ in range(4):
        check.check_once()
        seen.append(type(check.failure))
    assert seen == [KeyError, KeyError, ValueError, type(None)]
    assert told == [first, other]


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


CONFIG: Final = {
    "job.config.rewriters": "clicks, views,other",
    "job.config.rewriter.clicks.system": "kafka",
    "job.config.rewriter.clicks.regex": "clicks-.*",
    "job.config.rewriter.views.system": "kafka",
    "job.config.rewriter.views.regex": "views",
    "job.config.rewriter.unused.system": "kafka",
    "job.config.rewriter.unused.regex": ".*",
}


class Streams:
    """The streams of a system, which a test sets, and what the monitor of them reported."""

    def __init__(self) -> None:
        self.known = {("kafka", "clicks-1")}
        self.names = ["clicks-1", "unclicks-1"]
        self.failure = ""
        self.changes: list[Collection[Stream]] = []
        self.errors: list[str] = []
        self.monitor = StreamRegexMonitor(
            CONFIG, lambda: self.known, self.list, self.changes.append, self.errors.append
        )

    def list(self, _system: str) -> Collection[str]:
        if self.failure:
            raise EventLogError(self.failure)
        return self.names


def test_new_streams_are_reported_when_they_change() -> None:
    streams = Streams()
    for added in ([], ["clicks-2"], [], ["views", "views-old"]):
        streams.names += added
        streams.monitor.check()
    assert streams.changes == [[("kafka", "clicks-2")], [("kafka", "clicks-2"), ("kafka", "views")]]
    assert streams.monitor.gauges == {"kafka-new-input-streams": 2}


def test_a_failure_is_reported_once_and_changes_nothing() -> None:
    streams = Streams()
    streams.names.append("clicks-2")
    for failure in ("", "No broker answers.", "No broker answers.", ""):
        streams.failure = failure
        streams.monitor.check()
    assert streams.changes == [[("kafka", "clicks-2")]]
    assert streams.errors == [
        "Cannot list the streams of system kafka: No broker answers.",
        "The streams of system kafka can be listed again.",
    ]
