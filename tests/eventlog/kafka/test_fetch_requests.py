"""What a consumer asks brokers for: all streams after a change, and then those that moved."""

from collections.abc import Iterator

import pytest

from eventlog.kafka import fetch_client
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import FETCH_WAIT_SECONDS, EventConsumer
from eventlog.kafka.fetch_requests import IDLE_WAITS, Requests
from eventlog.kafka.options import KafkaOptions
from eventlog.streams import coordinator_stream_name
from tests.contracts.followed import new_events
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until


class Asking:
    """A consumer at the end of three streams, and the streams and waits (in ms) that its fetches contained."""

    def __init__(self, consumer: EventConsumer, topics: Topics, names: list[str], monkeypatch: pytest.MonkeyPatch):
        self.consumer = consumer
        self.names = names
        self.asked: list[set[str]] = []
        self.waits: list[int] = []
        self._topics = topics
        self._make = consumer._client._requests.make
        monkeypatch.setattr(consumer._client._requests, "make", self._record)

    def append(self, name: str) -> int:
        """Append to a stream, and return the event's offset."""
        (end,) = self._topics.write(name, new_events(1))
        return end

    def follow(self, name: str) -> set[str]:
        """Append to a stream, poll the event, and return what the fetch after it contains."""
        end = self.append(name)
        self.asked.clear()
        (read,) = wait_until(lambda: self.consumer.poll(1))
        assert (read.stream_name, [event.offset for event in read.events], read.next_offset) == (name, [end], end + 1)
        assert self.consumer.poll(0) == []
        return self.asked[-1]

    def _record(self) -> Requests:
        requests = self._make()
        self.asked += [{topic.topic for topic in request.topics} for request, _ in requests.values()]
        self.waits += [request.max_wait_ms for request, _ in requests.values()]
        return requests


@pytest.fixture
def asking(
    kafka_options: KafkaOptions, admin: KafkaAdmin, topics: Topics, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Asking]:
    names = [topics.create(coordinator_stream_name(job_name, str(number))) for number in range(3)]
    consumer = EventConsumer(kafka_options, admin)
    consumer.assign(dict.fromkeys(names, 0), admin.topic_ids(names))
    yield Asking(consumer, topics, names, monkeypatch)
    consumer.close()


def test_a_fetch_contains_the_streams_that_moved(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in asking.names:
        asking.follow(name)
    monkeypatch.setattr(asking.consumer._client._requests, "_make_by_kafka", None)
    monkeypatch.setattr(asking.consumer._client, "examine_all", lambda: None)  # new metadata of the cluster
    for name in [*asking.names, *asking.names]:
        assert asking.follow(name) == {name}


def test_a_broker_waits_longer_while_nothing_is_appended(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking.consumer._client, "examine_all", lambda: None)  # new metadata of the cluster
    for _ in range(2):
        asking.follow(asking.names[0])
        assert asking.waits[-1] == FETCH_WAIT_SECONDS * 1000
        wait_until(lambda: asking.consumer.poll(1) or asking.waits[-1] == IDLE_WAITS * FETCH_WAIT_SECONDS * 1000)


@pytest.mark.parametrize("limit", ["FEW_EVENTS", "FEW_BYTES"])
def test_after_few_events_the_next_poll_sends_the_fetch(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """What is appended until the caller polls again is then in the same answer."""
    client, name = asking.consumer._client, asking.names[0]
    asking.follow(name)
    monkeypatch.setattr(client, "examine_all", lambda: None)
    monkeypatch.setattr(client, "_checks_due_at", float("inf"))
    sent = []
    for most in (500, 0):
        monkeypatch.setattr(fetch_client, limit, most)
        asking.append(name)
        wait_until(lambda: asking.consumer.poll(1))
        sent.append(client._requests.are_all_pending)
        assert asking.consumer.poll(0) == []
        sent.append(client._requests.are_all_pending)
    assert sent == [False, True, True, True]


def test_after_a_change_all_streams_are_compared(asking: Asking, admin: KafkaAdmin) -> None:
    first, second, third = asking.names
    for name in asking.names:
        asking.follow(name)
    asking.consumer.assign({first: 0, second: 1}, admin.topic_ids([first, second]))
    (read,) = wait_until(lambda: asking.consumer.poll(1))
    assert (read.stream_name, [event.offset for event in read.events]) == (first, [0])
    asking.consumer.assign({first: 1, third: 0}, admin.topic_ids([first, third]))
    (read,) = wait_until(lambda: asking.consumer.poll(1))
    assert (read.stream_name, [event.offset for event in read.events]) == (third, [0])


def test_a_session_that_the_broker_forgot_is_begun_again(asking: Asking) -> None:
    for name in asking.names:
        asking.follow(name)
    (session,) = asking.consumer._client._fetcher._session_handlers.values()
    wait_until(lambda: asking.consumer.poll(0) == [] and asking.consumer._client._requests.are_all_pending)
    session.next_metadata.session_id += 1
    for name in asking.names:
        asking.follow(name)


def test_a_request_that_lacks_a_stream_is_not_used_again(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost session makes kafka-python compare all streams, also without a change."""
    first, second, third = asking.names
    for name in asking.names:
        asking.follow(name)
    monkeypatch.setattr(asking.consumer._client, "examine_all", lambda: None)
    streams = asking.consumer._client._fetcher._subscriptions
    fetchable = streams.fetchable_partitions
    streams.fetchable_partitions = lambda: [one for one in fetchable() if one.topic != first]
    (session,) = asking.consumer._client._fetcher._session_handlers.values()
    wait_until(lambda: asking.consumer.poll(0) == [] and asking.consumer._client._requests.are_all_pending)
    session.next_metadata = session.next_metadata.next_close_existing()
    for name in (second, third):
        asking.follow(name)
    del streams.fetchable_partitions
    assert asking.follow(first) == {first}
