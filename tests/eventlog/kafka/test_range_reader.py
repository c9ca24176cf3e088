"""Stretches of streams: what else they do is in the contract of event sources."""

import threading
from collections.abc import Iterator

import pytest

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.range_reader import RangeReader
from eventlog.source import SourceUnavailable
from tests.contracts.followed import new_events, offsets
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until


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
    monkeypatch.setattr("eventlog.kafka.range_reader.SILENCE_SECONDS", 0.3)
    topic_id = admin.topic_ids([coordinator_topic])[coordinator_topic]
    with pytest.raises(SourceUnavailable, match=f"No events of {coordinator_topic} at offset 0 for 0.3 s. Check"):
        list(reader.read(coordinator_topic, topic_id, 0, 1))
