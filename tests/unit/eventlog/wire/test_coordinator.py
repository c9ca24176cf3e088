"""Keys and values of the coordinator stream beyond the golden vectors: messages come back, other bytes are refused."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.messages import (
    Delete,
    Envelope,
    Message,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
    UnknownMessage,
)
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    StartpointFanOut,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.wire.coordinator import CoordinatorKey, decode_key, decode_message, encode_key, encode_message
from tests.vectors.catalogue import vectors


def read(message_type: str, value: bytes | None, key: str = "k") -> Message:
    return decode_message(CoordinatorKey(1, message_type, key), value)


def reason_of(message_type: str, value: bytes, key: str = "k") -> str:
    with pytest.raises(WireError) as caught:
        read(message_type, value, key)
    return caught.value.reason


@pytest.mark.parametrize("version", [b"0", b"2", b'"1"', b"null", b"1.5", b"[]", b"true"])
def test_a_key_of_any_version_is_read(version: bytes) -> None:
    key = decode_key(b"[" + version + b', "set-config" , "a", "extra"]')
    assert (key.message_type, key.key) == ("set-config", "a")


@pytest.mark.parametrize(
    ("message_type", "value"),
    [
        ("set-config", b'{"values":{"value":null}}'),
        ("set-config", b'{"values":{}}'),
        ("set-changelog", b'{"values":{"Partition":null}}'),
        ("set-changelog", b'{"values":{"Partition":""}}'),
        ("set-changelog", b'{"values":{"Partition":" ","partition":"4"}}'),
        ("set-container-host-assignment", b'{"values":{"ip":"h"}}'),
        ("set-task-partition-assignment", b'{"values":{"taskNames":null}}'),
        ("set-config", b"null"),
        ("samza-startpoint-v1", b" null\n"),
        ("samza-startpoint-v1", b""),
        ("samza-startpoint-v1-fan-out", b""),
        ("set-config", None),
        ("samza-startpoint-v1", None),
        ("never-heard-of", None),
    ],
)
def test_a_delete_is_a_null_value_or_a_missing_main_field(message_type: str, value: bytes | None) -> None:
    message = read(message_type, value)
    assert message == Delete(message_type=message_type, key="k")
    assert encode_message(message)[1] == value
    assert encode_message(Delete(message_type=message_type, key="k"))[1] is None


def test_an_empty_text_is_a_value_and_an_empty_checkpoint_is_one() -> None:
    assert read("set-config", b'{"values":{"value":""}}') == SetConfig(config_key="k", config_value="")
    assert read("set-checkpoint", b'{"values":{}}') == SetCheckpoint(task_name="k", offsets={})


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("x", "not_json"),
        ("[]", "wrong_type"),
        ('{"system":"k","partition":0}', "missing_field"),
        ('{"system":"k","stream":"s","partition":"0"}', "wrong_type"),
        ('{"system":"k","stream":"s","partition":99999999999}', "bad_partition"),
    ],
)
def test_an_assignment_needs_a_partition_as_key_but_its_end_does_not(key: str, reason: str) -> None:
    value = b'{"values":{"taskNames":"[]"}}'
    assert reason_of("set-task-partition-assignment", value, key) == reason
    assert read("set-task-partition-assignment", None, key).key == key


@pytest.mark.scenario("MSG-13")
def test_both_spellings_are_read_and_the_code_s_wins() -> None:
    assert read("set-changelog", b'{"values":{"partition":"4"}}') == SetChangelogMapping(
        task_name="k", changelog_partition=4
    )
    both = read("set-container-host-assignment", b'{"values":{"hostname":"doc","host":"code"}}')
    assert both == SetContainerHostMapping(container_id="k", host_name="code")
    changed = read("set-changelog", b'{"values":{"partition":"4"}}').model_copy(update={"changelog_partition": 5})
    assert encode_message(changed)[1] == b'{"values":{"Partition":"5"}}'


def test_envelope_fields_of_another_type_are_none() -> None:
    message = read("set-config", b'{"source":1,"host":[],"username":{},"timestamp":"x","values":{"value":"v"}}')
    assert message.envelope == Envelope()
    assert read("set-config", b'{"timestamp":true,"values":{"value":"v"}}').envelope == Envelope()


def test_an_unchanged_message_gives_the_bytes_it_was_read_from() -> None:
    odd = b'{ "timestamp":1,"future":[1.50], "values":{"x":null,"value":"v"},"source":"s"}'
    message = read("set-config", odd)
    assert encode_message(message) == (b'[1,"set-config","k"]', odd)
    changed = message.model_copy(update={"config_value": "w"})
    assert encode_message(changed)[1] == b'{"source":"s","values":{"value":"w"},"timestamp":1}'
    rewritten = message.model_copy(update={"envelope": Envelope("me")})
    assert encode_message(rewritten)[1] == b'{"source":"me","values":{"value":"v"}}'


def test_a_partition_key_without_bucket_keeps_its_spelling() -> None:
    key = '{"system":"k","stream":"a.b","partition":1}'
    message = read("set-task-partition-assignment", b'{"values":{"taskNames":"[\\"t\\"]"}}', key)
    assert message == SetTaskPartitionMapping(partition=SystemStreamPartition("k", "a.b", 1), task_names=("t",))
    assert decode_key(encode_message(message)[0]).key == key


def test_no_error_shows_what_the_record_held() -> None:
    for value in (
        b'{"values":{"value":["hunter2"]}}',
        b'{"values":"hunter2"}',
        b'{"values":{"value":"hunter2"',
        b"hunter2",
    ):
        with pytest.raises(WireError) as caught:
            read("set-config", value)
        assert "hunter2" not in str(caught.value)


# Halves of a surrogate pair are written as `?` and so do not come back.
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBER = st.integers(-(2**31), 2**31 - 1)
PARTITION = st.builds(SystemStreamPartition, TEXT.filter(lambda text: "." not in text), TEXT, NUMBER)
TIME = st.integers(-(2**63), 2**63 - 1)
STARTPOINT = st.one_of(
    st.builds(StartpointSpecific, st.none() | TEXT, TIME),
    st.builds(StartpointTimestamp, st.none() | TIME, TIME),
    st.builds(StartpointOldest, TIME),
    st.builds(StartpointUpcoming, TIME),
)
ENVELOPE = st.builds(
    Envelope, st.none() | TEXT, st.none() | TEXT, st.none() | TEXT, st.none() | st.integers(-(2**70), 2**70)
)
ENVELOPED = st.one_of(
    st.builds(SetConfig, config_key=TEXT, config_value=TEXT),
    st.builds(SetCheckpoint, task_name=TEXT, offsets=st.dictionaries(PARTITION, st.none() | TEXT, max_size=4)),
    st.builds(SetChangelogMapping, task_name=TEXT, changelog_partition=NUMBER),
    st.builds(SetContainerHostMapping, container_id=TEXT, host_name=TEXT, jmx_url=st.none() | TEXT),
    st.builds(SetTaskPartitionMapping, partition=PARTITION, task_names=st.lists(TEXT, max_size=4).map(tuple)),
    st.builds(SetExecutionEnvContainerIdMapping, container_id=TEXT, execution_container_id=TEXT),
    st.builds(SetTaskContainerMapping, task_name=TEXT, container_id=TEXT),
    st.builds(SetTaskModeMapping, task_name=TEXT, task_mode=TEXT),
    st.builds(SetJobCoordinatorMetadata, cluster_type=TEXT, epoch_id=st.none() | TEXT, config_id=st.none() | TEXT),
)
FAN_OUT = st.builds(StartpointFanOut, st.none() | TIME, st.dictionaries(PARTITION, STARTPOINT, max_size=4))
SHAPED = st.one_of(
    st.builds(SetStartpoint, key_text=TEXT, startpoint=STARTPOINT),
    st.builds(SetStartpointFanOut, task_name=TEXT, fan_out=FAN_OUT),
    st.builds(UnknownMessage, message_type=st.just("new-type"), key=TEXT, value=TEXT),
    st.builds(Delete, message_type=TEXT, key=TEXT),
)
MUTABLE = [
    vector
    for kind in ("coordinator_message", "legacy_message", "startpoint", "startpoint_fan_out", "container_placement")
    for vector in vectors(kind)
    if vector["value_b64"] is not None
]


@given(TEXT, TEXT, st.integers() | TEXT | st.none())
def test_a_key_comes_back(message_type: str, key: str, version: int | str | None) -> None:
    assert decode_key(encode_key(message_type, key, version)) == (version, message_type, key)


@given(ENVELOPED, ENVELOPE)
def test_a_message_with_an_envelope_comes_back(message: Message, envelope: Envelope) -> None:
    written = encode_message(message.model_copy(update={"envelope": envelope}))
    again = decode_message(decode_key(written[0]), written[1])
    assert (again, again.envelope) == (message, envelope)
    assert encode_message(again) == written


@given(SHAPED)
def test_a_message_without_an_envelope_comes_back(message: Message) -> None:
    key, value = encode_message(message)
    again = decode_message(decode_key(key), value)
    assert again == message
    assert again.envelope is None


@given(st.data())
def test_changed_bytes_raise_nothing_but_wire_errors(data: st.DataObject) -> None:
    vector: dict[str, Any] = data.draw(st.sampled_from(MUTABLE))
    parts = [bytearray(base64.b64decode(vector[name])) for name in ("key_b64", "value_b64")]
    for part in parts:
        for at, byte in data.draw(st.lists(st.tuples(st.integers(0, len(part) - 1), st.integers(0, 255)), max_size=3)):
            part[at] = byte
    try:
        message = decode_message(decode_key(bytes(parts[0])), bytes(parts[1]))
    except WireError:
        return
    assert decode_message(decode_key(encode_message(message)[0]), encode_message(message)[1]) == message
