"""Following while brokers go and come, and logs that are not what they were."""

import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from eventlog.events import NewEvent
from eventlog.kafka import client
from eventlog.kafka.consumer import FETCH_WAIT_SECONDS, POLL_EVENTS
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.source import OffsetLost, SourceUnavailable, StreamRefused
from tests.contracts.event_log import new_events
from tests.contracts.followed import Followed, offsets
from tests.fixtures.kafka_broker import KafkaBroker
from tests.fixtures.kafka_segments import cut_last_batches, damage_batch, move_up
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until


@pytest.fixture
def topics(broker: KafkaBroker) -> Iterator[Topics]:
    with Topics(broker.bootstrap_servers) as topics:
        yield topics


@pytest.fixture
def one(topics: Topics, job_name: str) -> str:
    """The stream that things happen to."""
    return topics.create(f"__samza_coordinator_{job_name}-one_1")


@pytest.fixture
def two(topics: Topics, job_name: str) -> str:
    """The stream that goes on."""
    return topics.create(f"__samza_coordinator_{job_name}-two_1")


@pytest.fixture
def source(broker: KafkaBroker, one: str, two: str) -> Iterator[KafkaSource]:
    """A source that follows the two streams."""
    with KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source:
        source.describe(one)
        source.describe(two)
        source.assign({one: 0, two: 0})
        yield source


def outcome(followed: Followed) -> OffsetLost | None:
    """What a poll says of an offset that is lost."""
    try:
        followed.poll()
    except OffsetLost as lost:
        return lost
    return None


def is_described(source: KafkaSource, name: str) -> bool:
    try:
        return source.describe(name).end_offset == 1
    except SourceUnavailable:
        return False


def test_missing_brokers_are_reported_in_time_also_if_they_were_never_there(
    broker: KafkaBroker, topics: Topics, source: KafkaSource, one: str, two: str
) -> None:
    topics.write(two, new_events(1))
    Followed(source).poll()
    broker.kill()
    try:
        began = time.monotonic()
        with pytest.raises(SourceUnavailable, match="does not answer"):
            source.end_offsets([one])
        assert time.monotonic() - began < PATIENCE / 2
        with suppress(SourceUnavailable):
            Followed(source).nothing_more(0.5)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client, "REACH_SECONDS", 0.2)
            patch.setitem(client.TIMES, "bootstrap_timeout_ms", 200)
            early = KafkaSource(KafkaOptions.parse(broker.bootstrap_servers))
            early.assign({})
            with pytest.raises(SourceUnavailable):
                early.describe(two)
            with pytest.raises(SourceUnavailable):
                early.poll(0.1)
        with early:
            broker.start()
            wait_until(lambda: is_described(early, two), what="the brokers to answer")
            early.assign({two: 0})
            assert offsets(Followed(early).until(two, 1)) == [0]
    finally:
        broker.start()
    assert source.end_offsets([one]) == {one: 0}


def test_logs_that_became_shorter_are_noticed_also_after_they_have_grown_again(
    broker: KafkaBroker, topics: Topics, source: KafkaSource, one: str, two: str, job_name: str
) -> None:
    """The last three of ten batches are lost while the broker is down.

    One that has grown again is noticed by the epoch of its leader alone: its offsets and its topic's id are as before.
    """
    grown = topics.create(f"__samza_coordinator_{job_name}-grown_1")
    source.assign({one: 0, two: 0, grown: source.describe(grown).start_offset})
    followed = Followed(source)
    for name in (one, grown):
        topics.write(name, new_events(POLL_EVENTS), batch_events=POLL_EVENTS // 10)
        followed.until(name, POLL_EVENTS)
    topics.write(two, new_events(1))
    followed.until(two, 1)
    followed.nothing_more(2 * FETCH_WAIT_SECONDS)  # a second answer for the streams: the client forgets the epoch
    broker.stop()
    for name in (one, grown):
        assert cut_last_batches(broker, name, 3) == POLL_EVENTS * 7 // 10
    broker.start()
    topics.write(grown, new_events(POLL_EVENTS, "other"))
    lost = [wait_until(lambda: outcome(followed), what="the loss to be noticed") for _ in range(2)]
    assert {(each.stream_name, each.offset) for each in lost if each} == {(one, POLL_EVENTS), (grown, POLL_EVENTS)}
    assert [len(followed.events[name]) for name in (one, grown)] == [POLL_EVENTS] * 2
    topics.write(two, new_events(1))
    assert offsets(followed.until(two, 2)) == [0, 1]
    assert [source.describe(name).end_offset * 10 / POLL_EVENTS for name in (one, grown)] == [7, 17]


def test_a_damaged_batch_stops_its_stream_alone(broker: KafkaBroker, topics: Topics, one: str, two: str) -> None:
    topics.write(one, new_events(6), batch_events=2)
    topics.write(two, new_events(2))
    broker.stop()
    assert damage_batch(broker, one, 1) == 2
    broker.start()
    with KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source:
        source.assign({name: source.describe(name).start_offset for name in (one, two)})
        followed = Followed(source)
        with pytest.raises(StreamRefused, match=rf"{one} cannot be followed: the record at offset 2 cannot be decoded"):
            wait_until(lambda: followed.poll() and False, what="the damage to be noticed")
        assert offsets(followed.events[one]) == [0, 1]
        topics.write(two, [NewEvent(b"later", b"")])
        assert offsets(followed.until(two, 3)) == [0, 1, 2]
        with pytest.raises(StreamRefused):
            list(source.read(one, 0, 6))
        assert offsets([*source.read(one, 0, 2)]) == [0, 1]


def test_offsets_are_not_counts(broker: KafkaBroker, topics: Topics, one: str) -> None:
    """A log that has lived long begins far up."""
    far = 10_000_000_000
    topics.write(one, new_events(3))
    broker.stop()
    move_up(broker, one, far)
    broker.start()
    with KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source:
        facts = source.describe(one)
        assert (facts.start_offset, facts.end_offset) == (far, far + 3)
        source.assign({one: far + 1})
        assert topics.write(one, new_events(1)) == [far + 3]
        assert offsets(Followed(source).until(one, far + 4)) == [far + 1, far + 2, far + 3]
        assert offsets([*source.read(one, far, far + 2)]) == [far, far + 1]
