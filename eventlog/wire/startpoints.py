"""Startpoints and fan-outs as JSON without an envelope (Samza's StartpointObjectMapper)."""

from collections.abc import Callable
from typing import Any

from eventlog.errors import WireError
from eventlog.partition import INT64, SystemStreamPartition, parse_int64
from eventlog.startpoint import (
    Startpoint,
    StartpointFanOut,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.wire.jackson import as_integer, as_object, dumps, loads, text_or_none


def decode_startpoint(value: bytes) -> Startpoint:
    """Read a startpoint; raises `WireError`, for another ``@type`` with ``unknown_startpoint``."""
    return startpoint_from_json(loads(value))


def encode_startpoint(startpoint: Startpoint) -> bytes:
    """Write a startpoint as Samza does. Raises TypeError or ValueError: a field could not be read back."""
    if not isinstance(startpoint, Startpoint):
        raise TypeError(f"a startpoint is expected, such as StartpointOldest(), not {startpoint!r}")
    value = dumps(startpoint_to_json(startpoint), ascii_surrogates=True)
    _require_readable(value, decode_startpoint, repr(startpoint))
    return value


def decode_fan_out(value: bytes) -> StartpointFanOut:
    """Read the startpoints of a task; raises `WireError`."""
    fields = _object(loads(value), "a fan-out")
    fan_outs = _object(fields.get("fanOuts"), "fanOuts of a fan-out")
    parsed = {SystemStreamPartition.parse(text): startpoint_from_json(one) for text, one in fan_outs.items()}
    return StartpointFanOut(_integer_or_none(fields.get("timestamp"), "timestamp"), parsed)


def encode_fan_out(fan_out: StartpointFanOut) -> bytes:
    """Write the startpoints of a task as Samza does, in their order. Raises as `encode_startpoint`."""
    fan_outs = {str(partition): startpoint_to_json(one) for partition, one in fan_out.fan_outs.items()}
    value = dumps({"timestamp": fan_out.timestamp, "fanOuts": fan_outs}, ascii_surrogates=True)
    _require_readable(value, decode_fan_out, f"the fan-out of {fan_out.timestamp!r}")
    return value


def startpoint_to_json(startpoint: Startpoint) -> dict[str, str | int | None]:
    kind = type(startpoint).__name__
    fields: dict[str, str | int | None] = {"@type": kind, "creationTimestamp": startpoint.creation_timestamp}
    if isinstance(startpoint, StartpointSpecific):
        fields["specificOffset"] = startpoint.specific_offset
    elif isinstance(startpoint, StartpointTimestamp):
        fields["timestampOffset"] = startpoint.timestamp_offset
    return fields


def startpoint_from_json(value: Any) -> Startpoint:
    """Read the fields of a startpoint in any order; unknown fields are ignored. Raises `WireError`.

    As in Samza, an offset may be a number, and a time a text.
    """
    fields = _object(value, "a startpoint")
    kind = fields.get("@type")
    if kind not in ("StartpointSpecific", "StartpointTimestamp", "StartpointOldest", "StartpointUpcoming"):
        raise WireError("unknown_startpoint", "the @type of a startpoint is none of the four kinds")
    created = _time_or_none(fields, "creationTimestamp")
    if created is None:
        raise WireError("missing_field", "a startpoint has no creationTimestamp")
    if kind == "StartpointSpecific":
        offset = fields.get("specificOffset")
        text = str(offset) if type(offset) is int else text_or_none(offset, "specificOffset of a startpoint")
        return StartpointSpecific(text, created)
    if kind == "StartpointTimestamp":
        return StartpointTimestamp(_time_or_none(fields, "timestampOffset"), created)
    return StartpointOldest(created) if kind == "StartpointOldest" else StartpointUpcoming(created)


def _require_readable(value: bytes, decode: Callable[[bytes], object], what: str) -> None:
    """Raise TypeError or ValueError if bytes that are to be written could not be decoded."""
    try:
        decode(value)
    except WireError as error:
        kind = ValueError if error.reason == "bad_number" else TypeError
        raise kind(f"{what} cannot be written: {error.detail}") from error


def _time_or_none(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if isinstance(value, str):
        return parse_int64(value.strip(), "bad_number", f"{name} of a startpoint")
    return _integer_or_none(value, name)


def _integer_or_none(value: Any, name: str) -> int | None:
    number = None if value is None else as_integer(value, f"{name} of a startpoint")
    if number is not None and number not in INT64:
        raise WireError("bad_number", f"{name} of a startpoint is too large")
    return number


def _object(value: Any, what: str) -> dict[str, Any]:
    if value is None:
        raise WireError("missing_field", f"{what} is not there")
    return as_object(value, what)
