"""The fast way and the full decoder say the same of every value, or the fast way says nothing.

A template that is learnt from the roles of another key's tokens is the one that would be learnt without them.
"""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.wire.checkpoint_topic import encode_v1, encode_v2
from eventlog.wire.coordinator import CoordinatorKey
from projections.fold import checkpoint_template
from projections.fold.checkpoint_template import FastCheckpoint, KnownRoles, Template, learn
from projections.fold.checkpoints import NULL, SEPARATOR, DecodedCheckpoint, decode_checkpoint
from tests.fixtures.compiled_parts import with_and_without, without_compiled_parts

way = with_and_without(checkpoint_template)

KEY = CoordinatorKey(1, "set-checkpoint", "Partition 0")
CHANGELOG = SystemStreamPartition("kafka", "counts-changelog", 0)
OFFSETS = st.one_of(
    st.integers(0, 10**18).map(str),
    st.none(),
    st.sampled_from(
        ["", "null", "-1", "a:b", "1-2:3", "1-2:null", 'q"q', "back\\slash", "é", "\x1e", "\x1f", "a,b", "}{"]
    ),
    st.text(max_size=8),
)
NAMES = st.sampled_from(["in", "page.views", "a b", "1", "offset", 'q"', "ü"])
IDS = st.builds(CheckpointId, st.integers(0, 2**40), st.integers(0, 999_999))


def partitions(name: str, number: int) -> SystemStreamPartition:
    return SystemStreamPartition("kafka", name, number)


PARTITIONS = st.builds(partitions, NAMES, st.integers(0, 5))


@st.composite
def values(draw: st.DrawFn, version: int, names: tuple[SystemStreamPartition, ...]) -> bytes:
    """A value of a version over the given partitions, with and without state."""
    offsets = {name: draw(OFFSETS) for name in names}
    checkpoint_id, state = draw(IDS), draw(st.one_of(st.none(), st.integers(0, 99).map(str), st.just("null")))
    if version == 0:
        texts = {str(name): offset for name, offset in offsets.items()}
        envelope = {"host": "h", "source": draw(st.sampled_from(["c-0", "c-1"])), "values": texts, "username": "u"}
        return json.dumps(envelope | {"timestamp": draw(st.integers(0, 2**45))}, separators=(",", ":")).encode()
    if version == 1:
        if state is not None:
            offsets[CHANGELOG] = f"{checkpoint_id}:{state}"
        return encode_v1(CheckpointV1(offsets))
    marker = KafkaStateCheckpointMarker(CHANGELOG, None if state == "null" else state).serialise()
    markers = {} if state is None else {KAFKA_STATE_BACKEND_FACTORY: {"counts": marker}}
    written = encode_v2(CheckpointV2(checkpoint_id, {name: offset or "" for name, offset in offsets.items()}, markers))
    return written if None not in offsets.values() else written.replace(b':""', b":null")


@st.composite
def pairs(draw: st.DrawFn) -> tuple[int, bytes, bytes]:
    """A version, a value to learn from and one to read."""
    version = draw(st.sampled_from([0, 1, 2]))
    names = tuple(dict.fromkeys(draw(st.lists(PARTITIONS, max_size=4))))
    return version, draw(values(version, names)), draw(values(version, names))


def taught(version: int, value: bytes) -> Template | None:
    decoded = decode_checkpoint(version, KEY, value)
    return None if decoded is None else learn(version, KEY, value, decoded, 7, {})


def as_decoded(fast: FastCheckpoint, learnt_from: DecodedCheckpoint) -> DecodedCheckpoint:
    """What the fast way says, in the full decoder's words; the layout is that of the value learnt from."""
    joined, checkpoint_id, message_ms, _ = fast
    texts = joined.decode().split(SEPARATOR) if learnt_from.layout else []
    offsets = [None if text == NULL else text for text in texts]
    envelope = learnt_from.envelope
    return DecodedCheckpoint(
        learnt_from.layout,
        offsets,
        None if checkpoint_id is None else checkpoint_id.decode(),
        None if envelope is None else envelope._replace(timestamp=message_ms),
    )


@given(pairs())
def test_the_fast_way_never_says_otherwise(pair: tuple[int, bytes, bytes]) -> None:
    version, first, second = pair
    try:
        template = taught(version, first)
        fast = None if template is None else template.read(second)
    except WireError:
        return
    if fast is not None:
        learnt_from = decode_checkpoint(version, KEY, first)
        assert learnt_from is not None
        assert as_decoded(fast, learnt_from) == decode_checkpoint(version, KEY, second)


@given(st.lists(st.sampled_from([1, 22, 333, 4_444, 55_555]) | st.integers(0, 10**17), min_size=1, max_size=30))
def test_numbers_of_any_length_are_read(offsets: list[int]) -> None:
    value = b'{"checkpoint-id":"1-2","input-offsets":{"s.t.3":"%d","s.t.4":"%d"},"state-checkpoint-markers":{}}'
    template = taught(2, value % (1, 1))
    assert template is not None
    for one, other in pairwise(offsets):
        fast = template.read(value % (one, other))
        assert fast is not None
        assert fast[:3] == (b"%d%b%d" % (one, SEPARATOR.encode(), other), b"1-2", None)


@pytest.mark.parametrize(
    ("version", "value", "other"),
    [
        (0, b'{"host":"h","source":"s","values":{"k.in.0":"1"},"username":"u","timestamp":5}', (b'"1"', b'"2"')),
        (1, encode_v1(CheckpointV1({partitions("in", 0): "1", CHANGELOG: "17-3:9"})), (b"17-3:9", b"18-4:10")),
        (2, encode_v2(CheckpointV2(CheckpointId(1, 2), {partitions("in", 0): "1"}, {})), (b'"1-2"', b'"30-0"')),
    ],
)
def test_ordinary_values_take_the_fast_way(version: int, value: bytes, other: tuple[bytes, bytes]) -> None:
    template = taught(version, value)
    assert template is not None
    assert value.count(other[0]) == 1
    assert template.read(value.replace(*other)) is not None


def test_a_partition_that_stands_twice_is_never_learnt() -> None:
    value = b'{"checkpoint-id":"1-2","input-offsets":{"s.t.3":"4","s.t.3":"5"},"state-checkpoint-markers":{}}'
    assert taught(2, value) is None


@given(st.lists(pairs(), min_size=1, max_size=3), st.binary(max_size=3), st.data())
def test_both_ways_read_the_same(triples: list[tuple[int, bytes, bytes]], noise: bytes, data: st.DataObject) -> None:
    """Also of values that no job writes."""
    version, first, second = triples[0]
    try:
        template = taught(version, first)
        with without_compiled_parts(checkpoint_template):
            plain = taught(version, first)
    except WireError:
        return
    if template is None or plain is None:
        assert template is plain
        return
    at = data.draw(st.integers(0, len(second)))
    for value in (second, second[:at] + noise + second[at:], second[:at], first, *(third for _, _, third in triples)):
        assert template.read(value) == plain.read(value)


@st.composite
def siblings(draw: st.DrawFn) -> tuple[int, list[bytes]]:
    """Values of a version over partitions of mostly the same streams, also with numbers that were replaced."""
    version = draw(st.sampled_from([0, 1, 2]))
    names = draw(st.lists(PARTITIONS, max_size=3))
    written = []
    for _ in range(draw(st.integers(2, 4))):
        number = draw(st.integers(0, 12))
        moved = [SystemStreamPartition(name.system, name.stream, name.partition + number) for name in names]
        value = draw(values(version, tuple(dict.fromkeys(moved))))
        if draw(st.booleans()):
            value = re.sub(rb"[0-9]+", lambda _: str(draw(st.integers(0, 12))).encode(), value)
        written.append(value)
    return version, written


def learnt(version: int, value: bytes, known: KnownRoles) -> tuple[Any, ...] | None:
    decoded = decode_checkpoint(version, KEY, value)
    template = None if decoded is None else learn(version, KEY, value, decoded, 7, known)
    if template is None:
        return None
    found = (template.pieces, template.values, template.state)
    return *found, template.id_token, template.time_token, template.message_ms


@given(siblings())
def test_known_roles_teach_the_same_template(siblings: tuple[int, list[bytes]]) -> None:
    version, written = siblings
    known: KnownRoles = {}
    for value in written:
        try:
            assert learnt(version, value, known) == learnt(version, value, {})
        except WireError:
            continue


@pytest.mark.parametrize(
    ("version", "value"),
    [
        (0, b'{"host":"h","source":"s","values":{"k.in.%d":"1"},"username":"u","timestamp":5}'),
        (1, b'{"p":{"system":"k","partition":"%d","offset":"3","stream":"in"}}'),
        (2, b'{"checkpoint-id":"1-2","input-offsets":{"k.in.%d":"4"},"state-checkpoint-markers":{},"version":2}'),
    ],
)
def test_a_value_of_a_known_shape_is_not_decoded_again(
    version: int, value: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: KnownRoles = {}
    assert learnt(version, value % 3, known) is not None
    monkeypatch.setattr(checkpoint_template, "_find_roles", None)
    assert learnt(version, value % 17, known) is not None


def marker(first: str, partition: int) -> bytes:
    """A V2 value with a marker whose offset does not come last, and may be equal to its partition."""
    fields = {"changelog-offset": first, "version": 1, "changelog-ssp": _ssp(partition)}
    markers = {"org.apache.samza.storage.KafkaChangelogStateBackendFactory": {"s": json.dumps(fields)}}
    body = {"checkpoint-id": "1-2", "input-offsets": {}, "state-checkpoint-markers": markers, "version": 2}
    return json.dumps(body, separators=(",", ":")).encode().replace(b'\\": ', b'\\":')


def _ssp(partition: int) -> dict[str, str | int]:
    return {"system": "k", "partition": partition, "stream": "c", "keyBucket": -1}


@pytest.mark.parametrize("other", [marker("12", 12), marker("2", 12), marker("7", 12)])
def test_a_marker_that_is_split_elsewhere_has_no_template_of_another(other: bytes) -> None:
    known: KnownRoles = {}
    assert learnt(2, marker("3", 5), known) is not None
    assert learnt(2, other, known) == learnt(2, other, {})


def test_partitions_that_are_the_same_have_no_template() -> None:
    value = b'{"host":"h","source":"s","values":{"k.in.%d":"1","k.in.%d":"1"},"username":"u","timestamp":5}'
    known: KnownRoles = {}
    assert learnt(0, value % (1, 2), known) is not None
    assert learnt(0, value % (3, 3), known) is None
