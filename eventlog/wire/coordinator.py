"""Keys and values of the coordinator stream: all types are read, and written as Samza writes them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from eventlog.errors import WireError, json_type
from eventlog.messages import (
    PROTOCOL_VERSION,
    Delete,
    Envelope,
    KeyVersion,
    Message,
    NamedMessage,
    Origin,
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

Fields = dict[str, Any]
AnyType = TypeVar("AnyType", "EnvelopedType", "BareType")


class EnvelopedType(NamedTuple):
    """How the ``values`` in the envelope of a type are read and written.

    ``read`` makes the message's fields of its key, the text of its main field, and all values; ``write`` makes the
    values of the message, in Samza's order. Without any of ``main_fields`` the message is a delete; the first that
    exists is used, so Samza's spelling is before that in its documentation. A type without main fields has a map.
    ``blank_deletes`` says whether a main field of white space is a delete.
    """

    kind: Any
    main_fields: tuple[str, ...]
    read: Callable[[str, str, Fields], Fields]
    write: Callable[[Any], Fields]
    blank_deletes: bool = False

    def is_delete(self, main: Any) -> bool:
        """Whether values with this main field (None: with none) delete the key."""
        if main is None:
            return bool(self.main_fields)
        return self.blank_deletes and isinstance(main, str) and not main.strip()


class BareType(NamedTuple):
    """How a type is read and written whose values have no envelope: the whole value is the message."""

    kind: Any
    read: Callable[[str, bytes], Fields]
    write: Callable[[Any], bytes]


def _text(kind: type[NamedMessage], name: str, field: str) -> EnvelopedType:
    """A type with one text, which is a field of the message."""
    return EnvelopedType(
        kind,
        (name,),
        lambda key, main, _: {kind.key_field: key, field: main},
        lambda message: {name: getattr(message, field)},
    )


def _read_texts(values: Fields, names: Mapping[str, str]) -> Fields:
    return {field: text_or_none(values.get(name), name) for field, name in names.items()}


def _write_texts(message: Message, names: Mapping[str, str]) -> Fields:
    written = {name: getattr(message, field) for field, name in names.items()}
    return {name: value for name, value in written.items() if value is not None}


_JMX: Final = {"jmx_url": "jmx-url", "jmx_tunneling_url": "jmx-tunneling-url"}
_HOST: Final = {"jmx_url": "jmx-url", "host_name": "host", "jmx_tunneling_url": "jmx-tunneling-url"}
_METADATA: Final = {"epoch_id": "epoch-id", "config_id": "config-id", "job_model_id": "job-model-id"}


def _read_checkpoint(key: str, _main: str, values: Fields) -> Fields:
    offsets = {SystemStreamPartition.parse(text): text_or_none(values[text], "an offset") for text in values}
    return {"task_name": key, "offsets": offsets}


def _read_task_names(key: str, main: str, _values: Fields) -> Fields:
    names = loads(main)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WireError("wrong_type", "taskNames is not a list of texts")
    return {"partition": decode_partition_key(key), "task_names": tuple(names)}


def _by_name(types: Iterable[AnyType]) -> dict[str, AnyType]:
    return {each.kind.message_type: each for each in types}


ENVELOPED_TYPES: Final = _by_name(
    [
        _text(SetConfig, "value", "config_value"),
        _text(SetExecutionEnvContainerIdMapping, "execution-env-container-id", "execution_container_id"),
        _text(SetTaskContainerMapping, "containerId", "container_id"),
        _text(SetTaskModeMapping, "taskMode", "task_mode"),
        EnvelopedType(
            SetCheckpoint,
            (),
            _read_checkpoint,
            lambda message: {str(partition): offset for partition, offset in message.offsets.items()},
        ),
        EnvelopedType(
            SetChangelogMapping,
            ("Partition", "partition"),
            lambda key, main, _: {
                "task_name": key,
                "changelog_partition": parse_int32(main, "bad_number", "the changelog's partition"),
            },
            lambda message: {"Partition": str(message.changelog_partition)},
            blank_deletes=True,
        ),
        EnvelopedType(
            SetContainerHostMapping,
            ("host", "hostname"),
            lambda key, main, values: {"container_id": key, "host_name": main, **_read_texts(values, _JMX)},
            lambda message: _write_texts(message, _HOST),
        ),
        EnvelopedType(
            SetTaskPartitionMapping,
            ("taskNames",),
            _read_task_names,
            lambda message: {"taskNames": dumps_text(list(message.task_names))},
        ),
        EnvelopedType(
            SetJobCoordinatorMetadata,
            ("meta-key",),
            lambda key, main, _: {"cluster_type": key, **_read_texts(as_object(loads(main), "meta-key"), _METADATA)},
            lambda message: {"meta-key": dumps_text(_write_texts(message, _METADATA))},
        ),
    ]
)
"""The types with an envelope, by name."""

BARE_TYPES: Final = _by_name(
    [
        BareType(
            SetStartpoint,
            lambda key, value: {"key_text": key, "startpoint": decode_startpoint(value)},
            lambda message: encode_startpoint(message.startpoint),
        ),
        BareType(
            SetStartpointFanOut,
            lambda key, value: {"task_name": key, "fan_out": decode_fan_out(value)},
            lambda message: encode_fan_out(message.fan_out),
        ),
    ]
)
"""The types without an envelope, by name."""

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
    common: Fields = {"version": key.version, "origin": Origin(key.key, value)}
    bare = BARE_TYPES.get(key.message_type)
    if bare is None:
        return UnknownMessage(message_type=key.message_type, key=key.key, value=text_of(value), **common)
    message: Message = bare.kind(**bare.read(key.key, value), **common)
    return message


def encode_message(message: Message) -> tuple[bytes, bytes | None]:
    """The key and value bytes of a message as Samza writes them; an unchanged message keeps its bytes."""
    if message.origin is not None and _is_unchanged(message, message.origin):
        return encode_key(message.message_type, message.origin.key, message.version), message.origin.value
    return encode_key(message.message_type, message.key, message.version), _encode_value(message)


def _is_none(message_type: str, value: bytes) -> bool:
    """Whether a short value is JSON null, or no bytes where Samza's StartpointManager ignores them."""
    if not value:
        return message_type in BARE_TYPES
    return value.strip(_JSON_SPACE) == b"null" and (message_type in ENVELOPED_TYPES or message_type in BARE_TYPES)


def _decode_enveloped(enveloped: EnvelopedType, key: CoordinatorKey, value: bytes) -> Message:
    record = as_object(loads(value), "the value")
    if record.get("values") is None:
        raise WireError("missing_field", "the value has no values")
    values = as_object(record["values"], "values")
    common: Fields = {"envelope": _envelope(record), "version": key.version, "origin": Origin(key.key, value)}
    main = next((values[name] for name in enveloped.main_fields if values.get(name) is not None), None)
    if enveloped.is_delete(main):
        return Delete(message_type=key.message_type, key=key.key, **common)
    text = "" if main is None else as_text(main, enveloped.main_fields[0])
    message: Message = enveloped.kind(**enveloped.read(key.key, text, values), **common)
    return message


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
    if isinstance(message, Delete):
        return None
    if isinstance(message, UnknownMessage):
        return None if message.value is None else message.value.encode("utf-8", "replace")
    if message.message_type in BARE_TYPES:
        return BARE_TYPES[message.message_type].write(message)
    return _encode_enveloped(message.envelope or Envelope(), ENVELOPED_TYPES[message.message_type].write(message))


def _encode_enveloped(envelope: Envelope, values: Fields) -> bytes:
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
