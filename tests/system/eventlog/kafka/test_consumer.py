"""The consumer beneath the source, and ranges: what else they do is in the contract of event sources."""

from collections.abc import Iterator
from typing import Any

import pytest
from kafka.errors import CorruptRecordError, KafkaError, RequestTimedOutError, UnknownError
from kafka.future import Future
from kafka.protocol.consumer import FetchRequest, FetchResponse

from eventlog.kafka import fetch_session
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import EventConsumer
from eventlog.kafka.fetch_session import FETCH_BY_NAME
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.ranges import RangeReader
from eventlog.source import Read, SourceUnavailable, StreamRefused, StreamUnavailable
from eventlog.streams import coordinator_stream_name
from tests.contracts.event_log import new_events
from tests.contracts.followed import offsets
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until


@pytest.fixture
def consumer(kafka_options: KafkaOptions, admin: KafkaAdmin) -> Iterator[EventConsumer]:
    consumer = EventConsumer(kafka_options, admin)
    yield consumer
    consumer.close()


@pytest.fixture
def names(topics: Topics, job_name: str) -> list[str]:
    """Three empty streams."""
    return [topics.create(coordinator_stream_name(job_name, str(number))) for number in range(3)]


def follow(consumer: EventConsumer, topics: Topics, name: str) -> None:
    """Append an event to a stream, and poll it."""
    (end,) = topics.write(name, new_events(1))
    (read,) = wait_until(lambda: consumer.poll(1))
    assert (read.stream_name, offsets(read.events), read.next_offset) == (name, [end], end + 1)


def test_events_of_an_unknown_topic_id_are_not_returned(
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that cannot be asked by id may be gone when it is asked which topic it was: they are fetched again."""
    monkeypatch.setattr(fetch_session, "FETCH_BY_ID", FETCH_BY_NAME)
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
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, names: list[str], kind: type[KafkaError]
) -> None:
    """As with a damaged segment. The broker is real, but the error is put into its answers."""
    damaged, sound = names[:2]
    ids = admin.topic_ids(names[:2])

    def damage(answer: FetchResponse) -> None:
        for topic in answer.responses:
            if str(topic.topic_id) == ids[damaged]:
                topic.partitions[0].error_code = kind.errno

    manager = consumer._open().manager
    send = manager.send

    def send_damaged(request: Any, *arguments: Any) -> Any:
        answer = send(request, *arguments)
        if isinstance(request, FetchRequest):
            answer.add_callback(damage)
        return answer

    manager.send = send_damaged
    for name in (damaged, sound):
        topics.write(name, new_events(1))
    consumer.assign(dict.fromkeys(ids, 0), ids)
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


def test_streams_whose_fetches_all_fail_are_unavailable_until_one_succeeds(
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a network that loses large packets. The broker is real, but no fetch reaches it."""
    monkeypatch.setattr("eventlog.kafka.consumer.SILENCE_SECONDS", 0.5)
    manager = consumer._open().manager
    send, lost = manager.send, Future().failure(RequestTimedOutError())
    with monkeypatch.context() as network:
        network.setattr(manager, "send", lambda one, *to: lost if isinstance(one, FetchRequest) else send(one, *to))
        consumer.assign(dict.fromkeys(names, 0), admin.topic_ids(names))
        for _ in range(2):
            with pytest.raises(StreamUnavailable, match=r"has not answered .* for 0.5 s \(RequestTimedOut\)") as error:
                wait_until(lambda: consumer.poll(0.1))
            assert error.value.stream_names == sorted(names)
    follow(consumer, topics, names[0])


def test_a_session_that_the_broker_forgot_is_begun_again(
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, names: list[str]
) -> None:
    consumer.assign(dict.fromkeys(names, 0), admin.topic_ids(names))
    for _ in range(2):
        for name in names:
            follow(consumer, topics, name)
        (session,) = consumer._sessions.values()
        session.session_id += 1


@pytest.fixture
def reader(kafka_options: KafkaOptions, admin: KafkaAdmin) -> Iterator[RangeReader]:
    with RangeReader(kafka_options, admin) as reader:
        yield reader


def test_what_was_asked_before_another_topic_was_created_again_is_not_read_twice(
    consumer: EventConsumer, admin: KafkaAdmin, topics: Topics, names: list[str]
) -> None:
    for ids in admin.topic_ids(names[:2]), admin.topic_ids(names[:1]) | {names[1]: None}:
        consumer.assign(dict.fromkeys(names[:2], 0), ids)
        wait_until(lambda: consumer.poll(0) or any(each.has_to_answer for each in consumer._sessions.values()))
    topics.write(names[0], new_events(1))
    wait_until(lambda: consumer._news.qsize() == 2)
    assert [offsets(read.events) for read in wait_until(lambda: consumer.poll(1))] == [[0]]


def test_a_recreated_topic_is_read(
    reader: RangeReader, admin: KafkaAdmin, topics: Topics, coordinator_topic: str
) -> None:
    for turn in range(3):
        topics.write(coordinator_topic, new_events(2, f"{turn}."))
        topic_id = admin.topic_ids([coordinator_topic])[coordinator_topic]
        keys = [event.key for event in reader.read(coordinator_topic, topic_id, 0, 2)]
        assert keys == [b"%d.0" % turn, b"%d.1" % turn]
        topics.create_again(coordinator_topic)
