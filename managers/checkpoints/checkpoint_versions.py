"""The versions of a commit: ``task.checkpoint.write.versions`` (TaskInstance.writeCheckpoint of Samza 1.8.0)."""

from collections.abc import Callable, Mapping, Sequence

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2, Offsets, StateMarkers
from eventlog.checkpoint_choice import DEFAULT_WRITE_VERSIONS, WRITE_VERSIONS, write_versions
from eventlog.state_markers import KafkaChangelogOffset, scms_to_ssp_offset_map
from managers.job_facts import JobFacts


def version_of(checkpoint: Checkpoint) -> int:
    """1 or 2. Raises TypeError for anything but a checkpoint."""
    if isinstance(checkpoint, CheckpointV1 | CheckpointV2):
        return 1 if isinstance(checkpoint, CheckpointV1) else 2
    raise TypeError(f"a checkpoint must be a CheckpointV1 or a CheckpointV2, not {checkpoint!r}")


def build_checkpoints(
    config: Mapping[str, str], checkpoint_id: CheckpointId, offsets: Offsets, markers: StateMarkers
) -> tuple[Checkpoint, ...]:
    """The checkpoints of a commit with state, one of each version in config; by default 1 and 2, as in Samza.

    Version 1 has the offsets of changelogs among its offsets, and no markers of other backends.

    Raises:
        ConfigError: a version is not 1 or 2.
        WireError: a marker of the Kafka changelog cannot be read.
    """
    newest = scms_to_ssp_offset_map(markers)
    state = {changelog: str(KafkaChangelogOffset(checkpoint_id, offset)) for changelog, offset in newest.items()}
    built = (CheckpointV1({**offsets, **state}), CheckpointV2(checkpoint_id, offsets, markers))
    return tuple(built[version - 1] for version in write_versions(config) or DEFAULT_WRITE_VERSIONS)


def convert_to_versions(
    checkpoints: Sequence[Checkpoint],
    versions: Sequence[int],
    config: Mapping[str, str],
    new_id: Callable[[], CheckpointId],
) -> list[Checkpoint]:
    """The checkpoints that a commit writes, one of each version. A missing version is converted from the first.

    Raises:
        ValueError: the first checkpoint contains state of stores, which cannot be converted.
    """
    by_version = {version_of(each): each for each in checkpoints}
    return [by_version.get(version) or _convert(checkpoints[0], config, new_id) for version in versions]


def _convert(checkpoint: Checkpoint, config: Mapping[str, str], new_id: Callable[[], CheckpointId]) -> Checkpoint:
    """A checkpoint of the other version with the same input offsets."""
    if _has_state(checkpoint, config):
        raise ValueError(
            f"{WRITE_VERSIONS} is {config[WRITE_VERSIONS]}, but a checkpoint of version {version_of(checkpoint)} with "
            "state of stores cannot be converted to the other version: pass a checkpoint of each version"
        )
    if isinstance(checkpoint, CheckpointV2):
        return CheckpointV1(checkpoint.offsets)
    return CheckpointV2(new_id(), _processed(checkpoint.offsets), {})


def _processed(offsets: Offsets) -> Offsets:
    """The offsets that are not None: version 2 has no others."""
    return {partition: offset for partition, offset in offsets.items() if offset is not None}


def _has_state(checkpoint: Checkpoint, config: Mapping[str, str]) -> bool:
    if isinstance(checkpoint, CheckpointV2):
        return bool(checkpoint.state_markers)
    facts = JobFacts(config, frozenset())
    return any(facts.is_state(partition, offset) for partition, offset in checkpoint.offsets.items())
