"""Following the streams of a cluster."""

import time
from collections.abc import Iterator, Sequence

import pytest

from eventlog.events import NewEvent, RecordedEvent
from eventlog.kafka import fetch_session
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.source import EventSource, OffsetLost, StreamFacts, StreamMissing, StreamRefused
from tests.contracts.event_log import new_events
from tests.contracts.event_source import EventSourceContract
from tests.contracts.followed import Followed, offsets
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, COMPACTED_SOON, LASTING, NUDGE_KEY, Topics
from tests.fixtures.waiting import PATIENCE, wait_until


class TestKafkaSource(EventSourceContract):
    backend = "kafka"

    @pytest.fixture(autouse=True)
    def _broker(self, kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
        self.options, self.topics, self.job_name, self.made = kafka_options, topics, job_name, 0

    def make_source(self) -> EventSource:
        self.opened = KafkaSource(self.options)
        return self.opened

    def make_stream(self) -> str:
        self.made += 1
        name = self.topics.create(f"__samza_coordinator_{self.job_name}-{self.made}_1")
        return self.opened.describe(name).stream_name

    def append(self, stream_name: str, events: Sequence[NewEvent]) -> None:
        self.topics.write(stream_name, events)


@pytest.fixture
def source(kafka_options: KafkaOptions) -> Iterator[KafkaSource]:
    """A source on the run's broker."""
    with KafkaSource(kafka_options) as source:
        yield source


def follow(source: KafkaSource, *names: str) -> Followed:
    """Follow streams from their start on."""
    source.assign({name: source.describe(name).start_offset for name in names})
    return Followed(source)


def lost_within(source: KafkaSource, seconds: float = PATIENCE) -> OffsetLost:
    """The loss that polls end in; nothing may come before it."""
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            assert source.poll(0.1) == []
    except OffsetLost as lost:
        return lost
    pytest.fail(f"nothing was lost within {seconds} s")


def test_other_topics_are_not_streams(source: KafkaSource, topics: Topics, job_name: str) -> None:
    topics.create(job_name)
    checkpoints = topics.create(f"__samza_checkpoint_ver_1_for_{job_name}_1")
    assert job_name not in source.stream_names()
    assert checkpoints in source.stream_names()


def test_a_stream_is_described_with_its_topic(source: KafkaSource, topics: Topics, coordinator_topic: str) -> None:
    topics.write(coordinator_topic, new_events(2))
    topic_id = topics.topic_id(coordinator_topic)
    assert source.describe(coordinator_topic) == StreamFacts(coordinator_topic, topic_id, 0, 2, 86_400_000)


class TestTransactions:
    def test_markers_at_the_end_are_passed(self, source: KafkaSource, topics: Topics, coordinator_topic: str) -> None:
        topics.write_transaction(coordinator_topic, new_events(2))
        assert source.describe(coordinator_topic).end_offset == 3
        assert offsets([*source.read(coordinator_topic, 0, 3)]) == [0, 1]
        assert offsets(follow(source, coordinator_topic).until(coordinator_topic, 3)) == [0, 1]

    def test_what_was_aborted_never_comes(self, source: KafkaSource, topics: Topics, coordinator_topic: str) -> None:
        followed = follow(source, coordinator_topic)
        topics.write_transaction(coordinator_topic, new_events(2), commit=False)
        assert followed.until(coordinator_topic, 3) == []
        topics.write_transaction(coordinator_topic, new_events(1))
        topics.write_transaction(coordinator_topic, new_events(3), commit=False)
        assert offsets(followed.until(coordinator_topic, 9)) == [3]
        assert offsets([*source.read(coordinator_topic, 0, 9)]) == [3]
        assert [*source.read(coordinator_topic, 4, 9)] == []

    def test_what_is_open_is_behind_the_end(self, source: KafkaSource, topics: Topics, coordinator_topic: str) -> None:
        followed = follow(source, coordinator_topic)
        with topics.transaction(coordinator_topic, new_events(2)) as producer:
            topics.write(coordinator_topic, new_events(1, "later"))
            assert source.end_offsets([coordinator_topic]) == {coordinator_topic: 0}
            assert followed.nothing_more()
            producer.commit_transaction()
        assert offsets(followed.until(coordinator_topic, 4)) == [0, 1, 2]


class TestCompaction:
    def test_holes_are_passed(self, source: KafkaSource, topics: Topics, job_name: str) -> None:
        name = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
        topics.write(name, [NewEvent(b"k%d" % (at % 5), b"%d" % at) for at in range(50)])
        kept = [record.offset for record in topics.compact(name)]
        end = source.describe(name).end_offset
        assert kept == [45, 46, 47, 48, 49]
        for reading in (source.read(name, 0, end), follow(source, name).until(name, end)):
            assert [event.offset for event in reading if event.key != NUDGE_KEY] == kept

    def test_a_stretch_without_an_event_ends(self, source: KafkaSource, topics: Topics, job_name: str) -> None:
        name = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
        topics.write(name, [NewEvent(b"k", b"%d" % at) for at in range(10)] + [NewEvent(b"k", None)])
        topics.compact(name, tombstones_too=True)
        assert source.describe(name).start_offset == 0
        assert [*source.read(name, 0, 11)] == []

    def test_an_empty_log_may_begin_above_zero(self, source: KafkaSource, topics: Topics, job_name: str) -> None:
        name = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_AND_DELETED)
        topics.write(name, new_events(5))
        topics.delete_before(name, 5)
        facts = source.describe(name)
        assert (facts.start_offset, facts.end_offset) == (5, 5)
        followed = follow(source, name)
        assert followed.nothing_more()
        topics.write(name, new_events(1))
        assert offsets(followed.until(name, 6)) == [5]

    @pytest.mark.parametrize("offset", [0, 2, 6])
    def test_an_offset_outside_of_the_log_is_lost(
        self, source: KafkaSource, topics: Topics, job_name: str, offset: int
    ) -> None:
        name = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_AND_DELETED)
        topics.write(name, new_events(5))
        topics.delete_before(name, 3)
        assert source.describe(name).start_offset == 3
        source.assign({name: offset})
        lost = lost_within(source)
        assert (lost.stream_name, lost.offset) == (name, offset)
        with pytest.raises(OffsetLost):
            list(source.read(name, offset, offset + 1))


class TestContent:
    def test_values_of_megabytes(self, source: KafkaSource, topics: Topics, job_name: str) -> None:
        limit = {"max.message.bytes": str(12 << 20)}
        name = topics.create(f"__samza_coordinator_{job_name}_1", {**LASTING, **limit})
        values = [b"a" * (1 << 20), b"b" * (9 << 20), b"c" * (1 << 20)]
        topics.write(name, [NewEvent(b"k", value) for value in values])
        assert [event.value for event in follow(source, name).until(name, 3)] == values

    def test_an_event_without_a_key_or_anything(self, source: KafkaSource, topics: Topics, job_name: str) -> None:
        """A topic that is compacted takes none, and may have been another before."""
        kept = {"cleanup.policy": "delete", "retention.ms": "-1"}
        name = topics.create(f"__samza_coordinator_{job_name}_1", kept)
        topics.write(name, [NewEvent(None, b"v", 1)])
        topics.change(name, {"cleanup.policy": "compact"})
        assert follow(source, name).until(name, 1) == [RecordedEvent(0, 1, 0, None, b"v", (), 0)]

    @pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
    def test_compressed_batches(self, source: KafkaSource, topics: Topics, job_name: str, codec: str) -> None:
        name = topics.create(f"__samza_coordinator_{job_name}_1", {**LASTING, "compression.type": codec})
        topics.write(name, new_events(500))
        events = follow(source, name).until(name, 500)
        assert [NewEvent(event.key, event.value, event.timestamp) for event in events] == new_events(500)
        assert offsets([*source.read(name, 250, 260)]) == list(range(250, 260))


class TestTopicMadeAgain:
    """The client reads on in a topic of the same name: the id tells them apart."""

    @pytest.fixture(params=["by id", "by name"])
    def source(
        self, request: pytest.FixtureRequest, kafka_options: KafkaOptions, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[KafkaSource]:
        """Brokers older than Kafka 3.1 can only be asked by name."""
        if request.param == "by name":
            monkeypatch.setattr(fetch_session, "FETCH_BY_ID", fetch_session.FETCH_BY_NAME)
        with KafkaSource(kafka_options) as source:
            yield source

    @pytest.mark.parametrize("count", [3, 5, 9], ids=["fewer", "same", "more"])
    def test_while_it_is_followed(
        self, source: KafkaSource, topics: Topics, coordinator_topic: str, count: int
    ) -> None:
        topics.write(coordinator_topic, new_events(5))
        old = source.describe(coordinator_topic)
        follow(source, coordinator_topic).until(coordinator_topic, 5)
        topics.create_again(coordinator_topic)
        topics.write(coordinator_topic, new_events(count, "new"))
        assert lost_within(source).stream_name == coordinator_topic
        new = source.describe(coordinator_topic)
        assert new.topic_id != old.topic_id
        assert [event.key for event in follow(source, coordinator_topic).until(coordinator_topic, count)] == [
            event.key for event in new_events(count, "new")
        ]

    @pytest.mark.parametrize("count", [3, 5, 9], ids=["fewer", "same", "more"])
    def test_while_it_is_not_followed(
        self, source: KafkaSource, topics: Topics, coordinator_topic: str, count: int
    ) -> None:
        """Between the description and the first poll."""
        topics.write(coordinator_topic, new_events(5))
        source.describe(coordinator_topic)
        topics.create_again(coordinator_topic)
        topics.write(coordinator_topic, new_events(count, "new"))
        source.assign({coordinator_topic: 3})
        assert lost_within(source).offset == 3
        with pytest.raises(OffsetLost):
            list(source.read(coordinator_topic, 0, 3))

    def test_and_what_was_fetched_of_the_old_one_is_not_taken_for_the_new_ones(
        self, source: KafkaSource, topics: Topics, coordinator_topic: str
    ) -> None:
        topics.write(coordinator_topic, new_events(20_000))
        followed = follow(source, coordinator_topic)
        wait_until(followed.poll, what="the first events")  # the rest is fetched and waits
        position = followed.positions[coordinator_topic]
        assert position < 20_000
        topics.create_again(coordinator_topic)
        topics.write(coordinator_topic, new_events(20_000, "new"))
        source.describe(coordinator_topic)
        source.assign({coordinator_topic: position})
        assert [event.key for event in Followed(source).until(coordinator_topic, 20_000)] == [
            event.key for event in new_events(20_000, "new")[position:]
        ]

    def test_its_end_is_not_that_of_the_old_one(
        self, source: KafkaSource, topics: Topics, coordinator_topic: str
    ) -> None:
        topics.write(coordinator_topic, new_events(1))
        source.describe(coordinator_topic)
        assert source.end_offsets([coordinator_topic]) == {coordinator_topic: 1}
        topics.create_again(coordinator_topic)
        topics.write(coordinator_topic, new_events(5))
        assert source.end_offsets([coordinator_topic]) == {}
        source.describe(coordinator_topic)
        assert source.end_offsets([coordinator_topic]) == {coordinator_topic: 5}

    def test_an_empty_one_is_noticed_without_an_event(
        self, source: KafkaSource, topics: Topics, coordinator_topic: str
    ) -> None:
        follow(source, coordinator_topic)
        source.poll(0.1)
        topics.create_again(coordinator_topic)
        assert lost_within(source).offset == 0

    def test_one_that_is_gone_is_lost_and_the_others_go_on(
        self, source: KafkaSource, topics: Topics, job_name: str
    ) -> None:
        gone, kept = (topics.create(f"__samza_coordinator_{job_name}-{which}_1") for which in ("gone", "kept"))
        followed = follow(source, gone, kept)
        source.poll(0.1)
        topics.delete(gone)
        assert lost_within(source).stream_name == gone
        topics.write(kept, new_events(1))
        assert offsets(followed.until(kept, 1)) == [0]
        assert source.end_offsets([gone, kept]) == {kept: 1}
        with pytest.raises(StreamMissing):
            source.describe(gone)
        source.assign({kept: 1})
        assert followed.nothing_more()


def test_a_topic_that_gets_partitions_is_refused(source: KafkaSource, topics: Topics, coordinator_topic: str) -> None:
    follow(source, coordinator_topic)
    source.poll(0.1)
    topics.grow(coordinator_topic, 2)
    assert lost_within(source).stream_name == coordinator_topic
    with pytest.raises(StreamRefused, match="it has 2 partitions"):
        source.describe(coordinator_topic)
