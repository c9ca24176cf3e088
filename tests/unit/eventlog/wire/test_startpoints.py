"""Startpoints and fan-outs as JSON."""

from typing import Any

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointFanOut, StartpointOldest, StartpointSpecific, StartpointTimestamp
from eventlog.wire.startpoints import decode_fan_out, decode_startpoint, encode_fan_out, encode_startpoint


def test_fields_in_any_order_and_unknown_ones_are_read() -> None:
    value = b'{"more":[],"specificOffset":"4","creationTimestamp":-1,"@type":"StartpointSpecific"}'
    assert decode_startpoint(value) == StartpointSpecific("4", -1)


def test_an_offset_may_be_a_number_and_a_time_a_text() -> None:
    specific = b'{"@type":"StartpointSpecific","creationTimestamp":" 7 ","specificOffset":42}'
    assert decode_startpoint(specific) == StartpointSpecific("42", 7)
    timestamp = b'{"@type":"StartpointTimestamp","creationTimestamp":7,"timestampOffset":"+9"}'
    assert decode_startpoint(timestamp) == StartpointTimestamp(9, 7)


def test_astral_characters_are_escaped_as_pairs() -> None:
    written = encode_startpoint(StartpointSpecific("\U0001f680", 1))
    assert written == b'{"@type":"StartpointSpecific","creationTimestamp":1,"specificOffset":"\\uD83D\\uDE80"}'
    fan_out = StartpointFanOut(None, {SystemStreamPartition("k", "\U0001f680", 0): StartpointOldest(1)})
    assert b'"k.\\uD83D\\uDE80.0"' in encode_fan_out(fan_out)
    assert decode_fan_out(encode_fan_out(fan_out)) == fan_out


def test_what_could_not_be_read_back_is_not_written() -> None:
    at_half: Any = 1.5
    with pytest.raises(TypeError, match=r"=1\.5\) cannot be written: creationTimestamp .* a number, not an integer"):
        encode_startpoint(StartpointOldest(at_half))
    with pytest.raises(TypeError, match=r"the fan-out of 1\.5 cannot be written: timestamp "):
        encode_fan_out(StartpointFanOut(at_half, {}))
    with pytest.raises(ValueError, match="creationTimestamp of a startpoint is too large"):
        encode_startpoint(StartpointOldest(2**63))
