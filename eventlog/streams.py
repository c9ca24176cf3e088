"""The names of a job's two streams, the job of a stream's name, and the settings with which Samza creates a topic."""

import hashlib
import re
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
_NAME: Final = re.compile(f"(.*?)({'|'.join(_PREFIXES.values())})(.*)", re.DOTALL)
_BUCKET_MASK: Final = 63


class StreamIdentity(NamedTuple):
    """What the name of a stream tells. The job's exact name and id are in its config: topic names have ``-`` for ``_``.

    ``suffix`` is the same for both streams of a job. ``job_bucket`` (0..63) distributes jobs over partitioned reads. A
    mirror may put a prefix before the names of topics, as MirrorMaker does. It is a part of the job's name:
    ``dr.orders`` is the job of ``dr.__samza_coordinator_orders_1``.
    """

    stream_name: str
    stream_kind: StreamKind
    suffix: str
    job_name: str
    job_id: str
    job_bucket: int

    @property
    def mirror_prefix(self) -> str:
        """What a mirror has put before the name, usually nothing."""
        found = _NAME.fullmatch(self.stream_name)
        return found[1] if found else ""


def coordinator_stream_name(job_name: str, job_id: str = DEFAULT_JOB_ID) -> str:
    """The coordinator stream of a job (Samza's CoordinatorStreamUtil)."""
    return COORDINATOR_PREFIX + _suffix(job_name, job_id)


def checkpoint_stream_name(job_name: str, job_id: str = DEFAULT_JOB_ID) -> str:
    """The checkpoint topic of a job (Samza's KafkaUtil)."""
    return CHECKPOINT_PREFIX + _suffix(job_name, job_id)


def identify(stream_name: str, kind: str | None = None, stored: StreamKind | None = None) -> StreamIdentity:
    """Derive a stream's kind and job from its name. ``kind`` is required if it is not a name of Samza's.

    Raises `StreamKindError` if the kind is unknown or contradicts the name, or the kind that is ``stored``.
    """
    stream_kind = _kind(stream_name, kind, stored)
    found = _NAME.fullmatch(stream_name)
    mirror_prefix, own = (found[1], found[3]) if found else ("", stream_name)
    name, underscore, job_id = own.rpartition("_")
    if not underscore:
        name, job_id = own, DEFAULT_JOB_ID
    suffix = f"{mirror_prefix}:{own}" if mirror_prefix else own  # no topic has a colon, so it is no other job's
    return StreamIdentity(stream_name, stream_kind, suffix, mirror_prefix + name, job_id, job_bucket(suffix))


def has_samza_name(stream_name: str) -> bool:
    """Whether it is named like a job's coordinator stream or checkpoint topic."""
    return _NAME.fullmatch(stream_name) is not None


def job_bucket(suffix: str) -> int:
    """A stable number 0..63 for a job: the low six bits of the first byte of the SHA-256 of its suffix."""
    return hashlib.sha256(suffix.encode()).digest()[0] & _BUCKET_MASK


def _suffix(job_name: str, job_id: str) -> str:
    return "_".join(part.replace("_", "-") for part in (job_name, job_id))


def _kind(stream_name: str, kind: str | None, stored: StreamKind | None) -> StreamKind:
    found = _NAME.fullmatch(stream_name)
    named = stored or next((known for known, prefix in _PREFIXES.items() if found and prefix == found[2]), None)
    given = next((known for known in _PREFIXES if known == kind), named)
    if kind not in (None, given):
        raise StreamKindError(f"Unknown kind of stream {kind!r}. Expected 'coordinator' or 'checkpoint'.")
    if given is None:
        raise StreamKindError(
            f"Unknown kind of stream {stream_name!r}: its name contains neither {COORDINATOR_PREFIX} nor "
            f"{CHECKPOINT_PREFIX}. Set '--kind' to 'coordinator' or 'checkpoint'."
        )
    if named not in (None, given):
        raise StreamKindError(f"Stream {stream_name} is a {named} stream, not a {kind} stream. Correct '--kind'.")
    return given
