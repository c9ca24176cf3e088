"""In which versions a job commits: ``task.checkpoint.write.versions`` (TaskInstance.writeCheckpoint of Samza 1.8.0)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2, Offsets
from eventlog.checkpoint_choice import WRITE_VERSIONS, parse_write_versions
from eventlog.errors import ConfigError
from managers.job_facts import JobFacts

_KNOWN: Final = (1, 2)


def write_versions(config: Mapping[str, str]) -> tuple[int, ...] | None:
    """The versions that config names, in their order; None where it names none.

    Raises:
        ConfigError: it names something else than versions 1 and 2.
    """
    text = config.get(WRITE_VERSIONS, "")
    if not text.strip():
        return None
    versions = parse_write_versions(text)
    unknown = [version for version in versions if version not in _KNOWN]
    if unknown:
        raise ConfigError(
            f"{WRITE_VERSIONS} names version {unknown[0]}, and checkpoints have versions 1 and 2: set those"
        )
    return versions


def version_of(checkpoint: Checkpoint) -> int:
    """The version of a checkpoint."""
    return 1 if isinstance(checkpoint, CheckpointV1) else 2


def convert_to_versions(
    given: Sequence[Checkpoint],
    versions: Sequence[int],
    config: Mapping[str, str],
    new_id: Callable[[], CheckpointId],
) -> list[Checkpoint]:
    """The checkpoints that a commit writes: of each version the one that is given, else made of the first that is.

    Raises:
        ValueError: a version that was not given can't be made of the first, which holds the state of stores.
    """
    by_version = {version_of(each): each for each in given}
    return [by_version[version] if version in by_version else _made(given[0], config, new_id) for version in versions]


def _made(checkpoint: Checkpoint, config: Mapping[str, str], new_id: Callable[[], CheckpointId]) -> Checkpoint:
    """The same input offsets in the other version."""
    if _holds_state(checkpoint, config):
        raise ValueError(
            f"{WRITE_VERSIONS} is {config[WRITE_VERSIONS]}, and a checkpoint of version {version_of(checkpoint)} that "
            "holds the state of stores can't be written in the other version: give a checkpoint of each version"
        )
    if isinstance(checkpoint, CheckpointV2):
        return CheckpointV1(checkpoint.offsets)
    return CheckpointV2(new_id(), _read(checkpoint.offsets), {})


def _read(offsets: Offsets) -> Offsets:
    """The offsets of partitions of which something was processed: version 2 has no others."""
    return {partition: offset for partition, offset in offsets.items() if offset is not None}


def _holds_state(checkpoint: Checkpoint, config: Mapping[str, str]) -> bool:
    if isinstance(checkpoint, CheckpointV2):
        return bool(checkpoint.state_markers)
    facts = JobFacts(config, frozenset())
    return any(facts.is_state(partition, offset) for partition, offset in checkpoint.offsets.items())
