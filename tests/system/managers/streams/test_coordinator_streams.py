"""Consumer, producer and writer of a coordinator stream."""

import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, Final
from unittest.mock import Mock

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.messages import Delete, Envelope, SetConfig
from eventlog.postgres.log import PostgresEventLog
from eventlog.source import OffsetLost, SourceUnavailable, StreamMissing, StreamRefused
from eventlog.streams import coordinator_stream_name, identify
from eventlog.wire.coordinator import decode_key, decode_message, encode_key
from managers.config.job_config import read_config, write_config
from managers.errors import NotReady
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.coordinator_streams import (
    CoordinatorStreamConsumer,
    CoordinatorStreamMessage,
    CoordinatorStreamProducer,
    CoordinatorStreamWriter,
)
from tests.builders import changelog_set, config_deleted, config_set, coordinator_key, raw
from tests.checkout import CHECKOUT
from tests.contracts.event_log import NOW, NOW_MS, clock
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.watched_log import RecordingLog, WatchedLog


def running(log: EventLog) -> CoordinatorStreamConsumer:
    consumer = CoordinatorStreamConsumer(log)
    consumer.register()
    consumer.start()
    return consumer


@pytest.mark.scenario("CON-01")
def test_config_is_what_was_set_and_not_deleted(coordinator_log: EventLog) -> None:
    coordinator_log.append([config_set("job.name", "my-job-name"), config_set("job.id", "1234")])
    coordinator_log.append([config_deleted("job.name")])
    consumer = running(coordinator_log)
    consumer.bootstrap()
    assert consumer.get_config() == {"job.id": "1234"}
    consumer.stop()


@pytest.mark.parametrize("make", [CoordinatorStreamConsumer, CoordinatorStreamProducer, CoordinatorStreamWriter])
@pytest.mark.scenario("CON-01", "CON-07", "PRO-08")
def test_a_log_is_opened_once_and_closed_by_who_opened_it(make: Callable[[Callable[[], EventLog]], Any]) -> None:
    log = RecordingLog()
    open_log = Mock(return_value=log)
    client = make(open_log)
    client.stop()
    for _ in range(2):
        client.start()
    assert open_log.call_count == 1
    for _ in range(2):
        client.stop()
    assert log.calls.count("close") == 1


@pytest.mark.scenario("CON-03")
def test_a_second_registration_reads_nothing_again() -> None:
    log = RecordingLog()
    consumer = running(log)
    log.append([config_set()])
    consumer.bootstrap()
    consumer.register()
    consumer.bootstrap()
    assert log.calls == ["append 1", "read 0"]


@pytest.mark.scenario("CON-02")
def test_config_must_be_bootstrapped_first(coordinator_log: EventLog) -> None:
    consumer = running(coordinator_log)
    with pytest.raises(NotReady, match=r"is not bootstrapped\. Call bootstrap\(\) first"):
        consumer.get_config()
    consumer.bootstrap()
    assert consumer.get_config() == {}


@pytest.mark.parametrize(
    ("make", "call"),
    [
        (CoordinatorStreamConsumer, CoordinatorStreamConsumer.bootstrap),
        (CoordinatorStreamProducer, lambda it: it.send(Delete(message_type="set-config", key="a"))),
        (CoordinatorStreamWriter, lambda it: it.send_set_config("a", "1")),
    ],
)
def test_calls_before_start_or_after_stop_are_told(make: Callable[[EventLog], Any], call: Callable[[Any], Any]) -> None:
    client = make(RecordingLog())
    with pytest.raises(NotReady, match=r"is not running\. Start it first"):
        call(client)
    with client:
        call(client)
    with pytest.raises(NotReady, match="is not running"):
        call(client)


@pytest.mark.scenario("CON-04", "HRD-01")
def test_of_equal_messages_the_last_one_counts(coordinator_log: EventLog) -> None:
    coordinator_log.append([config_set("key1", value) for value in ("value1", "value2", "value1")])
    stream = running(coordinator_log).get_bootstrapped_stream("set-config")
    assert [message.config_value for message in stream] == ["value2", "value1"]


@pytest.mark.scenario("HRD-02")
def test_a_deployment_of_the_same_config_adds_nothing(coordinator_log: EventLog) -> None:
    config = {f"key {number}": f"value {number}" for number in range(30)}
    with CoordinatorStreamStore(coordinator_log) as store:
        for hour in range(5):
            write_config(store, config, clock=lambda hour=hour: NOW + timedelta(hours=hour))  # type: ignore[misc]
        assert len(store.all()) == 30
    consumer = running(coordinator_log)
    stream = consumer.get_bootstrapped_stream()
    assert {message.key: message.config_value for message in stream} == config == consumer.get_config()
    assert (len(stream), coordinator_log.end_offset()) == (30, 150)


@pytest.mark.scenario("HRD-22")
def test_what_fails_at_the_start_is_not_hidden_by_the_end(logs: LogMaker) -> None:
    log = WatchedLog(logs.create(), is_broken=True)
    with pytest.raises(SourceUnavailable), CoordinatorStreamConsumer(lambda: log):
        pass
    assert log.is_closed


@pytest.mark.scenario("CON-05")
def test_a_topic_that_is_none_to_read_is_told(kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

    stream = identify(coordinator_stream_name(job_name))
    nobody = KafkaOptions.parse("127.0.0.1:1")

    def refusal(open_log: Callable[[], EventLog], error: type[Exception]) -> str:
        consumer = CoordinatorStreamConsumer(open_log)
        with pytest.raises(error) as refused:
            consumer.register()
        return str(refused.value)

    assert "127.0.0.1:1" in refusal(partial(KafkaEventLog, nobody, stream), SourceUnavailable)
    missing = refusal(partial(KafkaEventLog, kafka_options, stream), StreamMissing)
    assert missing.endswith(
        f"has no stream {stream.stream_name}. Create it with `coordstream log create`, or check the name."
    )
    topics.create(stream.stream_name, partitions=2)
    assert "it has 2 partitions" in refusal(partial(KafkaEventLog, kafka_options, stream), StreamRefused)


@pytest.mark.scenario("CON-08", "HRD-03")
def test_each_read_of_a_type_catches_up(coordinator_log: EventLog, logs: LogMaker) -> None:
    coordinator_log.append([config_set("a", "1"), changelog_set("t", 4), config_set("b", "2")])
    consumer = running(coordinator_log)
    assert [message.key for message in consumer.get_bootstrapped_stream("set-changelog")] == ["t"]
    logs.open_again(coordinator_log).append([changelog_set("u", 5)])
    assert [message.key for message in consumer.get_bootstrapped_stream("SET-CHANGELOG")] == ["t", "u"]
    consumer.register()
    assert len(consumer.get_bootstrapped_stream()) == 4


@pytest.mark.parametrize("stream_id", [None, "created again"])
def test_a_stream_that_was_created_again_is_noticed(stream_id: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryEventLog(identify(coordinator_stream_name("orders")))
    log.append([config_set("a", "1")])
    monkeypatch.setattr(log, "stream_id", stream_id and "deleted")
    with CoordinatorStreamConsumer(log) as consumer:
        monkeypatch.setattr(log, "stream_id", stream_id)
        log._events[:1] = [] if stream_id is None else [*log.read()] * 2
        for call in (consumer.bootstrap, consumer.get_bootstrapped_stream):
            with pytest.raises(OffsetLost):
                call()


def test_events_that_are_skipped_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    log = MemoryEventLog(identify(coordinator_stream_name("orders")))
    config = config_set("a", "1")
    log.append(
        [config, raw(b"no key", b"{}"), raw(encode_key("set-changelog", "t"), b"{"), config._replace(value=b"[]")]
    )
    consumer = running(log)
    consumer.bootstrap()
    with CoordinatorStreamStore(log) as store:
        for _ in range(2):
            assert read_config(store) == {"a": "1"}
        store.messages("set-changelog")
    assert [record.message.partition(": ")[0] for record in caplog.records] == [
        *(f"Ignoring the event at offset {offset} of {log.stream_name}" for offset in (1, 2, 3, 1)),
        *(f"Ignoring a value of set-{each} in {log.stream_name}" for each in ("config", "changelog")),
    ]


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


def config(log: EventLog) -> dict[str, str]:
    with CoordinatorStreamConsumer(log) as consumer:
        return dict(consumer.get_config())


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
