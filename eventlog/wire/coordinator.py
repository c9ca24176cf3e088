"""Keys and values of the coordinator stream: all types are read, and written as Samza writes them."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from eventlog.errors import WireError, json_type
from eventlog.messages import (
    PROTOCOL_VERSION,
    ContainerPlacement,
    Delete,
    Drain,
    Envelope,
    KeyVersion,
    Message,
    Origin,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata,
    SetMigrationInfo,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
    UnknownMessage,
)
from eventlog.partition import SystemStreamPartition, parse_int32
from eventlog.wire.jackson import (
    as_object,
    as_text,
    decode_partition_key,
    dumps,
    dumps_text,
    loads,
    text_of,
    text_or_none,
)
from eventlog.wire.startpoints import decode_fan_out, decode_startpoint, encode_fan_out, encode_startpoint

Values = dict[str, Any]
Common = dict[str, Any]
Builder = Callable[[str, str, Values, Common], Message]


class EnvelopedType(NamedTuple):
    """How the ``values`` in the envelope of a type are read.

    Without any of ``main_fields`` the message is a delete; the first that exists is used, so Samza's spelling is before
    that in its documentation. A type without main fields has a map, and ``empty_deletes`` says whether an empty one is
    a delete. ``blank_deletes`` says whether a main field without any text is one.
    """

    main_fields: tuple[str, ...]
    build: Builder
    empty_deletes: bool = True
    blank_deletes: bool = False

    def is_delete(self, main: Any, values: Values) -> bool:
        """Whether values with this main field (None: with none) delete the key."""
        if main is None:
            return bool(self.main_fields) or (self.empty_deletes and not values)
        return self.blank_deletes and isinstance(main, str) and not main.strip()


def values_of(message: Message) -> dict[str, str | None]:
    """The ``values`` that Samza writes for a message with an envelope, in its order."""
    return _WRITERS[type(message)](message)


def _checkpoint(key: str, _main: str, values: Values, common: Common) -> Message:
    offsets = {SystemStreamPartition.parse(text): text_or_none(values[text], "an offset") for text in values}
    return SetCheckpoint(task_name=key, offsets=offsets, **common)


def _changelog(key: str, main: str, _values: Values, common: Common) -> Message:
    partition = parse_int32(main, "bad_number", "the changelog's partition")
    return SetChangelogMapping(task_name=key, changelog_partition=partition, **common)


def _host(key: str, main: str, values: Values, common: Common) -> Message:
    return SetContainerHostMapping(
        container_id=key,
        host_name=main,
        jmx_url=text_or_none(values.get("jmx-url"), "jmx-url"),
        jmx_tunneling_url=text_or_none(values.get("jmx-tunneling-url"), "jmx-tunneling-url"),
        **common,
    )


def _task_partition(key: str, main: str, _values: Values, common: Common) -> Message:
    names = loads(main)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WireError("wrong_type", "taskNames is not a list of texts")
    return SetTaskPartitionMapping(partition=decode_partition_key(key), task_names=tuple(names), **common)


def _metadata(key: str, main: str, _values: Values, common: Common) -> Message:
    fields = as_object(loads(main), "meta-key")
    return SetJobCoordinatorMetadata(
        cluster_type=key,
        epoch_id=text_or_none(fields.get("epoch-id"), "epoch-id"),
        config_id=text_or_none(fields.get("config-id"), "config-id"),
        job_model_id=text_or_none(fields.get("job-model-id"), "job-model-id"),
        **common,
    )


def _migration(key: str, _main: str, values: Values, common: Common) -> Message:
    if not all(isinstance(value, str) for value in values.values()):
        raise WireError("wrong_type", "a migration's value is not a text")
    return SetMigrationInfo(key=key, values=values, **common)


ENVELOPED_TYPES: Final[dict[str, EnvelopedType]] = {
    SetConfig.message_type: EnvelopedType(
        ("value",), lambda key, main, _, common: SetConfig(config_key=key, config_value=main, **common)
    ),
    SetCheckpoint.message_type: EnvelopedType((), _checkpoint, empty_deletes=False),
    SetChangelogMapping.message_type: EnvelopedType(("Partition", "partition"), _changelog, blank_deletes=True),
    SetContainerHostMapping.message_type: EnvelopedType(("host", "hostname"), _host),
    SetExecutionEnvContainerIdMapping.message_type: EnvelopedType(
        ("execution-env-container-id",),
        lambda key, main, _, common: SetExecutionEnvContainerIdMapping(
            container_id=key, execution_container_id=main, **common
        ),
    ),
    SetTaskContainerMapping.message_type: EnvelopedType(
        ("containerId",),
        lambda key, main, _, common: SetTaskContainerMapping(task_name=key, container_id=main, **common),
    ),
    SetTaskModeMapping.message_type: EnvelopedType(
        ("taskMode",), lambda key, main, _, common: SetTaskModeMapping(task_name=key, task_mode=main, **common)
    ),
    SetTaskPartitionMapping.message_type: EnvelopedType(("taskNames",), _task_partition),
    SetJobCoordinatorMetadata.message_type: EnvelopedType(("meta-key",), _metadata),
    SetMigrationInfo.message_type: EnvelopedType((), _migration),
}
"""The types with an envelope, by name."""


def _host_values(message: SetContainerHostMapping) -> dict[str, str | None]:
    values = {"jmx-url": message.jmx_url, "host": message.host_name, "jmx-tunneling-url": message.jmx_tunneling_url}
    return {name: value for name, value in values.items() if value is not None}


def _metadata_fields(message: SetJobCoordinatorMetadata) -> dict[str, str]:
    fields = {"epoch-id": message.epoch_id, "config-id": message.config_id, "job-model-id": message.job_model_id}
    return {name: value for name, value in fields.items() if value is not None}


_WRITERS: Final[dict[type, Callable[[Any], dict[str, str | None]]]] = {
    SetConfig: lambda message: {"value": message.config_value},
    SetCheckpoint: lambda message: {str(partition): offset for partition, offset in message.offsets.items()},
    SetChangelogMapping: lambda message: {"Partition": str(message.changelog_partition)},
    SetContainerHostMapping: _host_values,
    SetExecutionEnvContainerIdMapping: lambda message: {"execution-env-container-id": message.execution_container_id},
    SetTaskContainerMapping: lambda message: {"containerId": message.container_id},
    SetTaskModeMapping: lambda message: {"taskMode": message.task_mode},
    SetTaskPartitionMapping: lambda message: {"taskNames": dumps_text(list(message.task_names))},
    SetJobCoordinatorMetadata: lambda message: {"meta-key": dumps_text(_metadata_fields(message))},
    SetMigrationInfo: lambda message: dict(message.values),
}


BARE_TYPES: Final = frozenset(
    bare.message_type for bare in (SetStartpoint, SetStartpointFanOut, ContainerPlacement, Drain)
)
"""The types whose values have no envelope: the whole value is the message."""
KNOWN_TYPES: Final = BARE_TYPES | ENVELOPED_TYPES.keys()
_EMPTY_TYPES: Final = (SetStartpoint.message_type, SetStartpointFanOut.message_type)
_JSON_SPACE: Final = b" \t\r\n"
_LONGEST_NULL: Final = 16  # real values are longer, and are not searched for white space


class CoordinatorKey(NamedTuple):
    """A key's parts; ``version`` is None if it is neither an integer nor a text."""

    version: KeyVersion
    message_type: str
    key: str


def decode_key(key: bytes | None) -> CoordinatorKey:
    """Read a key ``[version, type, key]`` of any version; parts after the third are ignored. Raises `WireError`."""
    if key is None:
        raise WireError("null_key", "the record has no key")
    parts = loads(key)
    if not isinstance(parts, list):
        raise WireError("wrong_type", f"a key is {json_type(parts)}, not a list")
    if len(parts) < 3:
        raise WireError("missing_field", f"a key has {len(parts)} parts of version, type and key")
    version, message_type, name = parts[:3]
    kind, key_text = as_text(message_type, "the type in a key"), as_text(name, "the key in a key")
    return CoordinatorKey(version if type(version) in (int, str) else None, kind, key_text)


def encode_key(message_type: str, key: str, version: KeyVersion = PROTOCOL_VERSION) -> bytes:
    """Write a key as Samza's CoordinatorStreamKeySerde does."""
    return dumps([version, message_type, key])


def decode_message(key: CoordinatorKey, value: bytes | None) -> Message:
    """Read a value by its key's type (case-sensitive). Raises `WireError`.

    A tombstone is a `Delete`, and so is a value that Samza reads as none: JSON null, a missing or null main field
    (older writers), a blank changelog partition, no bytes as a startpoint or a fan-out. A value of an unknown type is
    kept as text. Fields of the envelope with a wrong type are None.
    """
    if value is None:
        return Delete(message_type=key.message_type, key=key.key, version=key.version)
    if len(value) < _LONGEST_NULL and _is_none(key.message_type, value):
        return Delete(message_type=key.message_type, key=key.key, version=key.version, origin=Origin(key.key, value))
    enveloped = ENVELOPED_TYPES.get(key.message_type)
    if enveloped is not None:
        return _decode_enveloped(enveloped, key, value)
    read = _BARE_READERS.get(key.message_type, _unknown)
    return read(key, value, {"version": key.version, "origin": Origin(key.key, value)})


def encode_message(message: Message) -> tuple[bytes, bytes | None]:
    """The key and value bytes of a message as Samza writes them; an unchanged message keeps its bytes."""
    if message.origin is not None and _is_unchanged(message, message.origin):
        return encode_key(message.message_type, message.origin.key, message.version), message.origin.value
    return encode_key(message.message_type, message.key, message.version), _encode_value(message)


def _is_none(message_type: str, value: bytes) -> bool:
    """Whether a short value is JSON null, or no bytes where Samza's StartpointManager ignores them."""
    if not value:
        return message_type in _EMPTY_TYPES
    return value.strip(_JSON_SPACE) == b"null" and message_type in KNOWN_TYPES


def _decode_enveloped(enveloped: EnvelopedType, key: CoordinatorKey, value: bytes) -> Message:
    record = as_object(loads(value), "the value")
    if record.get("values") is None:
        raise WireError("missing_field", "the value has no values")
    values = as_object(record["values"], "values")
    common: dict[str, Any] = {"envelope": _envelope(record), "version": key.version, "origin": Origin(key.key, value)}
    main = next((values[name] for name in enveloped.main_fields if values.get(name) is not None), None)
    if enveloped.is_delete(main, values):
        return Delete(message_type=key.message_type, key=key.key, **common)
    text = "" if main is None else as_text(main, enveloped.main_fields[0])
    return enveloped.build(key.key, text, values, common)


def _envelope(record: dict[str, Any]) -> Envelope:
    source, host, username = record.get("source"), record.get("host"), record.get("username")
    timestamp = record.get("timestamp")
    return Envelope(
        source if isinstance(source, str) else None,
        host if isinstance(host, str) else None,
        username if isinstance(username, str) else None,
        timestamp if type(timestamp) is int else None,
    )


def _encode_value(message: Message) -> bytes | None:
    match message:
        case Delete():
            return None
        case UnknownMessage():
            return None if message.value is None else message.value.encode("utf-8", "replace")
        case SetStartpoint():
            return encode_startpoint(message.startpoint)
        case SetStartpointFanOut():
            return encode_fan_out(message.fan_out)
        case ContainerPlacement() | Drain():
            return message.text.encode("utf-8", "replace")
        case _:
            return _encode_enveloped(message.envelope or Envelope(), values_of(message))


def _encode_enveloped(envelope: Envelope, values: dict[str, str | None]) -> bytes:
    fields = {
        "host": envelope.host,
        "source": envelope.source,
        "values": values,
        "username": envelope.username,
        "timestamp": envelope.timestamp,
    }
    return dumps({name: field for name, field in fields.items() if field is not None})


def _is_unchanged(message: Message, origin: Origin) -> bool:
    key = CoordinatorKey(message.version, message.message_type, origin.key)
    try:
        as_read = decode_message(key, origin.value)
    except WireError:
        return False
    return as_read == message and as_read.envelope in (None, message.envelope)  # None: the value has no place for one


def _unknown(key: CoordinatorKey, value: bytes, common: dict[str, Any]) -> Message:
    return UnknownMessage(message_type=key.message_type, key=key.key, value=text_of(value), **common)


def _startpoint(key: CoordinatorKey, value: bytes, common: dict[str, Any]) -> Message:
    return SetStartpoint(key_text=key.key, startpoint=decode_startpoint(value), **common)


def _fan_out(key: CoordinatorKey, value: bytes, common: dict[str, Any]) -> Message:
    return SetStartpointFanOut(task_name=key.key, fan_out=decode_fan_out(value), **common)


def _placement(key: CoordinatorKey, value: bytes, common: dict[str, Any]) -> Message:
    as_object(loads(value), "the value")
    return ContainerPlacement(key=key.key, text=text_of(value), **common)


def _drain(key: CoordinatorKey, value: bytes, common: dict[str, Any]) -> Message:
    as_object(loads(value), "the value")
    return Drain(key=key.key, text=text_of(value), **common)


_BARE_READERS: Final[dict[str, Callable[[CoordinatorKey, bytes, dict[str, Any]], Message]]] = {
    SetStartpoint.message_type: _startpoint,
    SetStartpointFanOut.message_type: _fan_out,
    ContainerPlacement.message_type: _placement,
    Drain.message_type: _drain,
}
