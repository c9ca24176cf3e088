"""Appending, when brokers do not answer. What else it does is in test_log."""

import time

import pytest

from eventlog.events import RecordedEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.producer import EventProducer
from eventlog.source import SourceUnavailable
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE

EVENT = RecordedEvent(0, 1, 0, b"k", b"v")


def test_a_failed_append_is_not_sent_later(
    start_broker: BrokerMaker, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eventlog.kafka.producer.APPEND_SECONDS", 1.0)
    with start_broker() as broker, Topics(broker.bootstrap_servers) as topics:
        name = topics.create(f"__samza_coordinator_{job_name}_1")
        appender = EventProducer(KafkaOptions.parse(broker.bootstrap_servers), name, 1 << 20)
        assert appender.append([EVENT]) == range(1)
        broker.kill()
        began = time.monotonic()
        with pytest.raises(SourceUnavailable, match=f"not acknowledge an append to {name}. Check what was written"):
            appender.append([EVENT._replace(key=b"given up")])
        assert time.monotonic() - began < PATIENCE / 2
        broker.start()
        monkeypatch.undo()
        assert appender.append([EVENT._replace(key=b"later")]) == range(1, 2)
        appender.close()
        assert [record.key for record in topics.kept(name)] == [b"k", b"later"]
