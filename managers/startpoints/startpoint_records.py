"""Startpoints and fan-outs as a store holds them: under which key, and in which bytes (seed 004)."""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from eventlog.errors import WireError
from eventlog.messages import SetStartpoint, SetStartpointFanOut
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import Startpoint, StartpointFanOut
from eventlog.wire.jackson import loads
from eventlog.wire.startpoints import decode_fan_out, decode_startpoint, encode_fan_out, encode_startpoint
from managers.startpoints.startpoint_errors import StartpointUnreadable
from managers.stores.namespaced_key import NamespacedKey

REQUESTS: Final = SetStartpoint.message_type
FAN_OUTS: Final = SetStartpointFanOut.message_type

_SHOWN_TYPE: Final = re.compile(r"[A-Za-z0-9_.$]{1,100}")

Read = TypeVar("Read")


def request_key(partition: SystemStreamPartition, task_name: str | None) -> NamespacedKey:
    """Where the order for a partition stands, for every task (None) or one; the key bucket does not count."""
    return NamespacedKey(REQUESTS, str(StartpointKey(partition, None if task_name is None else TaskName(task_name))))


def fan_out_key(task_name: str) -> NamespacedKey:
    """Where the orders stand that a task was handed."""
    return NamespacedKey(FAN_OUTS, task_name)


def read_request(name: NamespacedKey, value: bytes) -> Startpoint:
    """Read an order. Raises `StartpointUnreadable`."""
    return _read(name, value, decode_startpoint)


def read_fan_out(name: NamespacedKey, value: bytes) -> StartpointFanOut:
    """Read what a task was handed. Raises `StartpointUnreadable`."""
    return _read(name, value, decode_fan_out)


def request_value(startpoint: Startpoint) -> bytes:
    """The bytes of an order."""
    return encode_startpoint(startpoint)


def fan_out_value(timestamp: int | None, fan_outs: Mapping[SystemStreamPartition, Startpoint]) -> bytes | None:
    """The bytes of what a task was handed at a time (ms since 1970), sorted; None where that is nothing."""
    return encode_fan_out(StartpointFanOut(timestamp, dict(sorted(fan_outs.items())))) if fan_outs else None


def _read(name: NamespacedKey, value: bytes, decode: Callable[[bytes], Read]) -> Read:
    try:
        return decode(value)
    except WireError as error:
        raise StartpointUnreadable(*name, _type_of(value), error) from error


def _type_of(value: bytes) -> str | None:
    """The ``@type`` of a record, if it is a word and no more: an error may not tell what may be a secret."""
    try:
        fields = loads(value)
    except WireError:
        return None
    named = fields.get("@type") if isinstance(fields, dict) else None
    return named if isinstance(named, str) and _SHOWN_TYPE.fullmatch(named) else None
