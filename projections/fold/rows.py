"""The rows that a fold makes, a class a table, and texts that they cannot hold. Times in microseconds since 2000."""

import re
from typing import Any, Final, NamedTuple

from eventlog.errors import WireError

_NOT_STORABLE: Final = re.compile("[\0\ud800-\udfff]")


def require_storable(data: bytes, decoded: Any) -> None:
    """Raise `WireError` if a text decoded from ``data`` cannot be stored; only an escape can put it there."""
    if b"\\u" in data:
        _require(decoded)


def require_storable_text(text: str) -> None:
    """Raise `WireError` (``nul``, ``surrogate``) if a text cannot be stored."""
    found = _NOT_STORABLE.search(text)
    if found is None:
        return
    if found[0] == "\0":
        raise WireError("nul", "a text contains U+0000")
    raise WireError("surrogate", "a text contains half of a surrogate pair")


def _require(value: Any) -> None:
    if isinstance(value, str):
        require_storable_text(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            _require(name)
            _require(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _require(inner)


SWEPT: Final = -1  # instead of the length of a value: a sweep found the key gone, the log has no such event
NO_KEY: Final = -1  # instead of the number of a key


class Swept(NamedTuple):
    """A key that was found to be gone from its log without its tombstone seen: folded as one at ``at_offset``."""

    at_offset: int
    key: bytes


class CheckpointRow(NamedTuple):
    """A row of checkpoint_event, ``layout_id`` None = delete."""

    log_offset: int
    record_time: int | None
    log_id: int
    key_id: int
    layout_id: int | None = None
    checkpoint_id: bytes | None = None
    offsets: bytes | None = None
    offsets_odd: list[str | None] | None = None
    other_version_time: int | None = None
    value_bytes: int | None = None


class SuspectRow(NamedTuple):
    """A row of suspect_checkpoint: a checkpoint that may be an anomaly."""

    log_offset: int
    log_id: int
    key_id: int
    may_be_lower: bool
    may_be_unread: bool


class MessageRow(NamedTuple):
    """A row of message_event; ``body`` is jsonb in binary form, None = delete."""

    log_offset: int
    record_time: int | None
    message_time: int | None
    log_id: int
    key_id: int
    value_bytes: int | None
    body: bytes | None
    source: str | None
    host: str | None
    username: str | None


class EnvelopeRow(NamedTuple):
    """A row of checkpoint_envelope: who wrote a checkpoint, from its envelope or the headers of its record."""

    log_offset: int
    message_time: int | None
    log_id: int
    source: str | None
    host: str | None
    username: str | None


class QuarantineRow(NamedTuple):
    log_offset: int
    record_time: int | None
    log_id: int
    key_id: int | None
    value_bytes: int | None
    reason: str
    detail: str
    key_text: str | None
    value_fingerprint: str | None
