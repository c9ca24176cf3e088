"""The checkpoints that a rewind of a stopped job writes, and those that undo them. Each is written once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from eventlog.checkpoint import Offsets
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.rewind.rewind_errors import RewindOutdated
from managers.rewind.rewind_plan import RewindPlan

_MODEL: Final = ConfigDict(frozen=True, extra="forbid")


class InputOffset(BaseModel):
    """The last processed offset of a partition in a checkpoint."""

    model_config = _MODEL

    system_name: str
    stream_name: str
    partition_id: int
    key_bucket: int = NO_KEY_BUCKET
    input_offset: str | None


class OffsetsChange(BaseModel):
    """The input offsets in a task's checkpoint before (empty: no checkpoint) and after a rewind."""

    model_config = _MODEL

    task_name: str
    before: tuple[InputOffset, ...]
    after: tuple[InputOffset, ...]


def plan_checkpoints(plan: RewindPlan, current: Mapping[str, Offsets]) -> tuple[OffsetsChange, ...]:
    """The input offsets of each task's checkpoint now and with the targets of a plan, which are one less."""
    targets: dict[str, dict[SystemStreamPartition, str]] = {}
    for move in plan.moves:
        targets.setdefault(move.task_name, {})[move.partition] = str(move.to_offset - 1)
    return tuple(
        OffsetsChange(
            task_name=task_name,
            before=saved_offsets(current.get(task_name, {})),
            after=saved_offsets({**current.get(task_name, {}), **offsets}),
        )
        for task_name, offsets in sorted(targets.items())
    )


def reverse(changes: Iterable[OffsetsChange]) -> tuple[OffsetsChange, ...]:
    """The changes that undo others."""
    return tuple(OffsetsChange(task_name=each.task_name, before=each.after, after=each.before) for each in changes)


def write_missing_checkpoints(tool: CheckpointTool, changes: Sequence[OffsetsChange], *, force: bool = False) -> int:
    """Write the checkpoints that are still as before, task by task, and return their number.

    Raises as `missing_checkpoints`, when nothing was written, and as `CheckpointTool.write`.
    """
    missing = missing_checkpoints(tool, changes, force=force)
    offsets = {each.task_name: restored_offsets(each.after) for each in missing}
    tool.write(tool.plan(offsets, replace=True, any_task=True))
    return len(missing)


def missing_checkpoints(
    tool: CheckpointTool, changes: Sequence[OffsetsChange], *, force: bool = False
) -> list[OffsetsChange]:
    """The changes of checkpoints that are still as before.

    ``force``: also those that are neither as before nor as after.

    Raises:
        RewindOutdated: a checkpoint is neither.
    """
    current = tool.current_inputs()
    return [each for each in changes if _is_missing(each, saved_offsets(current.get(each.task_name, {})), force)]


def saved_offsets(offsets: Offsets) -> tuple[InputOffset, ...]:
    """The offsets of a checkpoint for an undo file, sorted by partition."""
    return tuple(
        InputOffset(
            system_name=partition.system,
            stream_name=partition.stream,
            partition_id=partition.partition,
            key_bucket=partition.key_bucket,
            input_offset=offset,
        )
        for partition, offset in sorted(offsets.items())
    )


def restored_offsets(saved: tuple[InputOffset, ...]) -> Mapping[SystemStreamPartition, str | None]:
    """The offsets of a checkpoint from an undo file."""
    return {
        SystemStreamPartition(each.system_name, each.stream_name, each.partition_id, each.key_bucket): each.input_offset
        for each in saved
    }


def _is_missing(change: OffsetsChange, current: tuple[InputOffset, ...], force: bool) -> bool:
    if current == change.after:
        return False
    if current != change.before and not force:
        raise RewindOutdated(
            f"The checkpoint of task {change.task_name!r} was changed by another writer, or by the job. Look at "
            "`coordstream checkpoint history`, and make a new plan."
        )
    return True
