"""The consumer beneath the source: what else it does is in the tests of that.

Stretches of streams: what else they do is in the contract of event sources.
"""

import threading
from collections.abc import Iterator

import pytest
from kafka import TopicPartition
from kafka.errors import CorruptRecordError, KafkaError, UnknownError
from kafka.protocol.consumer import FetchResponse

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import EventConsumer, RangeReader
from eventlog.kafka.fetch_client import POLL_EVENTS, TopicIds
from eventlog.kafka.options import KafkaOptions
from eventlog.source import Read, SourceUnavailable, StreamRefused
from eventlog.streams import coordinator_stream_name
from tests.contracts.followed import new_events, offsets
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until


@pytest.fixture
def consumer(kafka_options: KafkaOptions, admin: KafkaAdmin) -> Iterator[EventConsumer]:
    consumer = EventConsumer(kafka_options, admin)
    yield consumer
    consumer.close()


def test_events_of_an_unknown_topic_id_are_not_returned(
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that cannot be asked by id may be gone when it is asked which topic it was: they are fetched again."""
    monkeypatch.setattr(TopicIds, "set_ids", lambda *_: None)
    topics.write(coordinator_topic, new_events(3))
    consumer.assign({coordinator_topic: 0}, admin.topic_ids([coordinator_topic]))
    ask = admin.topic_ids
    asked: list[object] = []

    def unreachable(*arguments: object) -> dict[str, str | None]:
        asked.append(arguments)
        if len(asked) < 3:
            raise SourceUnavailable
        return ask(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(admin, "topic_ids", unreachable)
    for _ in range(2):
        with pytest.raises(SourceUnavailable):
            wait_until(lambda: consumer.poll(1))
    (read,) = wait_until(lambda: consumer.poll(1))
    assert (offsets(read.events), read.next_offset) == ([0, 1, 2], 3)


@pytest.mark.parametrize("kind", [CorruptRecordError, UnknownError])
def test_a_stream_that_its_broker_cannot_read_does_not_stop_the_others(
    consumer: EventConsumer,
    admin: KafkaAdmin,
    topics: Topics,
    job_name: str,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[KafkaError],
) -> None:
    """As with a damaged segment. The broker is real, but the error is put into its answers."""
    damaged, sound = names = [topics.create(coordinator_stream_name(job_name, number)) for number in "12"]
    ids = admin.topic_ids(names)
    handle = consumer._client._fetcher._handle_fetch_response

    def handle_damaged(node_id: object, offsets: object, sent_at: object, answer: FetchResponse) -> None:
        for topic in answer.responses:
            if str(topic.topic_id) == ids[damaged]:
                topic.partitions[0].error_code = kind.errno
        handle(node_id, offsets, sent_at, answer)

    monkeypatch.setattr(consumer._client._fetcher, "_handle_fetch_response", handle_damaged)
    for name in names:
        topics.write(name, new_events(1))
    consumer.assign(dict.fromkeys(names, 0), ids)
    reads: list[Read] = []
    errors: list[StreamRefused] = []
    while not (reads and errors):
        try:
            reads += consumer.poll(PATIENCE)
        except StreamRefused as error:
            errors.append(error)
    assert [read.stream_name for read in reads] == [sound]
    assert [error.stream_name for error in errors] == [damaged]
    assert f"its broker cannot read it ({kind.__name__.removesuffix('Error')})" in str(errors[0])


def test_every_fetch_asks_for_all_streams(
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker would delay a fetch that omits streams with waiting events, and not return their new ones."""
    names = [topics.create(coordinator_stream_name(job_name, str(number))) for number in range(3)]
    for name in names:
        topics.write(name, new_events(POLL_EVENTS * 3 // 2))
    fetchable = consumer._client._fetcher._fetchable_partitions
    asked: list[set[str]] = []

    def recorded() -> list[TopicPartition]:
        found: list[TopicPartition] = fetchable()
        asked.append({partition.topic for partition in found})
        return found

    monkeypatch.setattr(consumer._client._fetcher, "_fetchable_partitions", recorded)
    consumer.assign(dict.fromkeys(names, 0), admin.topic_ids(names))
    ends = dict.fromkeys(names, 0)
    while set(ends.values()) != {POLL_EVENTS * 3 // 2}:
        ends |= {read.stream_name: read.next_offset for read in wait_until(lambda: consumer.poll(1))}
    assert {frozenset(some) for some in asked} == {frozenset(names)}


@pytest.fixture
def reader(kafka_options: KafkaOptions, admin: KafkaAdmin) -> Iterator[RangeReader]:
    reader = RangeReader(kafka_options, admin)
    yield reader
    reader.close()


def test_one_connection_does_for_reads_in_turn(
    reader: RangeReader, admin: KafkaAdmin, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, new_events(3))
    topic_id = admin.topic_ids([coordinator_topic])[coordinator_topic]
    before = set(threading.enumerate())
    for _ in range(3):
        assert offsets([*reader.read(coordinator_topic, topic_id, 0, 3)]) == [0, 1, 2]
    assert len(set(threading.enumerate()) - before) == 1
    both = zip(
        reader.read(coordinator_topic, topic_id, 0, 3), reader.read(coordinator_topic, topic_id, 0, 3), strict=True
    )
    assert len(list(both)) == 3
    assert len(set(threading.enumerate()) - before) == 2
    reader.close()
    wait_until(lambda: before.issuperset(threading.enumerate()))


def test_a_recreated_topic_is_read_with_another_connection(
    reader: RangeReader, admin: KafkaAdmin, topics: Topics, coordinator_topic: str
) -> None:
    for turn in range(3):
        topics.write(coordinator_topic, new_events(2, f"{turn}."))
        topic_id = admin.topic_ids([coordinator_topic])[coordinator_topic]
        keys = [event.key for event in reader.read(coordinator_topic, topic_id, 0, 2)]
        assert keys == [b"%d.0" % turn, b"%d.1" % turn]
        topics.create_again(coordinator_topic)


def test_a_read_without_events_times_out(
    reader: RangeReader, admin: KafkaAdmin, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eventlog.kafka.consumer.SILENCE_SECONDS", 0.3)
    topic_id = admin.topic_ids([coordinator_topic])[coordinator_topic]
    with pytest.raises(SourceUnavailable, match=f"No events of {coordinator_topic} at offset 0 for 0.3 s. Check"):
        list(reader.read(coordinator_topic, topic_id, 0, 1))
