"""Messages: when two say the same."""

from typing import Any

import pytest
from pydantic import ValidationError

from eventlog.messages import Delete, Envelope, Origin, SetCheckpoint, SetConfig, SetMigrationInfo, UnknownMessage
from eventlog.partition import SystemStreamPartition


def test_who_wrote_it_and_when_does_not_count() -> None:
    one = SetConfig(config_key="key1", config_value="value1", envelope=Envelope("a", "h", "u", 1))
    other = SetConfig(config_key="key1", config_value="value1", origin=Origin("key1", b"x"))
    assert one == other
    assert len({one, other, SetConfig(config_key="key2", config_value="value1")}) == 2


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
    assert SetMigrationInfo(values={"m": "true"}) == SetMigrationInfo(key="migration-info", values={"m": "true"})


def test_a_message_cannot_be_changed() -> None:
    message: Any = SetConfig(config_key="k", config_value="v")
    with pytest.raises(ValidationError):
        message.config_value = "w"


def test_a_message_s_text_does_not_show_what_it_was_read_from() -> None:
    message = SetConfig(config_key="k", config_value="v", origin=Origin("k", b"hunter2"))
    assert "hunter2" not in repr(message)
    assert "origin" not in message.model_dump()
