"""The rows that a fold makes, a class a table; times in microseconds since 2000."""

from typing import NamedTuple


class Swept(NamedTuple):
    """A key that was found to be gone from its log without its tombstone seen: folded as one at ``at_offset``."""

    at_offset: int
    key: bytes


class CheckpointRow(NamedTuple):
    """A row of checkpoint_event; times in microseconds since 2000, ``layout_id`` None = delete.

    checkpoint_current has all columns but the last.
    """

    log_offset: int
    record_time: int | None
    log_id: int
    key_id: int
    layout_id: int | None = None
    checkpoint_id: bytes | None = None
    offsets: bytes | None = None
    offsets_odd: list[str | None] | None = None
    other_version_time: int | None = None


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
    body: bytes | None
    source: str | None
    host: str | None
    username: str | None


class EnvelopeRow(NamedTuple):
    """A row of checkpoint_envelope: who wrote a set-checkpoint."""

    log_offset: int
    message_time: int | None
    log_id: int
    source: str | None
    host: str | None
    username: str | None


class QuarantineRow(NamedTuple):
    """A row of quarantine."""

    log_offset: int
    record_time: int | None
    log_id: int
    key_id: int | None
    value_bytes: int | None
    reason: str
    detail: str
    key_text: str | None
    value_fingerprint: str | None
