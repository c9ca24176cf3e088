"""The versions of checkpoints: those of a commit, conversion, and what Samza could not read back."""

from collections.abc import Mapping, Sequence
from typing import Any

from eventlog.checkpoint import (
    DEFAULT_WRITE_VERSIONS,
    WRITE_VERSIONS,
    Checkpoint,
    CheckpointId,
    CheckpointV1,
    CheckpointV2,
    Offsets,
    StateMarkers,
    write_versions,
)
from eventlog.partition import INT32, SystemStreamPartition, is_int_within
from eventlog.state_markers import KafkaChangelogOffset, scms_to_ssp_offset_map
from managers.errors import CheckpointError
from managers.job_facts import JobFacts


def version_of(checkpoint: Checkpoint) -> int:
    return 1 if isinstance(checkpoint, CheckpointV1) else 2


def build_checkpoints(
    config: Mapping[str, str], checkpoint_id: CheckpointId, offsets: Offsets, markers: StateMarkers
) -> tuple[Checkpoint, ...]:
    """The checkpoints of a commit with state, one of each version in config; by default 1 and 2, as in Samza.

    Version 1 has the offsets of changelogs among its offsets, and no markers of other backends.
    """
    newest = scms_to_ssp_offset_map(markers)
    state = {changelog: str(KafkaChangelogOffset(checkpoint_id, offset)) for changelog, offset in newest.items()}
    built = (CheckpointV1({**offsets, **state}), CheckpointV2(checkpoint_id, offsets, markers))
    return tuple(built[version - 1] for version in write_versions(config) or DEFAULT_WRITE_VERSIONS)


def convert_to_versions(
    checkpoints: Sequence[Checkpoint], versions: Sequence[int], config: Mapping[str, str]
) -> list[Checkpoint]:
    """The checkpoints that a commit writes, one of each version; a missing one is converted if it has no state."""
    by_version = {version_of(each): each for each in checkpoints}
    return [by_version.get(version) or _convert(checkpoints[0], config) for version in versions]


def _convert(checkpoint: Checkpoint, config: Mapping[str, str]) -> Checkpoint:
    if _has_state(checkpoint, config):
        raise ValueError(
            f"{WRITE_VERSIONS} is {config[WRITE_VERSIONS]}, but a checkpoint of version {version_of(checkpoint)} with "
            "state of stores cannot be converted to the other version: pass a checkpoint of each version"
        )
    if isinstance(checkpoint, CheckpointV2):
        return CheckpointV1(checkpoint.offsets)
    processed = {partition: offset for partition, offset in checkpoint.offsets.items() if offset is not None}
    return CheckpointV2(CheckpointId.create(), processed, {})


def _has_state(checkpoint: Checkpoint, config: Mapping[str, str]) -> bool:
    if isinstance(checkpoint, CheckpointV2):
        return bool(checkpoint.state_markers)
    facts = JobFacts(config, frozenset())
    return any(facts.is_state(partition, offset) for partition, offset in checkpoint.offsets.items())


def require_readable(task_name: str, checkpoint: Checkpoint, *, is_message: bool = False) -> None:
    """Raise TypeError or `CheckpointError` for a checkpoint (or a `SetCheckpoint`) that Samza could not read back."""
    texts: list[object] = [task_name]
    for partition, offset in checkpoint.offsets.items():
        require_offset(partition, offset)
        if offset is None and isinstance(checkpoint, CheckpointV2):
            which = f"The V2 checkpoint of task {task_name!r} has no offset for {partition}"
            raise CheckpointError(f"{which}, which Samza cannot read. Omit the partition.")
        texts += partition.system, partition.stream
        if "." in str(partition.system) and (is_message or isinstance(checkpoint, CheckpointV2)):
            which = f"The checkpoint of task {task_name!r} has system {partition.system!r}"
            raise CheckpointError(f"{which}, which would be read back up to its dot only. Rename the system.")
        if not is_int_within(INT32, partition.partition):
            raise TypeError(f"the number of partition {partition} must be an integer of 32 bits")
    if isinstance(checkpoint, CheckpointV2):
        texts += (text for factory, of in checkpoint.state_markers.items() for text in (factory, *of, *of.values()))
        made = checkpoint.checkpoint_id
        if made is not None and min(made.millis, made.nanos) < 0:
            raise CheckpointError(f"The checkpoint id {made} has a negative number. Use `CheckpointId.create()`.")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"task {task_name!r}, and the systems, streams and markers of its checkpoint, must be strings")


def sort_entries(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint in the order in which it is written, so that equal checkpoints have equal bytes."""
    offsets = dict(sorted(checkpoint.offsets.items()))
    if isinstance(checkpoint, CheckpointV1):
        return CheckpointV1(offsets)
    markers = {factory: dict(sorted(of.items())) for factory, of in sorted(checkpoint.state_markers.items())}
    return CheckpointV2(checkpoint.checkpoint_id, offsets, markers)


def require_offset(partition: SystemStreamPartition, offset: Any) -> None:
    """Raise TypeError if an offset is neither a string nor None: it could not be read back from a checkpoint."""
    if offset is not None and not isinstance(offset, str):
        raise TypeError(f"the offset of {partition} must be a string, not {offset!r}")
