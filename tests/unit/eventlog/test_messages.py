"""Messages: when two say the same."""

import pytest

from eventlog.messages import Delete, Envelope, Origin, SetCheckpoint, SetConfig, UnknownMessage
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator import encode_message


@pytest.mark.scenario("MSG-05")
def test_who_wrote_it_and_when_does_not_count() -> None:
    one = SetConfig(config_key="key1", config_value="value1", envelope=Envelope("a", "h", "u", 1))
    other = SetConfig(config_key="key1", config_value="value1", origin=Origin("key1", b"x"))
    assert one == other
    assert len({one, other, SetConfig(config_key="key2", config_value="value1")}) == 2


@pytest.mark.scenario("MSG-03")
def test_a_set_config_says_its_key_and_value() -> None:
    said = SetConfig(config_key="key", config_value="value", envelope=Envelope("source"))
    assert (said.message_type, said.key, said.config_value) == ("set-config", "key", "value")
    assert (said.version, said.is_delete) == (1, False)


@pytest.mark.scenario("MSG-04")
def test_a_delete_is_a_key_without_a_value() -> None:
    said = Delete(message_type="delete-type", key="key", envelope=Envelope("source2"))
    assert (said.message_type, said.key, said.version, said.is_delete) == ("delete-type", "key", 1, True)
    assert encode_message(said) == (b'[1,"delete-type","key"]', None)


def test_version_type_and_values_count() -> None:
    one = SetConfig(config_key="k", config_value="v")
    assert one != SetConfig(config_key="k", config_value="v", version=2)
    assert one != SetConfig(config_key="k", config_value="w")
    assert Delete(message_type="set-config", key="k") != UnknownMessage(message_type="set-config", key="k")
    assert one != "set-config"


def test_messages_with_maps_can_be_put_in_sets() -> None:
    partition = SystemStreamPartition("k", "s", 0)
    checkpoints = {SetCheckpoint(task_name="t", offsets={partition: "1"}) for _ in range(2)}
    assert len(checkpoints) == 1


def test_a_message_s_text_does_not_show_what_it_was_read_from() -> None:
    message = SetConfig(config_key="k", config_value="v", origin=Origin("k", b"hunter2"))
    assert "hunter2" not in repr(message)
    assert "origin" not in message.model_dump()
