"""A message of the coordinator stream as Samza holds it."""

from datetime import timedelta

import pytest

from eventlog.wire.coordinator import decode_key
from managers.streams.coordinator_streams import CoordinatorStreamMessage
from tests.contracts.event_log import NOW, NOW_MS, clock


@pytest.mark.scenario("MSG-01")
def test_a_new_message_is_signed_and_copied_as_it_is() -> None:
    message = CoordinatorStreamMessage("source", clock=clock)
    assert (message.source, message.version, message.timestamp) == ("source", 1, NOW_MS)
    assert (message.type, message.key, message.is_delete) == (None, None, False)
    assert message.username
    assert message.host is not None
    second = CoordinatorStreamMessage(key_array=message.key_array, message_map=message.message_map)
    assert (second, second.timestamp) == (message, NOW_MS)


@pytest.mark.scenario("MSG-02")
def test_a_message_without_a_map_is_a_delete() -> None:
    message = CoordinatorStreamMessage(key_array=[], message_map=None)
    assert (message.is_delete, message.message_map, message.values, message.version) == (True, None, {}, None)
    assert (message.source, message.host, message.username, message.timestamp) == (None, None, None, None)


@pytest.mark.scenario("MSG-07")
def test_a_deleted_config_has_no_value() -> None:
    message = CoordinatorStreamMessage(key_array=[0, "set-config", "random-key"], message_map=None)
    assert (message.config_value, message.version, message.key) == (None, 0, "random-key")


@pytest.mark.scenario("MSG-05")
def test_who_wrote_it_and_when_does_not_count() -> None:
    first = CoordinatorStreamMessage("a", key_array=[1, "set-config", "key1"], clock=clock)
    later = CoordinatorStreamMessage(
        "b", key_array=[1, "set-config", "key1"], clock=lambda: NOW + timedelta(milliseconds=5)
    )
    other = CoordinatorStreamMessage("a", key_array=[1, "set-config", "key2"], clock=clock)
    assert {first, later} == {first}
    assert hash(first) == hash(later)
    assert first != other
    assert first != CoordinatorStreamMessage(key_array=first.key_array, message_map=None)
    assert first != "key1"


def test_an_event_and_its_message_are_one() -> None:
    value = b'{"host":"h","source":"s","values":{"value":"v"},"username":"u","timestamp":7}'
    key = b'[1,"set-config","a"]'
    message = CoordinatorStreamMessage.read(decode_key(key), value)
    assert message.event()[:2] == (key, value)
    assert (message.config_value, message.values) == ("v", {"value": "v"})
    assert repr(message) == "<CoordinatorStreamMessage set-config 'a': values of 'value', by s>"
    deleted = CoordinatorStreamMessage.read(decode_key(key), None)
    assert deleted.event()[:2] == (key, None)
    assert repr(deleted) == "<CoordinatorStreamMessage set-config 'a': delete, by None>"
