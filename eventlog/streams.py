"""The names of a job's two streams, the job of a stream's name, and the settings with which Samza creates a topic."""

import hashlib
from typing import Final, Literal, NamedTuple

from eventlog.errors import StreamKindError

StreamKind = Literal["coordinator", "checkpoint"]

COORDINATOR_PREFIX: Final = "__samza_coordinator_"
CHECKPOINT_PREFIX: Final = "__samza_checkpoint_ver_1_for_"
DEFAULT_JOB_ID: Final = "1"

BROKER_DEFAULT: Final = -1
"""The replication factor that stands for the default of the brokers."""
SEGMENT_BYTES: Final = 26_214_400
"""``segment.bytes`` of both topics."""
CHECKPOINT_MESSAGE_BYTES: Final = 1_000_012
"""``max.message.bytes`` of the checkpoint topic."""

_PREFIXES: Final[dict[StreamKind, str]] = {"coordinator": COORDINATOR_PREFIX, "checkpoint": CHECKPOINT_PREFIX}
_BUCKET_MASK: Final = 63


class StreamIdentity(NamedTuple):
    """What the name of a stream tells. The job's exact name and id are in its config: topic names have ``-`` for ``_``.

    ``suffix`` is the same for both streams of a job. ``job_bucket`` (0..63) distributes jobs over partitioned reads.
    """

    stream_name: str
    stream_kind: StreamKind
    suffix: str
    job_name: str
    job_id: str
    job_bucket: int


def coordinator_stream_name(job_name: str, job_id: str = DEFAULT_JOB_ID) -> str:
    """The coordinator stream of a job (Samza's CoordinatorStreamUtil)."""
    return COORDINATOR_PREFIX + _suffix(job_name, job_id)


def checkpoint_stream_name(job_name: str, job_id: str = DEFAULT_JOB_ID) -> str:
    """The checkpoint topic of a job (Samza's KafkaUtil)."""
    return CHECKPOINT_PREFIX + _suffix(job_name, job_id)


def identify(stream_name: str, kind: str | None = None) -> StreamIdentity:
    """Derive a stream's kind and job from its name. ``kind`` is required if the name has none of Samza's prefixes.

    Raises `StreamKindError` if the kind is unknown or contradicts the name.
    """
    stream_kind = _kind(stream_name, kind)
    suffix = stream_name.removeprefix(_PREFIXES[stream_kind])
    name, underscore, job_id = suffix.rpartition("_")
    if not underscore:
        name, job_id = suffix, DEFAULT_JOB_ID
    return StreamIdentity(stream_name, stream_kind, suffix, name, job_id, job_bucket(suffix))


def has_samza_name(stream_name: str) -> bool:
    """Whether it is named like a job's coordinator stream or checkpoint topic."""
    return stream_name.startswith(tuple(_PREFIXES.values()))


def job_bucket(suffix: str) -> int:
    """A stable number 0..63 for a job: the low six bits of the first byte of the SHA-256 of its suffix."""
    return hashlib.sha256(suffix.encode()).digest()[0] & _BUCKET_MASK


def _suffix(job_name: str, job_id: str) -> str:
    return "_".join(part.replace("_", "-") for part in (job_name, job_id))


def _kind(stream_name: str, kind: str | None) -> StreamKind:
    named = next((known for known, prefix in _PREFIXES.items() if stream_name.startswith(prefix)), None)
    if kind is not None and kind not in _PREFIXES:
        raise StreamKindError(f"Unknown kind of stream {kind!r}. Expected 'coordinator' or 'checkpoint'.")
    if named and kind not in (None, named):
        raise StreamKindError(
            f"Stream {stream_name} has the name of a {named} stream, not of a {kind} stream. Leave '--kind' out."
        )
    for known in _PREFIXES:
        if known in (named, kind):
            return known
    raise StreamKindError(
        f"Unknown kind of stream {stream_name}: its name starts neither with {COORDINATOR_PREFIX} nor with "
        f"{CHECKPOINT_PREFIX}. Set '--kind' to 'coordinator' or 'checkpoint'."
    )
