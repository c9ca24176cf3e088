"""Keys and values of the checkpoint topic beyond the golden vectors."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.wire.checkpoint_topic import (
    KEY_TYPE_V1,
    KEY_TYPE_V2,
    CheckpointKey,
    decode_key,
    decode_v1,
    decode_v2,
    encode_key,
    encode_v1,
    encode_v2,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBER = st.integers(-(2**31), 2**31 - 1)
SYSTEM = TEXT.filter(lambda text: "." not in text)
WHOLE = st.builds(SystemStreamPartition, SYSTEM, TEXT, NUMBER)
BUCKETED = st.builds(SystemStreamPartition, SYSTEM, TEXT, NUMBER, st.integers(-1, 7))
OFFSET = st.none() | TEXT
MARKERS = st.dictionaries(TEXT, st.dictionaries(TEXT, TEXT, max_size=3), max_size=3)
ID = st.builds(CheckpointId, st.integers(0, 2**63 - 1), st.integers(0, 999_999))


@pytest.mark.scenario("CKS-21")
@given(st.sampled_from([KEY_TYPE_V1, KEY_TYPE_V2, "checkpoint-v9"]), TEXT, TEXT.filter(bool))
def test_a_key_comes_back(key_type: str, task: str, grouper: str) -> None:
    key = CheckpointKey(key_type, TaskName(task), grouper)
    assert decode_key(encode_key(key)) == key


@pytest.mark.scenario("CKS-01", "CKS-05")
@given(st.dictionaries(BUCKETED, OFFSET, max_size=5))
def test_v1_comes_back_with_its_key_buckets_and_order(offsets: dict[SystemStreamPartition, str | None]) -> None:
    read = decode_v1(encode_v1(CheckpointV1(offsets)))
    assert list(read.offsets.items()) == list(offsets.items())


@pytest.mark.parametrize(("text", "escaped"), [("\U0001f680", rb"\uD83D\uDE80"), ("\ud83d", rb"\uD83D")])
def test_values_escape_what_has_more_than_16_bits_as_samzas(text: str, escaped: bytes) -> None:
    offsets = {SystemStreamPartition(f"s{text}", f"st{text}", 0): f"o{text}"}
    first = b'{"SystemStreamPartition [s@, st@, 0]":{"system":"s@","partition":"0","offset":"o@","stream":"st@"}}'
    second = b'{"checkpoint-id":"1-2","input-offsets":{"s@.st@.0":"o@"},"state-checkpoint-markers":{"f@":{"n@":"m@"}}'
    markers = {f"f{text}": {f"n{text}": f"m{text}"}}
    assert encode_v1(CheckpointV1(offsets)) == first.replace(b"@", escaped)
    assert encode_v2(CheckpointV2(CheckpointId(1, 2), offsets, markers)) == (second + b',"version":2}').replace(
        b"@", escaped
    )


@pytest.mark.scenario("CKS-07", "CKS-08")
@given(st.none() | ID, st.dictionaries(WHOLE, TEXT, max_size=5), MARKERS)
def test_v2_comes_back_in_its_order(
    checkpoint_id: CheckpointId | None,
    offsets: dict[SystemStreamPartition, str | None],
    markers: dict[str, dict[str, str]],
) -> None:
    checkpoint = CheckpointV2(checkpoint_id, offsets, markers)
    read = decode_v2(encode_v2(checkpoint))
    assert read == checkpoint
    assert (list(read.offsets), read.duplicates) == (list(offsets), ())


def test_v2_stores_no_null_since_samza_cannot_read_it() -> None:
    """CheckpointV2 of Samza 1.8.0 copies its offsets into an ImmutableMap, which refuses null."""
    offsets = {SystemStreamPartition("kafka", "in", number): None if number else "1" for number in (2, 1, 0)}
    with pytest.raises(ValueError, match=r"kafka\.in\.1 has no offset, which a V2 checkpoint cannot store"):
        encode_v2(CheckpointV2(None, offsets, {}))
    with pytest.raises(WireError) as caught:
        decode_v2(b'{"input-offsets":{"kafka.in.0":"1","kafka.in.1":null},"state-checkpoint-markers":{}}')
    assert (caught.value.reason, caught.value.detail) == (
        "wrong_type",
        "an offset of a V2 checkpoint is null, not a text",
    )


@pytest.mark.parametrize(
    ("offsets", "offset", "duplicates"),
    [
        (b'"kafka.in.0":4', "4", ()),
        (b'"kafka.in.0":null,"kafka.in.0":"1"', "1", ("kafka.in.0",)),
        (b'"kafka.in.0":"1","kafka.in.00":"2"', "2", ("kafka.in.00",)),
    ],
    ids=["a number", "null before another", "two spellings"],
)
def test_v2_reads_one_offset_of_a_partition(offsets: bytes, offset: str, duplicates: tuple[str, ...]) -> None:
    read = decode_v2(b'{"input-offsets":{%b},"state-checkpoint-markers":{}}' % offsets)
    assert (read.offsets, read.duplicates) == ({SystemStreamPartition("kafka", "in", 0): offset}, duplicates)


def test_an_unknown_type_need_not_name_task_and_grouper() -> None:
    assert decode_key(b'{"type":"changelog-partition-mapping"}') == ("changelog-partition-mapping", "", "")


def test_a_v1_entry_of_four_fields_may_have_no_offset() -> None:
    value = b'{"x":{"system":"s","stream":"t","partition":"0","extra":"1"}}'
    assert decode_v1(value) == CheckpointV1({SystemStreamPartition("s", "t", 0): None})


@pytest.mark.parametrize("number", [b'"3"', b'"+3"', b'"03"'])
def test_v1_reads_the_number_of_a_partition_as_java_does(number: bytes) -> None:
    value = b'{"x":{"system":"s","stream":"a.b","partition":' + number + b',"offset":null,"more":1}}'
    assert decode_v1(value).offsets == {SystemStreamPartition("s", "a.b", 3): None}


@pytest.mark.scenario("CKS-04")
@pytest.mark.parametrize("label", ["SystemStreamPartition [s, t, 0, x]", "SystemStreamPartition [s, t, 0, 1", "free"])
def test_a_v1_label_counts_only_where_it_names_a_bucket(label: str) -> None:
    value = b'{"%b":{"system":"s","stream":"t","partition":"0","offset":"1"}}' % label.encode()
    assert decode_v1(value).offsets == {SystemStreamPartition("s", "t", 0): "1"}


@given(st.binary(max_size=80), st.sampled_from([decode_key, decode_v1, decode_v2]))
def test_random_bytes_raise_nothing_but_wire_errors(data: bytes, read: Callable[[bytes], object]) -> None:
    try:
        found = read(data)
    except WireError:
        return
    assert isinstance(found, CheckpointKey | CheckpointV1 | CheckpointV2)
