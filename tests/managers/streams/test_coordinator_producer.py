"""Writes messages and config keys to a job's coordinator stream."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from eventlog.log import EventLog
from eventlog.messages import Delete, Envelope, SetConfig
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import coordinator_stream_name, identify
from eventlog.wire.coordinator import decode_key, decode_message
from managers.errors import NotReady
from managers.streams.coordinator_stream_message import CoordinatorStreamMessage
from managers.streams.coordinator_streams import (
    CoordinatorStreamConsumer,
    CoordinatorStreamProducer,
    CoordinatorStreamWriter,
)
from tests.builders import config_set, coordinator_key, raw
from tests.contracts.event_log import NOW_MS, clock
from tests.managers.watched_log import RecordingLog


def said(log: EventLog) -> list[object]:
    return [decode_message(decode_key(event.key), event.value) for event in log.read()]


@pytest.mark.scenario("PRO-01")
def test_messages_are_written_in_order(coordinator_log: EventLog) -> None:
    name = SetConfig(config_key="job.name", config_value="my-job-name")
    number = SetConfig(config_key="job.id", config_value="1234", envelope=Envelope("tool", "h", "u", 1))
    producer = CoordinatorStreamProducer(coordinator_log, clock=clock)
    producer.register("source")
    producer.start()
    assert producer.send(name) == 0
    assert producer.send(number) == 1
    assert producer.send(CoordinatorStreamMessage(key_array=(1, "set-config", "job.name"), message_map=None)) == 2
    producer.stop()
    first, second, third = coordinator_log.read()
    assert said(coordinator_log)[:2] == [name, number]
    assert (third.key, third.value) == (first.key, None)
    envelopes = [decode_message(decode_key(each.key), each.value).envelope for each in (first, second)]
    assert [each and (each.source, each.timestamp) for each in envelopes] == [("source", NOW_MS), ("tool", 1)]


@pytest.mark.scenario("PRO-02")
def test_config_is_written_at_once() -> None:
    log = RecordingLog()
    with CoordinatorStreamProducer(log) as producer:
        producer.write_config("job-runner", {"a": "1", "b": "", "c": "3"})
        assert log.calls == ["append 3"]
        producer.flush("job-runner")
    assert said(log) == [
        SetConfig(config_key=key, config_value=value) for key, value in (("a", "1"), ("b", ""), ("c", "3"))
    ]
    assert log.calls == ["append 3", "read 0"]


@pytest.mark.parametrize("message_type", ["samza-startpoint-v1", "samza-startpoint-v1-fan-out", "of-the-future"])
def test_a_decoded_message_without_an_envelope_is_written_as_it_was(
    coordinator_log: EventLog, message_type: str
) -> None:
    value = b'{"creationTimestamp":1, "@type":"StartpointOldest", "timestamp":1, "fanOuts":{}, "future":2}'
    event = raw(coordinator_key(message_type, "kafka.in.0"), value)
    with CoordinatorStreamProducer(coordinator_log) as producer:
        producer.register("source")
        producer.send(decode_message(decode_key(event.key), event.value))
    assert [(each.key, each.value) for each in coordinator_log.read()] == [(event.key, value)]


@pytest.mark.scenario("PRO-08")
def test_it_starts_once_and_stops_in_any_state() -> None:
    log, opened = RecordingLog(), []

    def open_log() -> RecordingLog:
        opened.append(log)
        return log

    producer = CoordinatorStreamProducer(open_log)
    producer.stop()
    with pytest.raises(NotReady, match="is not running"):
        producer.send(Delete(message_type="set-config", key="a"))
    producer.start()
    producer.start()
    assert opened == [log]
    producer.stop()
    producer.stop()
    assert log.calls == ["close"]


def config(log: EventLog) -> dict[str, str]:
    with CoordinatorStreamConsumer(log) as consumer:
        return dict(consumer.config)


def sources(log: EventLog) -> list[str | None]:
    messages = [decode_message(decode_key(event.key), event.value) for event in log.read() if event.value is not None]
    return [message.envelope.source for message in messages if message.envelope is not None]


@pytest.mark.scenario("PRO-04", "MSG-20")
def test_config_is_set_and_nothing_else(coordinator_log: EventLog) -> None:
    writer = CoordinatorStreamWriter(coordinator_log)
    writer.start()
    writer.send_message("set-config", "key0", "value0")
    with pytest.raises(ValueError, match="message_type must be 'set-config', not 'invalid-type'"):
        writer.send_message("invalid-type", "key-invalid", "value-invalid")
    writer.send_set_config("key1", "value1")
    writer.stop()
    assert config(coordinator_log) == {"key0": "value0", "key1": "value1"}
    assert coordinator_log.end_offset() == 2
    assert sources(coordinator_log) == ["coordinator-stream-writer"] * 2


def test_a_key_is_deleted(coordinator_log: EventLog) -> None:
    coordinator_log.append([config_set("a", "1"), config_set("b", "2")])
    with CoordinatorStreamWriter(coordinator_log) as writer:
        assert writer.send_delete_config("a")
        assert not writer.send_delete_config("a")
    assert (config(coordinator_log), coordinator_log.end_offset()) == ({"b": "2"}, 3)


CHECKOUT: Final = Path(__file__).parents[3]
WRITE_AND_DIE: Final = """
import os, signal, sys
from eventlog.postgres.log import PostgresEventLog
from managers.streams.coordinator_streams import CoordinatorStreamWriter
writer = CoordinatorStreamWriter(PostgresEventLog(*sys.argv[1:]))
writer.start()
writer.send_set_config("a", "1")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.scenario("PRO-05")
def test_a_write_survives_its_writer(database_url: str) -> None:
    with PostgresEventLog.create(database_url, identify(coordinator_stream_name("orders"))) as log:
        program = [sys.executable, "-c", WRITE_AND_DIE, database_url, log.stream_name]
        assert subprocess.run(program, check=False, cwd=CHECKOUT).returncode == -signal.SIGKILL
        assert config(log) == {"a": "1"}
