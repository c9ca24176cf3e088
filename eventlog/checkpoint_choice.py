"""Which versions of a task's checkpoint a job writes, and which of them it reads (KafkaCheckpointManager)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import whitespace
from typing import Final, Generic, TypeVar

from eventlog.config_values import integer
from eventlog.errors import ConfigError

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
    """The versions that a job reads, the preferred one first; ``(1,)`` by default.

    Raises `ConfigError` if the value is not a list of integers.
    """
    return _versions(READ_VERSIONS, value, DEFAULT_READ_VERSIONS)


def write_versions(config: Mapping[str, str]) -> tuple[int, ...] | None:
    """The versions that a job writes for every commit, in the order of its config; None if the key is not set.

    Raises:
        ConfigError: a version is not 1 or 2.
    """
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
    last = {one.version: one for one in sorted(candidates, key=_log_offset)}
    chosen: Candidate[Payload] | None = None
    for version in read_versions:
        other = last.get(version)
        if other is not None and (chosen is None or _overrides(other, chosen, max_age_ms)):
            chosen = other
    return chosen


def _overrides(other: Candidate[Payload], chosen: Candidate[Payload], max_age_ms: int) -> bool:
    newer_by = other.record_time_ms - chosen.record_time_ms
    return other.log_offset > chosen.log_offset and newer_by > max_age_ms


def _log_offset(candidate: Candidate[Payload]) -> int:
    return candidate.log_offset


def _versions(name: str, value: str | None, default: tuple[int, ...]) -> tuple[int, ...]:
    if value is None or not value.strip():
        return default
    parts = value.rstrip(_LIST_END).split(",")
    if not all(map(_VERSION.fullmatch, parts)):
        raise ConfigError(f"Invalid value of {name}. Expected integers separated by commas, such as 1,2.")
    return tuple(dict.fromkeys(map(int, parts)))
