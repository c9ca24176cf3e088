"""The checkpoints that a rewind of a stopped job writes, and those that undo them. Each is written once."""

from collections.abc import Iterable, Mapping, Sequence

from eventlog.checkpoint import Offsets
from eventlog.partition import SystemStreamPartition
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.rewind.rewind_errors import WorldMoved
from managers.rewind.rewind_plan import RewindPlan
from managers.rewind.undo_file import InputOffset, OffsetsChange, restored_offsets, saved_offsets


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
        WorldMoved: a checkpoint is neither.
    """
    current = tool.current_inputs()
    return [each for each in changes if _is_missing(each, saved_offsets(current.get(each.task_name, {})), force)]


def _is_missing(change: OffsetsChange, current: tuple[InputOffset, ...], force: bool) -> bool:
    if current == change.after:
        return False
    if current != change.before and not force:
        raise WorldMoved(
            f"The checkpoint of task {change.task_name!r} was changed by another writer, or by the job. Look at "
            "`coordstream checkpoint history`, and make a new plan."
        )
    return True
