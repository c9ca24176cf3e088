"""Applies and undoes a plan as checkpoints of a stopped job."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from coordstream.cli.checkpoint.tool import (
    checkpoint_log,
    require_stopped,
    writing_manager,
)
from coordstream.cli.messages import confirm
from coordstream.cli.rewind.application import Application, require_unmoved
from coordstream.cli.startpoint.job import StartpointJob, open_startpoint_job
from eventlog.log import EventLog, require_writable, system_clock
from eventlog.messages import SetCheckpoint
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_errors import CheckpointsChanged
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.rewind.checkpoint_changes import (
    missing_checkpoints,
    plan_checkpoints,
    reverse,
    write_missing_checkpoints,
)
from managers.rewind.rewind_check import require_followed, require_same_stream
from managers.rewind.rewind_errors import WorldMoved
from managers.rewind.rewind_files import write_rewind_file
from managers.rewind.undo_file import OffsetsChange, UndoFile, restored_offsets, saved_offsets
from managers.startpoints.next_starts import next_starts
from managers.stores.namespaced_key import read_name


class _Job(NamedTuple):
    """A job, the tool that writes its checkpoints, and the log that has them."""

    found: StartpointJob
    tool: CheckpointTool
    log: EventLog

    def commits_since(self, log_offset: int) -> int:
        """How many checkpoints are on the log from an offset on."""
        events = self.log.read(log_offset)
        return sum(self.log.stream_kind == "checkpoint" or _is_checkpoint(event.key) for event in events)


def apply_checkpoints(application: Application) -> int:
    """Write the checkpoints of a plan that are not written yet, and return their number."""
    with _open(application.plan.job_word) as job:
        require_same_stream(application.plan, job.found.log)
        if not application.dry_run:
            _require_stopped(job, application.begun, force=application.force)
        begun = application.begun or _begin(application, job)
        return 0 if begun is None else _write(application, begun, job)


def undo_applied_checkpoints(undo_file: UndoFile, path: Path, *, force: bool, yes: bool) -> int:
    """Restore the checkpoints of before a rewind, and return the number of written ones."""
    with _open(undo_file.plan.job_word) as job:
        require_same_stream(undo_file.plan, job.found.log)
        _require_stopped(job, undo_file, force=force)
        changes = reverse(undo_file.checkpoints)
        if not undo_file.is_undone:
            missing_checkpoints(job.tool, changes, force=force)  # raises before the file says that it is undone
            confirm(f"Restore {count_checkpoints(len(undo_file.checkpoints))}?", yes=yes)
            write_rewind_file(path, undo_file.model_copy(update={"is_undone": True}), may_replace=True)
        try:
            with job.log.exclude_writers():
                return write_missing_checkpoints(job.tool, changes, force=force)
        except CheckpointsChanged as error:
            raise WorldMoved(f"{error} Stop the job, and run `rewind undo` again with --force.") from None


def count_checkpoints(count: int) -> str:
    """``1 checkpoint``, ``2 checkpoints``."""
    return "1 checkpoint" if count == 1 else f"{count} checkpoints"


def _write(application: Application, begun: UndoFile, job: _Job) -> int:
    """Write what is missing. Raises `WorldMoved` if another writer has written a checkpoint since the check."""
    try:
        with job.log.exclude_writers():
            return write_missing_checkpoints(job.tool, begun.checkpoints)
    except CheckpointsChanged as error:
        then = f"To undo: {application.undo_command} --force" if error.is_written else "Make a new plan."
        raise WorldMoved(f"{error} {then}") from None


@contextmanager
def _open(word: str) -> Iterator[_Job]:
    with open_startpoint_job(word, system_clock) as found:
        logs, facts = found.logs, found.facts.job
        with CheckpointTool(writing_manager(logs, facts), facts, clock=system_clock) as tool:
            log = checkpoint_log(logs, facts)
            require_writable(log)
            yield _Job(found, tool, log)


def _require_stopped(job: _Job, begun: UndoFile | None, *, force: bool) -> None:
    """Raise CoordstreamError if the job appears to be running, for other reasons than what the rewind itself wrote."""
    if begun is not None and job.commits_since(begun.checkpoint_log_offset) <= _own_commits(job, begun):
        return
    require_stopped(job.tool, job.found.job, force=force)


def _own_commits(job: _Job, begun: UndoFile) -> int:
    """How many checkpoints the rewind and its undo have written: one each for a task whose offsets they change."""
    current = job.tool.current_inputs()
    changes = [each for each in begun.checkpoints if each.before != each.after]
    now = [(each, saved_offsets(current.get(each.task_name, {}))) for each in changes]
    applied = sum(offsets == each.after for each, offsets in now)
    undone = sum(begun.is_undone and offsets == each.before for each, offsets in now)
    return applied + 2 * undone  # what was undone had been applied


def _is_checkpoint(key: bytes | None) -> bool:
    name = None if key is None else read_name(key)
    return name is not None and name[0].namespace == SetCheckpoint.message_type


def _begin(application: Application, job: _Job) -> UndoFile | None:
    """Check the plan, ask, and write the undo file; None for a dry run."""
    found = job.found
    require_unmoved(application, found, may_advance=False)
    changes = plan_checkpoints(application.plan, job.tool.current_inputs())
    _require_followed(application, found, changes)
    if application.dry_run:
        return None
    begun = UndoFile(
        plan_sha256=application.plan_sha256,
        begun_at=system_clock(),
        plan=application.plan,
        log_offset=found.facts.log_offset,
        checkpoint_log_offset=job.log.end_offset(),
        checkpoints=changes,
    )
    application.begin(begun, f"Write {count_checkpoints(len(changes))}?")
    return begun


def _require_followed(application: Application, found: StartpointJob, changes: tuple[OffsetsChange, ...]) -> None:
    after = {**found.checkpoints, **{each.task_name: restored_offsets(each.after) for each in changes}}
    require_followed(
        application.plan, next_starts(found.facts, after, found.facts.requests, ms_of(system_clock())), "checkpoint"
    )
