"""A template that is learnt from the roles of another key's tokens is the one that would be learnt without them."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator import CoordinatorKey
from projections.fold import template_learning
from projections.fold.checkpoints import decode_checkpoint
from projections.fold.template_learning import KnownRoles, learn
from tests.projections.fold.test_checkpoint_template import PARTITIONS, values

KEY = CoordinatorKey(1, "set-checkpoint", "Partition 0")


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
    found = (template.pieces, template.compared, template.values, template.run, template.state, template.opaque)
    return *found, template.id_token, template.time_token, template.envelope


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
    monkeypatch.setattr(template_learning, "_find_roles", None)
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
