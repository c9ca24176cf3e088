"""Applies and undoes a plan as checkpoints of a stopped job."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from coordstream.cli.checkpoint.write import count_checkpoints
from coordstream.cli.job.logs import require_stopped
from coordstream.cli.job.startpoint_job import StartpointJob, open_startpoint_job
from coordstream.cli.output import confirm
from coordstream.cli.rewind.application import Application
from eventlog.log import require_writable, system_clock
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_errors import CheckpointsChanged
from managers.checkpoints.checkpoint_place import writing_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.rewind.checkpoint_changes import (
    OffsetsChange,
    missing_checkpoints,
    plan_checkpoints,
    restored_offsets,
    reverse,
    saved_offsets,
    write_missing_checkpoints,
)
from managers.rewind.rewind_check import require_followed, require_same_stream
from managers.rewind.rewind_errors import RewindOutdated
from managers.rewind.rewind_files import write_rewind_file
from managers.rewind.undo_file import UndoFile
from managers.startpoints.next_starts import next_starts


class _Job(NamedTuple):
    """A job, and the tool that writes its checkpoints."""

    found: StartpointJob
    tool: CheckpointTool


def apply_checkpoints(application: Application) -> int:
    """Write the checkpoints of a plan that are not written yet, and return their number.

    A dry run returns how many of an interrupted `apply` are not written; 0 if there was none.
    """
    with _open(application.plan.job_word) as job:
        require_same_stream(application.plan, job.found.log)
        if not (application.dry_run or application.force):
            _require_only_own_commits(job, application.begun)
        if application.begun is not None and application.dry_run:
            return len(missing_checkpoints(job.tool, application.begun.checkpoints))
        begun = application.begun or _begin(application, job)
        return 0 if begun is None else _write(application, begun, job)


def undo_applied_checkpoints(undo_file: UndoFile, path: Path, *, force: bool, yes: bool) -> int:
    """Restore the checkpoints of before a rewind, and return the number of written ones."""
    with _open(undo_file.plan.job_word) as job:
        require_same_stream(undo_file.plan, job.found.log)
        if not force:
            _require_only_own_commits(job, undo_file)
        changes = reverse(undo_file.checkpoints)
        if not undo_file.is_undone:
            missing_checkpoints(job.tool, changes, force=force)  # raises before the file says that it is undone
            confirm(f"Restore {count_checkpoints(len(undo_file.checkpoints))}?", yes=yes, has_dry_run=False)
            write_rewind_file(path, undo_file.model_copy(update={"is_undone": True}), may_replace=True)
        try:
            with job.tool.log.exclude_writers():
                return write_missing_checkpoints(job.tool, changes, force=force)
        except CheckpointsChanged as error:
            raise RewindOutdated(f"{error} Stop the job, and run `rewind undo` again with --force.") from None


def _write(application: Application, begun: UndoFile, job: _Job) -> int:
    """Write what is missing. Raises `RewindOutdated` if another writer has written a checkpoint since the check."""
    try:
        with job.tool.log.exclude_writers():
            return write_missing_checkpoints(job.tool, begun.checkpoints)
    except CheckpointsChanged as error:
        then = f"To undo: {application.undo_command} --force" if error.is_written else "Make a new plan."
        raise RewindOutdated(f"{error} {then}") from None


@contextmanager
def _open(word: str) -> Iterator[_Job]:
    with open_startpoint_job(word, system_clock) as found:
        logs, facts = found.logs, found.facts.job
        manager = writing_manager(
            facts.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint, job_name=str(logs.job)
        )
        with CheckpointTool(manager, facts, clock=system_clock) as tool:
            require_writable(tool.log)
            yield _Job(found, tool)


def _require_only_own_commits(job: _Job, begun: UndoFile | None) -> None:
    """Raise CoordstreamError if the job appears to be running, for other reasons than what the rewind itself wrote."""
    if begun is None or len(job.tool.commits(begun.checkpoint_log_offset)) > _own_commits(job, begun):
        require_stopped(job.found.job, job.tool.job_alive())


def _own_commits(job: _Job, begun: UndoFile) -> int:
    """How many checkpoints the rewind and its undo have written: one each for a task whose offsets they change."""
    current = job.tool.current_inputs()
    changes = [each for each in begun.checkpoints if each.before != each.after]
    now = [(each, saved_offsets(current.get(each.task_name, {}))) for each in changes]
    applied = sum(offsets == each.after for each, offsets in now)
    undone = sum(begun.is_undone and offsets == each.before for each, offsets in now)
    return applied + 2 * undone  # what was undone had been applied


def _begin(application: Application, job: _Job) -> UndoFile | None:
    """Check the plan, ask, and write the undo file; None for a dry run."""
    found = job.found
    application.require_unchanged(found, may_advance=False)
    changes = plan_checkpoints(application.plan, job.tool.current_inputs())
    _require_followed(application, found, changes)
    if application.dry_run:
        return None
    begun = UndoFile(
        plan_sha256=application.plan_sha256,
        begun_at=system_clock(),
        plan=application.plan,
        log_offset=found.facts.log_offset,
        checkpoint_log_offset=job.tool.log.end_offset(),
        checkpoints=changes,
    )
    application.begin(begun, f"Write {count_checkpoints(len(changes))}?")
    return begun


def _require_followed(application: Application, found: StartpointJob, changes: tuple[OffsetsChange, ...]) -> None:
    after = {**found.checkpoints, **{each.task_name: restored_offsets(each.after) for each in changes}}
    require_followed(
        application.plan, next_starts(found.facts, after, found.facts.requests, ms_of(system_clock())), "checkpoint"
    )
