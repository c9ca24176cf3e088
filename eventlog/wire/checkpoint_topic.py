"""Keys and values of the checkpoint topic, in both versions."""

from typing import Any, Final, NamedTuple

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import WireError, json_type
from eventlog.frozen_dict import FrozenDict
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition, TaskName, parse_int32
from eventlog.wire.jackson import (
    as_object,
    as_text,
    dumps,
    dumps_text,
    loads,
    loads_pairs,
    object_text,
    text_field,
    text_or_none,
    to_bytes,
)

KEY_TYPE_V1: Final = "checkpoint"
KEY_TYPE_V2: Final = "checkpoint-v2"
DEFAULT_GROUPER_FACTORY: Final = "org.apache.samza.container.grouper.stream.GroupByPartitionFactory"

_KNOWN_TYPES: Final = (KEY_TYPE_V1, KEY_TYPE_V2)
_GROUPER: Final = "systemstreampartition-grouper-factory"
_LEAST_ENTRY_FIELDS: Final = 4


class CheckpointKey(NamedTuple):
    """The key of a record. With an unknown ``key_type``, task and grouper may be missing (``''``)."""

    key_type: str
    task_name: TaskName
    grouper_factory: str = DEFAULT_GROUPER_FACTORY


def decode_key(key: bytes | None) -> CheckpointKey:
    """Read a key of any type; the caller handles unknown ones. Raises `WireError`."""
    if key is None:
        raise WireError("null_key", "the record has no key")
    fields = as_object(loads(key), "a checkpoint key")
    key_type = text_field(fields, "type", "a checkpoint key")
    needed = {_GROUPER, "taskName"} if key_type in _KNOWN_TYPES else fields.keys()
    task_name = text_field(fields, "taskName", "a checkpoint key") if "taskName" in needed else ""
    grouper = text_field(fields, _GROUPER, "a checkpoint key") if _GROUPER in needed else ""
    if not grouper and key_type in _KNOWN_TYPES:
        raise WireError("missing_field", f"{_GROUPER} of a checkpoint key is empty")
    return CheckpointKey(key_type, TaskName(task_name), grouper)


def encode_key(key: CheckpointKey) -> bytes:
    """Write a key as Samza's KafkaCheckpointLogKeySerde does."""
    fields = {_GROUPER: key.grouper_factory, "taskName": key.task_name, "type": key.key_type}
    return dumps(fields, ascii_surrogates=True)


def decode_v1(value: bytes) -> CheckpointV1:
    """Read a V1 value. An entry's label is used for the key bucket only. Raises `WireError`.

    As in Samza, an entry has at least four fields, and without an offset it is None.
    """
    entries = as_object(loads(value), "a V1 checkpoint")
    return CheckpointV1(dict(_v1_entry(label, entry) for label, entry in entries.items()))


def encode_v1(checkpoint: CheckpointV1) -> bytes:
    """Write a V1 value as Samza's CheckpointV1Serde does, in the order of the entries."""
    entries = {
        partition.label(): {
            "system": partition.system,
            "partition": str(partition.partition),
            "offset": offset,
            "stream": partition.stream,
        }
        for partition, offset in checkpoint.offsets.items()
    }
    return dumps(entries, ascii_surrogates=True)


def decode_v2(value: bytes) -> CheckpointV2:
    """Read a V2 value. Stream names may contain dots; of a duplicate partition the last entry is used.

    As in Samza, an offset may be a number in this version, but not in V1.

    Raises `WireError`, also for an offset of null, which Samza refuses in V2 (CheckpointV2Serde), but not in V1.
    """
    pairs = loads_pairs(value)
    if not isinstance(pairs, tuple):
        raise WireError("wrong_type", f"a V2 checkpoint is {json_type(pairs)}, not an object")
    fields = dict(pairs)
    offsets, duplicates = _v2_offsets(_pairs(fields, "input-offsets"))
    factories = dict(_pairs(fields, "state-checkpoint-markers"))
    markers = FrozenDict({factory: _markers_of(stores) for factory, stores in factories.items()})
    written_id = fields.get("checkpoint-id")
    checkpoint_id = None if written_id is None else CheckpointId.parse(as_text(written_id, "checkpoint-id"))
    return CheckpointV2(checkpoint_id, offsets, markers, duplicates)


def encode_v2(checkpoint: CheckpointV2) -> bytes:
    """Write a V2 value as Samza's CheckpointV2Serde does, in the order of the entries.

    Key buckets are lost, as in Samza: all buckets of a partition have the same name. Raises `ValueError`: a partition
    has no offset, which Samza cannot read.
    """
    without = min((partition for partition, offset in checkpoint.offsets.items() if offset is None), default=None)
    if without is not None:
        raise ValueError(f"{without} has no offset, which a V2 checkpoint cannot store. Leave the partition out.")
    checkpoint_id = None if checkpoint.checkpoint_id is None else str(checkpoint.checkpoint_id)
    offsets = object_text((str(partition), offset) for partition, offset in checkpoint.offsets.items())
    markers = {factory: dict(stores) for factory, stores in checkpoint.state_markers.items()}
    return to_bytes(
        f'{{"checkpoint-id":{dumps_text(checkpoint_id)},"input-offsets":{offsets},'
        f'"state-checkpoint-markers":{dumps_text(markers)},"version":2}}',
        ascii_surrogates=True,
    )


def _v1_entry(label: str, entry: Any) -> tuple[SystemStreamPartition, str | None]:
    if not isinstance(entry, dict):
        raise WireError("wrong_type", f"an entry of a V1 checkpoint is {json_type(entry)}, not an object")
    if len(entry) < _LEAST_ENTRY_FIELDS:
        raise WireError("missing_field", f"an entry of a V1 checkpoint has {len(entry)} of at least 4 fields")
    system, stream = text_field(entry, "system", "an entry"), text_field(entry, "stream", "an entry")
    number = parse_int32(text_field(entry, "partition", "an entry"), "bad_partition", "partition of an entry")
    partition = SystemStreamPartition(system, stream, number)
    if partition.label() != label:
        partition = _with_bucket_of(label, partition)
    return partition, text_or_none(entry.get("offset"), "an offset")


def _with_bucket_of(label: str, partition: SystemStreamPartition) -> SystemStreamPartition:
    before = partition.label().removesuffix("]") + ", "
    if not (label.startswith(before) and label.endswith("]")):
        return partition
    try:
        bucket = parse_int32(label[len(before) : -1], "bad_number", "the key bucket of a V1 entry")
    except WireError:
        bucket = NO_KEY_BUCKET  # the rest of the label is not checked
    return SystemStreamPartition(partition.system, partition.stream, partition.partition, bucket)


def _v2_offsets(pairs: tuple[tuple[str, Any], ...]) -> tuple[dict[SystemStreamPartition, str | None], tuple[str, ...]]:
    offsets: dict[SystemStreamPartition, str | None] = {}
    duplicates: list[str] = []
    for text, offset in pairs:
        partition = SystemStreamPartition.parse(text)
        if partition in offsets:
            duplicates.append(text)
        offsets[partition] = str(offset) if type(offset) is int else text_or_none(offset, "an offset")
    if None in offsets.values():
        raise WireError("wrong_type", "an offset of a V2 checkpoint is null, not a text")
    return offsets, tuple(duplicates)


def _markers_of(stores: Any) -> FrozenDict[str, str]:
    if not isinstance(stores, tuple):
        raise WireError("wrong_type", f"the markers of a backend are {json_type(stores)}, not an object")
    markers: FrozenDict[str, str] = FrozenDict(stores)
    for marker in markers.values():
        as_text(marker, "a state marker")
    return markers


def _pairs(fields: dict[str, Any], name: str) -> tuple[tuple[str, Any], ...]:
    value = fields.get(name)
    if value is None:
        raise WireError("missing_field", f"a V2 checkpoint has no {name}")
    if not isinstance(value, tuple):
        raise WireError("wrong_type", f"{name} is {json_type(value)}, not an object")
    return value
