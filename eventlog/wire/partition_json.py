"""Partitions as JSON objects: the key of a task-partition assignment, and a part of state markers."""

from typing import Any

from eventlog.error_text import json_type
from eventlog.errors import WireError
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from eventlog.wire.jackson import dumps_text, loads

_INT32 = range(-(2**31), 2**31)


def partition_to_json(partition: SystemStreamPartition) -> dict[str, str | int]:
    """The fields in the order of Samza's SamzaObjectMapper."""
    return {
        "system": partition.system,
        "partition": partition.partition,
        "stream": partition.stream,
        "keyBucket": partition.key_bucket,
    }


def partition_from_json(fields: Any) -> SystemStreamPartition:
    """Read the fields in any order; ``keyBucket`` may be absent (older Samza). Raises `WireError`."""
    if not isinstance(fields, dict):
        raise WireError("wrong_type", f"a partition is {json_type(fields)}, not an object")
    return SystemStreamPartition(
        _text(fields, "system"),
        _text(fields, "stream"),
        _number(fields, "partition"),
        _number(fields, "keyBucket") if "keyBucket" in fields else NO_KEY_BUCKET,
    )


def encode_partition_key(partition: SystemStreamPartition) -> str:
    """The key text of a task-partition assignment, as Samza 1.8.0 writes it."""
    return dumps_text(partition_to_json(partition))


def decode_partition_key(text: str) -> SystemStreamPartition:
    """Read the key text of a task-partition assignment. Raises `WireError`."""
    return partition_from_json(loads(text))


def _text(fields: dict[str, Any], name: str) -> str:
    value = _present(fields, name)
    if not isinstance(value, str):
        raise WireError("wrong_type", f"{name} of a partition is {json_type(value)}, not a text")
    return value


def _number(fields: dict[str, Any], name: str) -> int:
    value = _present(fields, name)
    if type(value) is not int:
        raise WireError("wrong_type", f"{name} of a partition is {json_type(value)}, not an integer")
    if value not in _INT32:
        raise WireError("bad_partition", f"{name} of a partition is too large")
    return value


def _present(fields: dict[str, Any], name: str) -> Any:
    if fields.get(name) is None:
        raise WireError("missing_field", f"a partition has no {name}")
    return fields[name]
