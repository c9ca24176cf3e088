"""What a key of the coordinator stream names: one name for all its spellings."""

import re
import sys
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.messages import SetTaskPartitionMapping
from eventlog.wire.coordinator import decode_key, encode_key
from eventlog.wire.jackson import dumps_text, loads
from eventlog.wire.partition_json import decode_partition_key, encode_partition_key

_PLAIN: Final = re.compile(rb'\[1,"([^"\\\x00-\x1f]*)","([^"\\\x00-\x1f]*)"\]')


class NamespacedKey(NamedTuple):
    """A message type, which is the namespace, and a key in it (CoordinatorStreamStore of Samza, seed 001)."""

    namespace: str
    key: str

    def __str__(self) -> str:
        """The JSON by which Samza's store knows it in memory."""
        return dumps_text({"key": self.key, "namespace": self.namespace})

    @classmethod
    def parse(cls, text: str) -> "NamespacedKey":
        """Read the JSON back. Raises `WireError`."""
        fields = loads(text)
        if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in ("key", "namespace")):
            raise WireError("wrong_type", "a namespaced key is no object with the texts key and namespace")
        return cls(fields["namespace"], fields["key"])


def read_name(key: bytes) -> tuple[NamespacedKey, bool] | None:
    """What a key of the stream names, and whether it is spelled as Samza spells it; None: it can't be read.

    However a key is spelled, it names the same: white space, version and further parts don't matter.
    """
    plain = _PLAIN.fullmatch(key)
    try:
        if plain is not None:  # as nearly all are
            return NamespacedKey(sys.intern(plain[1].decode()), plain[2].decode()), True
        decoded = decode_key(key)
    except (UnicodeDecodeError, WireError):
        return None
    name = canonical(NamespacedKey(decoded.message_type, decoded.key))
    return name, encode_key(*name) == key


def canonical(name: NamespacedKey) -> NamespacedKey:
    """The name itself, or of a partition's assignment the text that all spellings of the partition share."""
    if name.namespace != SetTaskPartitionMapping.message_type:
        return name
    try:
        return NamespacedKey(name.namespace, encode_partition_key(decode_partition_key(name.key)))
    except WireError:
        return name


def spelled(name: NamespacedKey) -> bytes:
    """The key's bytes as Samza writes them.

    Raises:
        ValueError: the name holds half of a surrogate pair, which has no bytes.
    """
    namespace, key = name
    for text in (namespace, key):
        if not isinstance(text, str):
            raise TypeError(f"a namespace and a key are texts, not {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{text!r} holds half of a surrogate pair, so no key can be written of it") from None
    return encode_key(namespace, key)
