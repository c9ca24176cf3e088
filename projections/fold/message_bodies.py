"""The body in a message's row: its decoded fields by the names of the relations' columns, with secrets masked."""

import json
import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

from eventlog.messages import (
    Delete,
    Message,
    NamedMessage,
    SetConfig,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskContainerMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.secret_policy import SecretPolicy
from eventlog.secret_texts import has_token, is_word
from eventlog.startpoint import Startpoint
from eventlog.timestamps import storable_micros

Body = dict[str, Any]
JSONB_VERSION: Final = b"\x01"
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def message_body(message: Message, is_sensitive: bool, secrets: SecretPolicy) -> Body | None:
    """Return the row's body; None if the message deletes its key. ``is_sensitive``: the key names a secret."""
    if isinstance(message, Delete):
        return None
    if isinstance(message, SetConfig):
        return config_body(message.config_value, is_sensitive, secrets)
    return _FIELDS.get(type(message), _own_fields)(message, secrets)


def config_body(value: str, is_sensitive: bool, secrets: SecretPolicy) -> Body:
    """Return the body of a config value: its fingerprint if the key or the value shows that it is a secret."""
    if is_sensitive or secrets.holds_secret(value):
        return {"config_value": secrets.fingerprint(value), "is_sensitive": True}
    return {"config_value": value}


def other_body(text: str, is_sensitive: bool, secrets: SecretPolicy) -> Body:
    """Return the body of a message whose type has no relation of its own: its text."""
    return {"message_value": secrets.fingerprint(text) if is_sensitive else secrets.mask_json_text(text)}


def encode_body(body: Body) -> bytes:
    """Return a jsonb in Postgres' binary format."""
    return JSONB_VERSION + _encode(body).encode()


def _startpoint(startpoint: Startpoint, secrets: SecretPolicy) -> Body:
    return {
        "startpoint_type": startpoint.kind,
        "startpoint_value": startpoint.value and secrets.mask_text(startpoint.value),
        "created_ms": startpoint.creation_timestamp,
    }


def _fan_out(message: SetStartpointFanOut, secrets: SecretPolicy) -> Body:
    fan_outs = message.fan_out.fan_outs.items()
    return {
        "fanned_out_ms": message.fan_out.timestamp,
        "fan_outs": [_partition(partition) | _startpoint(startpoint, secrets) for partition, startpoint in fan_outs],
    }


def _partition(partition: SystemStreamPartition) -> Body:
    return {
        "system_name": partition.system,
        "stream_name": partition.stream,
        "partition_id": partition.partition,
        "key_bucket": partition.key_bucket,
    }


def _own_fields(message: NamedMessage, secrets: SecretPolicy) -> Body:
    fields = ((name, value) for name, value in message.content().items() if name not in {message.key_field, "version"})
    return {name: secrets.mask_text(value) if isinstance(value, str) else value for name, value in fields}


_FIELDS: Final[dict[type, Callable[[Any, SecretPolicy], Body]]] = {
    SetTaskContainerMapping: lambda message, _: {"container_id": message.container_id},
    SetTaskPartitionMapping: lambda message, _: {"task_names": list(dict.fromkeys(message.task_names))},
    SetStartpoint: lambda message, secrets: _startpoint(message.startpoint, secrets),
    SetStartpointFanOut: _fan_out,
}


Author = tuple[str | None, ...]
"""Source, host and username of an envelope, with secrets masked."""

PlainConfig = tuple[bytes, Author, int | None]
"""The encoded body of a config message, its author, and its time in microseconds since 2000."""

_SHORT_TEXT: Final = 200  # characters; longer texts are rare, and would fill the cache
_PLAIN_CHARACTERS: Final = rb"[ !#-\[\]-~]*"  # ASCII without quote and backslash is the same in JSON, UTF-8 and jsonb
_match: Final = re.compile(
    rb'(\{"host":"%b","source":"%b","values":\{"value":")(%b)("\},"username":"%b","timestamp":)(0|[1-9][0-9]{0,17})\}'
    % ((_PLAIN_CHARACTERS,) * 4)
).fullmatch


class PlainConfigs:
    """Remembers authors and whether values contain secrets: each start of a job writes the same config again."""

    def __init__(self, secrets: SecretPolicy, masked_author: Callable[..., Author]) -> None:
        self._secrets = secrets
        # not methods: `no_collections` never frees a cycle
        self._author = lru_cache(maxsize=1_000)(partial(_author, masked_author))
        self._is_plain_author = lru_cache(maxsize=1_000)(partial(_is_plain_author, secrets))
        self._short_holds_secret = lru_cache(maxsize=4_000)(secrets.holds_secret)

    def read(self, value: bytes, is_sensitive: bool) -> PlainConfig | None:
        """What a set-config value says; None: it is spelled differently, or a text is not plain ASCII."""
        found = _match(value)
        if found is None:
            return None
        before, text, after, timestamp = found.groups()
        if is_sensitive or self._holds_secret(text.decode()):
            body = encode_body(config_body(text.decode(), is_sensitive, self._secrets))
        else:
            body = b'%b{"config_value": "%b"}' % (JSONB_VERSION, text)
        return body, self._author(before, after), storable_micros(int(timestamp))

    def is_plain(self, value: bytes) -> bool:
        """Whether `read` could read a value, and it has no secret unless its key names one."""
        found = _match(value)
        if found is None:
            return False
        before, text, after, _ = found.groups()
        return self._is_plain_author(before, after) and not self._holds_secret(text.decode())

    def _holds_secret(self, text: str) -> bool:
        if is_word(text):  # as most are; this takes less time than to look for it in a cache and not to find it
            return has_token(text)
        return self._short_holds_secret(text) if len(text) <= _SHORT_TEXT else self._secrets.holds_secret(text)


def _author(masked_author: Callable[..., Author], before: bytes, after: bytes) -> Author:
    """Return the author in what surrounds the text and the time of a value."""
    envelope = json.loads(before + after + b"0}")
    return masked_author(envelope["source"], envelope["host"], envelope["username"])


def _is_plain_author(secrets: SecretPolicy, before: bytes, after: bytes) -> bool:
    envelope = (before + after + b"0}").decode()
    return secrets.mask_json_text(envelope) == envelope
