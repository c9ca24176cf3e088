"""Changes single config keys of a job."""

import pytest

from eventlog.log import EventLog, MemoryEventLog
from eventlog.source import SourceUnavailable
from eventlog.wire.coordinator import decode_key, decode_message
from managers.errors import NotReady, WriteOnceChange
from managers.streams.coordinator_consumer import CoordinatorStreamConsumer
from managers.streams.coordinator_producer import CoordinatorStreamWriter
from tests.builders import config_set
from tests.contracts.event_log import STREAM
from tests.managers.recording_log import RecordingLog
from tests.managers.watched_log import BrokenLog

GROUPER = "job.systemstreampartition.grouper.factory"


def config(log: EventLog) -> dict[str, str]:
    """The config that stands on a log."""
    with CoordinatorStreamConsumer(log) as consumer:
        return dict(consumer.config)


def sources(log: EventLog) -> list[str | None]:
    """The source of each event except tombstones."""
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


def test_what_may_be_set_once_is_refused_unless_forced(coordinator_log: EventLog) -> None:
    coordinator_log.append([config_set("job.name", "orders"), config_set(GROUPER, "Old")])
    with CoordinatorStreamWriter(coordinator_log) as writer:
        with pytest.raises(WriteOnceChange, match=f"{GROUPER} from 'Old' to 'New'"):
            writer.send_set_config(GROUPER, "New")
        with pytest.raises(WriteOnceChange, match="from 'Old' to 'org"):
            writer.send_delete_config(GROUPER)
        writer.send_set_config(GROUPER, "Old")
    assert coordinator_log.end_offset() == 3
    with CoordinatorStreamWriter(coordinator_log, force=True) as writer:
        writer.send_set_config(GROUPER, "New")
        writer.send_set_config("a", "1")
        writer.send_delete_config(GROUPER)
    assert config(coordinator_log) == {"job.name": "orders", "a": "1"}
    forced = "coordinator-stream-writer (forced)"
    assert sources(coordinator_log)[-3:] == [forced, "coordinator-stream-writer", forced]


def test_it_must_be_started() -> None:
    log = RecordingLog()
    writer = CoordinatorStreamWriter(lambda: log)
    writer.stop()
    with pytest.raises(NotReady, match=r"is not running. Call start\(\) first"):
        writer.send_set_config("a", "1")
    writer.start()
    writer.start()
    writer.stop()
    assert log.calls == ["close"]


@pytest.mark.scenario("HRD-22")
def test_what_fails_at_the_start_is_not_hidden_by_the_end() -> None:
    log = BrokenLog(MemoryEventLog(STREAM))
    with pytest.raises(SourceUnavailable), CoordinatorStreamWriter(lambda: log):
        pass
    assert log.is_closed
