"""StreamRegexMonitor: which new streams it reports."""

from collections.abc import Collection
from typing import Final

from eventlog.errors import EventLogError
from managers.coordinator.input_monitors import Stream, StreamRegexMonitor

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


def test_streams_of_a_new_job_model_are_not_new() -> None:
    streams = Streams()
    streams.names.append("clicks-2")
    streams.known.add(("kafka", "clicks-2"))
    streams.monitor.check()
    assert streams.changes == []


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


def test_each_pattern_of_a_system_may_have_flags() -> None:
    changes: list[Collection[Stream]] = []
    config = {**CONFIG, "job.config.rewriter.views.regex": "(?i)views"}
    StreamRegexMonitor(config, set, lambda _system: ["VIEWS", "CLICKS-1", "clicks-1"], changes.append).check()
    assert changes == [[("kafka", "VIEWS"), ("kafka", "clicks-1")]]
