"""Checkpoints: how far a task has read, and which version of them a job reads and writes (KafkaCheckpointManager)."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from string import whitespace
from typing import Final, Generic, TypeVar

from eventlog.config import integer
from eventlog.errors import ConfigError, WireError
from eventlog.frozen_dict import frozen, frozen_deeply
from eventlog.partition import SystemStreamPartition, parse_int64

NANOS_OF_AN_ID: Final = 1_000_000

Offsets = Mapping[SystemStreamPartition, str | None]
StateMarkers = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, order=True)
class CheckpointId:
    """The id of one commit: the wall clock in ms since 1970 and the low digits of a nanosecond clock (CheckpointId)."""

    millis: int
    nanos: int

    @classmethod
    def create(cls, now_ms: int | None = None, nano_time: int | None = None) -> "CheckpointId":
        """A new id at ``now_ms``, with the last six digits of ``nano_time``; by default those of the clock."""
        clock = time.time_ns()
        millis = clock // 1_000_000 if now_ms is None else now_ms
        return cls(millis, (clock if nano_time is None else nano_time) % NANOS_OF_AN_ID)

    @classmethod
    def parse(cls, text: str) -> "CheckpointId":
        """Read ``<millis>-<nanos>``; raises `WireError` (``bad_checkpoint_id``).

        As in Samza, dashes at the end and everything after a second dash are ignored (Java's split drops empty parts).
        """
        parts = text.rstrip("-").split("-")
        if len(parts) < 2:
            raise WireError("bad_checkpoint_id", "a checkpoint id is not written as <millis>-<nanos>")
        return cls(
            parse_int64(parts[0], "bad_checkpoint_id", "the first part of a checkpoint id"),
            parse_int64(parts[1], "bad_checkpoint_id", "the second part of a checkpoint id"),
        )

    def __str__(self) -> str:
        return f"{self.millis}-{self.nanos}"


@dataclass(frozen=True, slots=True)
class CheckpointV1:
    """Last processed offset of each input partition and changelog of a task, in the order of the stored bytes.

    An offset may be None: nothing was processed, or the changelog is empty. ``offsets`` is a read-only copy.
    """

    offsets: Offsets

    def __post_init__(self) -> None:
        _refuse_none("offsets", self.offsets)
        object.__setattr__(self, "offsets", frozen(self.offsets))


@dataclass(frozen=True, slots=True)
class CheckpointV2:
    """Last processed offsets of a task's inputs, and a marker's text for each state backend factory and store.

    ``duplicates`` names the partitions that occurred twice in the bytes, of which the last is used; it is ignored when
    checkpoints are compared. The mappings are read-only copies. An offset of None cannot be written, because Samza
    does not read null in this version.
    """

    checkpoint_id: CheckpointId | None
    offsets: Offsets
    state_markers: StateMarkers
    duplicates: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _refuse_none("offsets", self.offsets)
        _refuse_none("state_markers", self.state_markers)
        object.__setattr__(self, "offsets", frozen(self.offsets))
        object.__setattr__(self, "state_markers", frozen_deeply(self.state_markers))


Checkpoint = CheckpointV1 | CheckpointV2


def _refuse_none(name: str, value: object) -> None:
    if value is None:
        raise ValueError(f"{name} of a checkpoint is None. Use an empty mapping.")


READ_VERSIONS: Final = "task.checkpoint.read.versions"
WRITE_VERSIONS: Final = "task.checkpoint.write.versions"
LIVE_MAX_AGE: Final = "task.live.checkpoint.max.age"
DEFAULT_READ_VERSIONS: Final = (1,)
DEFAULT_WRITE_VERSIONS: Final = (1, 2)
"""All versions that there are."""
DEFAULT_MAX_AGE_MS: Final = 600_000
_VERSION: Final = re.compile(r"\s*[0-9]+\s*")
_LIST_END: Final = f",{whitespace}"
"""What may follow the last item of a list: Java's ``split`` drops empty items at the end."""

Payload = TypeVar("Payload")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Payload]):
    """The newest checkpoint of a task in one version; ``record_time_ms`` is the record's timestamp."""

    version: int
    log_offset: int
    record_time_ms: int
    payload: Payload


def parse_read_versions(value: str | None) -> tuple[int, ...]:
    """The versions that a job reads, the preferred one first; ``(1,)`` by default. Raises `ConfigError`."""
    versions = _versions(READ_VERSIONS, value, DEFAULT_READ_VERSIONS)
    if not set(versions) & set(DEFAULT_WRITE_VERSIONS):
        raise ConfigError(f"{READ_VERSIONS} is {value!r}: no checkpoint would be read. Expected 1, 2 or both.")
    return versions


def write_versions(config: Mapping[str, str]) -> tuple[int, ...] | None:
    """The versions that a job writes for every commit, in order; None if the key is not set. Raises `ConfigError`."""
    versions = _versions(WRITE_VERSIONS, config.get(WRITE_VERSIONS), ())
    unknown = [version for version in versions if version not in DEFAULT_WRITE_VERSIONS]
    if unknown:
        raise ConfigError(f"{WRITE_VERSIONS} has unknown version {unknown[0]}. Expected 1, 2 or both.")
    return versions or None


def parse_max_age(value: str | None) -> int:
    """How much newer (ms) a less preferred version must be to be used; 10 minutes by default. Raises `ConfigError`."""
    return integer({} if value is None else {LIVE_MAX_AGE: value}, LIVE_MAX_AGE, DEFAULT_MAX_AGE_MS)


def choose(
    candidates: Iterable[Candidate[Payload]], read_versions: Sequence[int], max_age_ms: int = DEFAULT_MAX_AGE_MS
) -> Candidate[Payload] | None:
    """The candidate that Samza reads: the first of ``read_versions`` that exists.

    A later version in that list is chosen instead if its offset is higher and its record is more than ``max_age_ms``
    newer, because the preferred one is then stale, as after a rollback. Of each version the candidate with the highest
    offset is considered.
    """
    last = {one.version: one for one in sorted(candidates, key=attrgetter("log_offset"))}
    chosen: Candidate[Payload] | None = None
    for version in read_versions:
        other = last.get(version)
        if other is None:
            continue
        is_stale = chosen is not None and other.record_time_ms - chosen.record_time_ms > max_age_ms
        if chosen is None or (is_stale and other.log_offset > chosen.log_offset):
            chosen = other
    return chosen


def _versions(name: str, value: str | None, default: tuple[int, ...]) -> tuple[int, ...]:
    if value is None or not value.strip():
        return default
    parts = value.rstrip(_LIST_END).split(",")
    if not all(map(_VERSION.fullmatch, parts)):
        raise ConfigError(f"{name} is {value!r}. Expected integers separated by commas, such as 1,2.")
    return tuple(dict.fromkeys(map(int, parts)))
