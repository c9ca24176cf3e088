"""The event log that is a topic of Kafka."""

import threading
from collections.abc import Iterator

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import AppendRefused, Clock, EventLog
from eventlog.source import OffsetLost, StreamMissing
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from tests.contracts.event_log import UnconditionalAppendContract, clock, new_events
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, LASTING, Topics
from tests.fixtures.waiting import wait_until

ANY_TIME = {"message.timestamp.after.max.ms": str(2**63 - 1)}
LARGE = {"max.message.bytes": str(4 << 20)}


class TestKafkaEventLog(UnconditionalAppendContract):
    keeps_superseded_events = False

    @pytest.fixture(autouse=True)
    def _topic(self, kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
        self.options = kafka_options
        self.stream = identify(topics.create(f"__samza_coordinator_{job_name}_1", {**LASTING, **ANY_TIME, **LARGE}))

    def make_log(self, clock: Clock) -> EventLog:
        return KafkaEventLog(self.options, self.stream, clock=clock)

    def open_again(self, log: EventLog) -> EventLog:
        return KafkaEventLog(self.options, identify(log.stream_name), clock=clock)

    def can_keep(self, event: NewEvent) -> bool:
        is_late = event.timestamp is None or event.timestamp >= 0
        return is_late and event.key is not None and event.key not in {b"no value", b"no text"}


@pytest.fixture
def log(kafka_options: KafkaOptions, coordinator_topic: str) -> Iterator[KafkaEventLog]:
    """A log on a topic with Samza's settings."""
    with KafkaEventLog(kafka_options, identify(coordinator_topic), clock=clock) as log:
        yield log


def test_a_missing_topic_is_reported(kafka_options: KafkaOptions) -> None:
    before = set(threading.enumerate())
    with pytest.raises(StreamMissing, match=r"has no stream __samza_coordinator_nowhere_1\. Create it"):
        KafkaEventLog(kafka_options, identify("__samza_coordinator_nowhere_1"))
    wait_until(lambda: before.issuperset(threading.enumerate()), what="the connection's thread to end")


def test_a_read_begins_where_the_log_does(kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
    name = topics.create(coordinator_stream_name(job_name), COMPACTED_AND_DELETED)
    with KafkaEventLog(kafka_options, identify(name)) as log:
        log.append(new_events(5))
        topics.delete_before(name, 3)
        assert (log.start_offset(), [event.offset for event in log.read()]) == (3, [3, 4])
        topics.delete_before(name, 5)
        assert (log.start_offset(), log.end_offset(), list(log.read())) == (5, 5, [])


def test_a_recreated_topic_is_another_log(log: KafkaEventLog, topics: Topics) -> None:
    log.append(new_events(2))
    topics.create_again(log.stream_name)
    topics.write(log.stream_name, new_events(2, "new"))
    with pytest.raises(OffsetLost):
        list(log.read())


class TestSizes:
    def test_an_append_is_one_batch_up_to_what_the_topic_takes(self, log: KafkaEventLog) -> None:
        half = [NewEvent(b"k%d" % number, bytes(1000)) for number in range(500)]
        assert log.append(half) == range(500)
        with pytest.raises(AppendRefused, match=r"15\d{5} bytes are more than its max\.message\.bytes \(1048588\)"):
            log.append([*half, *half, *half])
        assert log.end_offset() == 500

    def test_one_event_may_be_too_large(self, kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
        name = topics.create(checkpoint_stream_name(job_name), {**LASTING, "max.message.bytes": "1000012"})
        with KafkaEventLog(kafka_options, identify(name)) as log:
            with pytest.raises(AppendRefused, match="Append in parts, or raise that setting"):
                log.append([NewEvent(b"k", bytes(1 << 20))])
            assert log.append([NewEvent(b"k", bytes(999_000))]) == range(1)

    def test_a_refusal_of_the_brokers_is_reported_and_the_log_stays_usable(
        self, log: KafkaEventLog, topics: Topics
    ) -> None:
        topics.change(log.stream_name, {"max.message.bytes": "5000"})
        with pytest.raises(AppendRefused, match="its cluster rejected the events"):
            log.append([NewEvent(b"k", bytes(10_000))])
        assert log.append(new_events(1)) == range(1)

    def test_a_time_too_far_ahead_is_the_brokers_to_refuse(self, log: KafkaEventLog) -> None:
        with pytest.raises(AppendRefused, match=r"rejected the events \(InvalidTimestamp\)"):
            log.append([NewEvent(b"k", b"v", 2**62)])
        assert log.append(new_events(1)) == range(1)
