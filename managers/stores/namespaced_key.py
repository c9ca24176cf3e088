"""NamespacedKey: the message type and key that the bytes of a key mean, however they are spelled."""

import re
import sys
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.messages import SetTaskPartitionMapping
from eventlog.wire.coordinator import decode_key, encode_key
from eventlog.wire.jackson import decode_partition_key, dumps_text, encode_partition_key, loads

_PLAIN: Final = re.compile(rb'\[1,"([^"\\\x00-\x1f]*)","([^"\\\x00-\x1f]*)"\]')


class NamespacedKey(NamedTuple):
    """A namespace (message type) and a key in it (CoordinatorStreamStore of Samza)."""

    namespace: str
    key: str

    def __str__(self) -> str:
        """The JSON that Samza's store uses as a key in memory."""
        return dumps_text({"key": self.key, "namespace": self.namespace})

    @classmethod
    def parse(cls, text: str) -> "NamespacedKey":
        fields = loads(text)
        if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in ("key", "namespace")):
            raise WireError("wrong_type", "a namespaced key is not an object with the strings key and namespace")
        return cls(fields["namespace"], fields["key"])


def read_name(key: bytes) -> tuple[NamespacedKey, bool] | None:
    """The name that a key means, however it is spelled, and whether in Samza's way; None if it is unreadable."""
    plain = _PLAIN.fullmatch(key)
    try:
        if plain is not None:  # nearly all keys
            return NamespacedKey(sys.intern(plain[1].decode()), plain[2].decode()), True
        decoded = decode_key(key)
    except (UnicodeDecodeError, WireError):
        return None
    name = canonical(NamespacedKey(decoded.message_type, decoded.key))
    return name, encode_key(*name) == key


def canonical(name: NamespacedKey) -> NamespacedKey:
    """The canonical spelling of a name: different only for partition assignments, whose keys are JSON."""
    if name.namespace != SetTaskPartitionMapping.message_type:
        return name
    try:
        return NamespacedKey(name.namespace, encode_partition_key(decode_partition_key(name.key)))
    except WireError:
        return name


def encode_name(name: NamespacedKey) -> bytes:
    """The bytes of a key in Samza's spelling. Raises ValueError for an unpaired surrogate."""
    namespace, key = name
    for text in (namespace, key):
        if not isinstance(text, str):
            raise TypeError(f"a namespace and a key must be strings, not {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{text!r} contains an unpaired surrogate, which a key cannot have") from None
    return encode_key(namespace, key)
