"""What is written to the coordinator stream comes back, and no bytes raise anything but `WireError`."""

import base64
from typing import Any

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
from eventlog.wire.coordinator import decode_key, decode_message, encode_key, encode_message
from tests.vectors.catalogue import vectors

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
