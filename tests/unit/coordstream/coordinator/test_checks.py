"""What a running coordinator checks: its inputs, new streams, and the config on its stream."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pytest

from coordstream.coordinator.checks import ConfigWatch, StreamPartitionCountMonitor, StreamRegexMonitor
from eventlog.errors import ConfigError, EventLogError
from eventlog.log import MemoryEventLog
from eventlog.messages import Message
from eventlog.source import SourceUnavailable, StreamMissing
from eventlog.streams import identify
from managers.config.job_config import TRACKING_URL, delete_config, set_config, write_config
from managers.coordinator.serving_context import JobAttempt, JobServingContext
from managers.errors import NotReady
from managers.job_models.job_model import JobModel
from managers.job_names import Config
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.coordstream.coordinator.serving import METADATA, context_of
from tests.fixtures.waiting import PATIENCE

PARTITIONS: Final = "job.coordinator.monitor-partition-change.frequency.ms"
NEW_STREAMS: Final = "job.coordinator.monitor-input-regex.frequency.ms"
CONFIG: Final = {
    "task.inputs": "kafka.clicks-1",
    "job.config.rewriters": "clicks, views,other",
    "job.config.rewriter.clicks.class": "org.apache.samza.config.RegExTopicGenerator",
    "job.config.rewriter.clicks.system": "kafka",
    "job.config.rewriter.clicks.regex": "clicks-.*",
    "job.config.rewriter.views.class": "org.apache.samza.config.RegExTopicGenerator",
    "job.config.rewriter.views.system": "kafka",
    "job.config.rewriter.views.regex": "views",
    "job.config.rewriter.unused.system": "kafka",
    "job.config.rewriter.unused.regex": ".*",
}


class Inputs:
    """A system with streams whose partitions a test sets, and what was reported. It is its own admin."""

    def __init__(self, config: Config = CONFIG) -> None:
        self.now: dict[str, int | EventLogError] = {"clicks-1": 2, "other": 1}
        self.failure: EventLogError | None = None
        self.context = context_of()
        counts = {("kafka", name): count for name, count in self.now.items() if isinstance(count, int)}
        self.context.attempt = JobAttempt(config, JobModel(config, {}), METADATA, frozenset(), counts)
        self.lines: list[str] = []
        self.partitions = StreamPartitionCountMonitor(self.context, self.open, self.lines.append)
        self.new_streams = StreamRegexMonitor(self.context, self.open, self.lines.append)

    @contextmanager
    def open(self, _config: Config) -> Iterator[Mapping[str, Any]]:
        if self.failure is not None:
            raise self.failure
        yield {"kafka": self}

    def partition_count(self, name: str) -> int:
        found = self.now[name]
        if isinstance(found, EventLogError):
            raise found
        return found

    def topic_names(self) -> Sequence[str]:
        return list(self.now)

    @property
    def changes(self) -> list[str | None]:
        return [self.context.changes.get() for _ in range(self.context.changes.qsize())]


@pytest.mark.scenario("JMM-12")
def test_a_stream_that_grows_is_reported_once_although_another_fails() -> None:
    inputs = Inputs()
    inputs.now = {"clicks-1": 3, "other": EventLogError("No broker answers.")}
    inputs.partitions.check()
    inputs.partitions.check()
    assert inputs.changes == ["kafka.clicks-1 has 3 partitions; the job model has 2"]
    assert inputs.partitions.gauges["kafka-clicks-1-partitionCount"] == 3
    assert inputs.lines == ["Cannot count the partitions of kafka.other: No broker answers."]


def test_what_is_over_is_said_and_reported_when_it_happens_again() -> None:
    inputs = Inputs()
    for now in (1, 2, 1, EventLogError("No broker answers."), 1, 2, 3, 2, 3):
        inputs.now["clicks-1"] = now
        inputs.partitions.check()
    lost = "Streams lost partitions: kafka.clicks-1 (2 to 1). Check whether they were re-created."
    restored = "kafka.clicks-1: again as many partitions as in the job model."
    assert inputs.lines == [
        lost,
        restored,
        lost,
        "Cannot count the partitions of kafka.clicks-1: No broker answers.",
        "The partitions of kafka.clicks-1 can be counted again.",
        restored,
        restored,
    ]
    assert inputs.changes == ["kafka.clicks-1 has 3 partitions; the job model has 2"] * 2


@pytest.mark.scenario("JMM-12")
def test_it_starts_once_and_stops_for_good() -> None:
    inputs = Inputs({PARTITIONS: "10"})
    inputs.now["clicks-1"] = 3
    inputs.partitions.start()
    inputs.partitions.start()
    assert inputs.context.changes.get(timeout=PATIENCE)
    inputs.partitions.stop()
    with pytest.raises(NotReady, match=r"^The StreamPartitionCountMonitor was stopped\. Create another one\.$"):
        inputs.partitions.start()


@pytest.mark.parametrize("key", [PARTITIONS, NEW_STREAMS])
def test_invalid_frequencies(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Inputs({key: "5 min"})
    assert str(caught.value) == f"{key} is '5 min'. Expected an integer in milliseconds; 0 disables the monitor."


@pytest.mark.parametrize(
    ("error", "is_outage"),
    [(SourceUnavailable("No broker answers."), True), (StreamMissing("in", "the brokers"), False)],
)
def test_brokers_that_do_not_answer_are_an_outage(error: EventLogError, is_outage: bool) -> None:
    inputs = Inputs()
    assert not inputs.partitions.has_outage
    inputs.failure = error
    inputs.partitions.check()
    assert inputs.partitions.has_outage is is_outage


def test_new_streams_are_reported_when_they_change() -> None:
    inputs = Inputs()
    for added in ([], ["clicks-2"], [], ["views", "views-old"]):
        inputs.now |= dict.fromkeys(added, 1)
        inputs.new_streams.check()
    new = "New streams match the job's inputs: kafka.clicks-2"
    assert inputs.changes == [new, f"{new}, kafka.views"]
    assert inputs.new_streams.gauges == {"kafka-new-input-streams": 2}


def test_a_failure_is_reported_once_and_changes_nothing() -> None:
    inputs = Inputs()
    inputs.now["clicks-2"] = 1
    down = EventLogError("No broker answers.")
    for inputs.failure in (None, down, down, None):
        inputs.new_streams.check()
    assert len(inputs.changes) == 1
    assert inputs.lines == [
        "Cannot list the streams of system kafka: No broker answers.",
        "The streams of system kafka can be listed again.",
    ]


GROUPER: Final = "job.systemstreampartition.grouper.factory"
SERVED: Final = {"job.name": "orders", "task.class": "demo.Task", "db.password": "hunter2"}


class Watched:
    """A stream, and the sentences about it."""

    def __init__(self, store: CoordinatorStreamStore) -> None:
        self.store = store
        self.context = JobServingContext(dict)
        self.sentences: list[str] = []
        self.serve(SERVED)
        self.watch = ConfigWatch(store, self.context, self.sentences.append)

    def serve(self, config: dict[str, str]) -> None:
        self.context.attempt = JobAttempt(config, JobModel(config, {}), METADATA, frozenset())

    def check(self) -> list[str]:
        self.sentences.clear()
        self.watch.check_once()
        return self.sentences


@pytest.fixture
def watched() -> Iterator[Watched]:
    with CoordinatorStreamStore(MemoryEventLog(identify("__samza_coordinator_orders_1"))) as store:
        write_config(store, SERVED)
        set_config(store, TRACKING_URL, "http://127.0.0.1/")
        yield Watched(store)


def test_keys_are_reported_without_values_unless_the_coordinator_serves_them(watched: Watched) -> None:
    write_config(watched.store, SERVED)
    assert watched.check() == []
    set_config(watched.store, "db.password", "hunter3")
    delete_config(watched.store, "task.class")
    assert watched.check() == ["The config changed (db.password, task.class). The next start uses it."]
    assert watched.check() == []
    new = {**SERVED, "task.inputs": "kafka.orders"}
    write_config(watched.store, new)
    watched.serve(new)
    assert watched.check() == []


def test_a_write_once_key_that_is_restored_makes_way_for_others(watched: Watched) -> None:
    watched.watch = ConfigWatch(watched.store, watched.context, watched.sentences.append, adapts=True)
    set_config(watched.store, GROUPER, "demo.Grouper", force=True)
    set_config(watched.store, "task.opts", "-Xmx1g")
    (sentence,) = watched.check()
    assert sentence.startswith(f"Another program changed {GROUPER}, which may be set only once: ")
    delete_config(watched.store, GROUPER, force=True)
    assert watched.check() == []
    assert [watched.context.changes.get_nowait() for _ in range(2)] == ["The config changed (task.opts)"] * 2


def test_outages_and_unexpected_errors_are_told_once_and_known_until_they_end(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = iter([SourceUnavailable("No broker answers."), KeyError("a"), KeyError("b"), ValueError("hunter2"), None])
    failure = "The watch of the config failed unexpectedly: {}."
    read = watched.store.messages

    def messages(namespace: str) -> Mapping[str, Message]:
        if error := next(errors):
            raise error
        return read(namespace)

    delete_config(watched.store, "task.class")
    monkeypatch.setattr(watched.store, "messages", messages)
    assert watched.check() == ["No broker answers. Retrying."]
    assert (watched.watch.has_outage, [*watched.watch.failures()]) == (True, [])
    assert watched.check()[0] == f"{failure.format('KeyError')} It will be tried again."
    assert watched.check() == []
    assert watched.check()[0] == f"{failure.format('ValueError')} It will be tried again."
    assert "hunter2" not in "".join(watched.sentences)
    assert [*watched.watch.failures()] == [failure.format("ValueError")]
    changed = "The config changed (task.class). The next start uses it."
    assert watched.check() == [changed, "The coordinator stream can be read again."]
    assert (watched.watch.has_outage, [*watched.watch.failures()]) == (False, [])
