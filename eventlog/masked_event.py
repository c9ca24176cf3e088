"""Events with fingerprints in place of secrets, for exports and for commands that print events."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TypeGuard

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.messages import KEYED_BY_PLACE, SetConfig
from eventlog.secret_policy import SecretPolicy
from eventlog.wire import checkpoint_topic, coordinator
from eventlog.wire.jackson import dumps, loads

Key = coordinator.CoordinatorKey | checkpoint_topic.CheckpointKey

_REWRITE_CHECKPOINT: Final[dict[str, Callable[[bytes], bytes]]] = {
    checkpoint_topic.KEY_TYPE_V1: lambda value: checkpoint_topic.encode_v1(checkpoint_topic.decode_v1(value)),
    checkpoint_topic.KEY_TYPE_V2: lambda value: checkpoint_topic.encode_v2(checkpoint_topic.decode_v2(value)),
}

_with_default_patterns: Final = lru_cache(maxsize=1)(SecretPolicy)


def mask_event(event: RecordedEvent, secrets: SecretPolicy) -> RecordedEvent:
    """The event without secrets; an event without any is returned unchanged, byte for byte.

    A config value keeps its envelope and has the same fingerprint as in the relation ``config``. A value that cannot be
    decoded is masked as a whole if its name is that of a secret.
    """
    key = _decode(event.key)
    is_place = _names_place(key)
    is_sensitive = not is_place and _is_sensitive(key, event.key, secrets)
    of_key = _with_default_patterns(secrets.key) if is_place else secrets  # Samza's own names of fields match none
    return event._replace(
        key=None if event.key is None else _mask(event.key, key is None and is_sensitive, of_key),
        value=None if event.value is None else _mask_value(key, event.value, is_sensitive, secrets),
        headers=tuple(
            (name, None if value is None else _mask(value, secrets.is_secret_name(name), secrets))
            for name, value in event.headers
        ),
    )


def _decode(data: bytes | None) -> Key | None:
    """The decoded key of either stream; None if it is invalid in both."""
    with suppress(WireError):
        return coordinator.decode_key(data)
    with suppress(WireError):
        return checkpoint_topic.decode_key(data)
    return None


def _names_place(key: Key | None) -> TypeGuard[Key]:
    """Whether the key names a task, a container or a partition."""
    if isinstance(key, coordinator.CoordinatorKey):
        return key.message_type in KEYED_BY_PLACE
    return key is not None and key.key_type in _REWRITE_CHECKPOINT


def _is_sensitive(key: Key | None, data: bytes | None, secrets: SecretPolicy) -> bool:
    """Whether the key alone makes the value a secret."""
    if isinstance(key, coordinator.CoordinatorKey):
        is_config = key.message_type == SetConfig.message_type
        return secrets.is_secret_name(key.key) or (not is_config and secrets.is_secret_name(key.message_type))
    if key is not None:
        return secrets.is_secret_name(key.task_name) or secrets.is_secret_name(key.key_type)
    return data is not None and secrets.is_secret_name(data.decode("utf-8", "replace"))


def _mask_value(key: Key | None, value: bytes, is_sensitive: bool, secrets: SecretPolicy) -> bytes:
    if isinstance(key, coordinator.CoordinatorKey) and key.message_type == SetConfig.message_type:
        masked = _mask_config(value, is_sensitive, secrets)
        if masked is not None:
            return masked
    if _names_place(key) and _is_written_by_samza(key, value) and not _any_text_holds_secret(loads(value), secrets):
        return value
    return _mask(value, is_sensitive, secrets)


def _mask_config(value: bytes, is_sensitive: bool, secrets: SecretPolicy) -> bytes | None:
    """The record with its config value as in the relation ``config``; None if it has another form."""
    try:
        record = loads(value)
        if not isinstance(record, dict) or not isinstance(record.get("values"), dict):
            return None
        values = {name: _mask_field(field, is_sensitive, secrets) for name, field in record["values"].items()}
        masked = secrets.mask_json(record) | {"values": values}
        shown = value if masked == record else dumps(masked)
    except (WireError, ValueError, RecursionError):  # a number such as 1e999 cannot be written
        return None
    return _mask(shown, False, secrets)  # other fields than the value, and those that a second one of their name hides


def _mask_field(value: Any, is_sensitive: bool, secrets: SecretPolicy) -> Any:
    if not isinstance(value, str):
        return secrets.mask_json(value) if value is None or not is_sensitive else secrets.fingerprint(json.dumps(value))
    return secrets.fingerprint(value) if is_sensitive else secrets.mask_text(value)


def _is_written_by_samza(key: Key, value: bytes) -> bool:
    """Whether a place's value is exactly what Samza writes, so its field names are those of partitions and stores."""
    try:
        if isinstance(key, checkpoint_topic.CheckpointKey):
            return _REWRITE_CHECKPOINT[key.key_type](value) == value
        message = coordinator.decode_message(key, value).model_copy(update={"origin": None})
        return coordinator.encode_message(message)[1] == value
    except WireError:
        return False


def _any_text_holds_secret(value: Any, secrets: SecretPolicy) -> bool:
    """Whether any text in a decoded JSON value contains a secret, whatever the name of its field."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        return any(_any_text_holds_secret(item, secrets) for item in value)
    return isinstance(value, str) and secrets.holds_secret(value)


def _mask(data: bytes, is_sensitive: bool, secrets: SecretPolicy) -> bytes:
    """The data without its secrets; masked as a whole if ``is_sensitive``."""
    if is_sensitive:
        return _fingerprint(data, secrets)
    try:
        return secrets.mask_json_text(data.decode()).encode("utf-8", "replace")
    except UnicodeDecodeError:
        return _fingerprint(data, secrets) if secrets.holds_secret(data.decode("latin-1")) else data


def _fingerprint(data: bytes, secrets: SecretPolicy) -> bytes:
    """The fingerprint as a JSON text; a fingerprint is kept."""
    shown = data[1:-1] if data[:1] == b'"' == data[-1:] else data
    return json.dumps(secrets.fingerprint(shown)).encode()
