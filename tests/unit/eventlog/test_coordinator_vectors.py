"""Every golden vector of the coordinator stream decodes to what it says and encodes to the same bytes."""

from collections.abc import Callable
from typing import Any

import pytest

from eventlog.errors import WireError
from eventlog.messages import (
    CoordinatorMessage,
    Delete,
    Envelope,
    Message,
    SetChangelogMapping,
    SetConfig,
    SetContainerHostMapping,
    SetStartpoint,
    SetStartpointFanOut,
    UnknownMessage,
)
from eventlog.partition import StartpointKey, TaskName, startpoint_key_readings
from eventlog.startpoint import StartpointFanOut
from eventlog.wire import coordinator
from eventlog.wire.coordinator import CoordinatorKey
from tests.vectors.building import message_of, partition_of, startpoint_of, startpoint_of_kind, text_of_utf16
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]
OF_MIGRATIONS = [each for each in vectors("coordinator_message") if each["input"]["type"] == "set-migration-info"]
OF_CLASSES = [each for each in vectors("coordinator_message") if each not in OF_MIGRATIONS]


@pytest.mark.scenario("MSG-08", "MSG-09", "MSG-10")
@pytest.mark.parametrize("vector", vectors("coordinator_key"), ids=lambda vector: vector["id"])
def test_coordinator_key(vector: Vector) -> None:
    key = text_of_utf16(vector["input"]["key_utf16_hex"])
    written = decoded(vector["key_b64"])
    assert coordinator.encode_key(vector["input"]["type"], key) == written
    expected = CoordinatorKey(1, vector["input"]["type"], text_of_utf16(vector["read_back_utf16_hex"]))
    assert coordinator.decode_key(written) == expected


@pytest.mark.scenario("MSG-12", "MSG-13")
@pytest.mark.parametrize("vector", OF_CLASSES + vectors("legacy_message"), ids=lambda vector: vector["id"])
def test_message_with_envelope(vector: Vector) -> None:
    said = vector["input"]
    message = message_of(said)
    read = _assert_read_and_written_again(vector, message)
    if not said["delete"]:
        assert read.envelope == Envelope(said["source"], said["host"], said["username"], said["timestamp"])
    if said["type"] != "set-checkpoint":  # whose partitions come in Java's order
        assert coordinator.encode_message(message) == (decoded(vector["key_b64"]), decoded(vector["value_b64"]))


@pytest.mark.scenario("SPM-03", "SPM-19", "HRD-38")
@pytest.mark.parametrize("vector", vectors("startpoint"), ids=lambda vector: vector["id"])
def test_startpoint(vector: Vector) -> None:
    said = vector["input"]
    task = None if said["task"] is None else TaskName(said["task"])
    key = StartpointKey(partition_of(said["ssp"]), task)
    message = SetStartpoint(
        key_text=str(key), startpoint=startpoint_of_kind(said["kind"], said["creationTimestamp"], said["argument"])
    )
    _assert_read_and_written_again(vector, message)
    assert coordinator.encode_message(message) == (decoded(vector["key_b64"]), decoded(vector["value_b64"]))
    assert key in startpoint_key_readings(message.key_text)


@pytest.mark.scenario("SPM-19")
@pytest.mark.parametrize("vector", vectors("startpoint_fan_out"), ids=lambda vector: vector["id"])
def test_startpoint_fan_out(vector: Vector) -> None:
    said = vector["input"]
    fan_outs = {partition_of(one["ssp"]): startpoint_of(one["startpoint"]) for one in said["fan_outs"]}
    fan_out = StartpointFanOut(said["timestamp"], fan_outs)
    _assert_read_and_written_again(vector, SetStartpointFanOut(task_name=said["task"], fan_out=fan_out))


@pytest.mark.parametrize(
    "vector", vectors("container_placement") + vectors("drain") + OF_MIGRATIONS, ids=lambda vector: vector["id"]
)
def test_message_that_is_kept_as_text(vector: Vector) -> None:
    _, message_type, key = coordinator.decode_key(decoded(vector["key_b64"]))
    said = UnknownMessage(message_type=message_type, key=key, value=vector["value_text"])
    _assert_read_and_written_again(vector, said)


@pytest.mark.parametrize("vector", vectors("coordinator_value_decode"), ids=lambda vector: vector["id"])
def test_coordinator_value_decode(vector: Vector) -> None:
    key = CoordinatorKey(1, vector["input"]["type"], "k")
    ours: dict[str, Callable[[], object]] = {
        "coordinator_value_decode-4": lambda: "missing_field",
        "coordinator_value_decode-8": lambda: "bad_number",
        # Samza's value serde takes a type in any case and refuses unknown ones: ours keeps both as they are.
        "coordinator_value_decode-13": lambda: _unknown(vector),
        "coordinator_value_decode-14": lambda: _unknown(vector),
    }
    expected = ours.get(vector["id"], lambda: vector["result"])()
    assert _main_value(key, vector["input"]["value_text"].encode()) == expected


def _assert_read_and_written_again(vector: Vector, message: CoordinatorMessage) -> Message:
    key, value = decoded(vector["key_b64"]), decoded(vector["value_b64"])
    read = coordinator.decode_message(coordinator.decode_key(key), value)
    assert read == message
    assert coordinator.encode_message(read) == (key, value)
    changed = read.model_copy(update={"origin": None})
    assert coordinator.encode_message(changed) == (key, value)
    return read


def _main_value(key: CoordinatorKey, value: bytes) -> object:
    try:
        message = coordinator.decode_message(key, value)
    except WireError as error:
        return error.reason
    match message:
        case SetConfig():
            return message.config_value
        case SetChangelogMapping():
            return str(message.changelog_partition)
        case SetContainerHostMapping():
            return message.host_name
        case Delete():
            return None
    return message


def _unknown(vector: Vector) -> UnknownMessage:
    return UnknownMessage(message_type=vector["input"]["type"], key="k", value=vector["input"]["value_text"])
