"""What a rewind writes, as startpoint requests or as checkpoints, and what undoes it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from coordstream.cli.checkpoint import checkpoint_tool, write_checkpoints
from coordstream.cli.event_logs import require_stopped
from coordstream.cli.output import confirm, counted
from coordstream.cli.startpoint_plan import StartpointJob
from coordstream.errors import CoordstreamError, warn
from eventlog.log import EventLog, system_clock
from eventlog.timestamps import ms_of
from eventlog.wire.startpoints import decode_startpoint
from managers.rewind.rewind_plan import RewindError, RewindPlan, require_followed
from managers.rewind.rewind_undo import UndoFile, offsets_changes, request_changes, undone_offsets, undone_requests
from managers.startpoints.next_starts import next_starts
from managers.startpoints.startpoint_records import STARTPOINTS_ENABLED, startpoints_enabled


class Change(NamedTuple):
    """What a rewind is about to write: how much, a sentence when it is done, on which log, its undo file, the write."""

    words: str
    done: str
    log: EventLog
    undo: UndoFile
    write: Callable[[], None]


@contextmanager
def requests_to_write(found: StartpointJob, given: RewindPlan, *, force: bool) -> Iterator[Change]:
    """The startpoint requests of a plan. Raises `RewindError` or CoordstreamError if the job would not follow them."""
    facts, now = found.facts, system_clock()
    if not startpoints_enabled(facts.job.config):
        raise RewindError(
            f"The job ignores startpoints: {STARTPOINTS_ENABLED} is not true. Stop it, and use --checkpoints."
        )
    behind = found.clock_behind(now)
    if behind and not force:
        raise CoordstreamError(f"{behind} Set the clock, or use --force.")
    changes = request_changes(given, facts, ms_of(now))
    values = {each.key_text: each.after.encode() for each in changes}
    after = {**facts.requests, **{key_text: decode_startpoint(value) for key_text, value in values.items()}}
    require_followed(given, next_starts(facts, found.checkpoints, after, ms_of(now)), "startpoint")
    warn([*found.request_warnings(), *filter(None, [behind])])
    words, done = counted(len(values), "startpoint"), found.requested(len(values), ms_of(now))
    undo_file = UndoFile(plan=given, log_offset=facts.log_offset, requests=changes)
    yield Change(words, done, found.log, undo_file, lambda: found.change_requests(values))


@contextmanager
def checkpoints_to_write(found: StartpointJob, given: RewindPlan, *, force: bool) -> Iterator[Change]:
    """The checkpoints of a plan. Raises `RewindError` or CoordstreamError if the job runs or would not follow them."""
    with checkpoint_tool(found.logs, found.facts.job) as tool:
        if not force:
            require_stopped(found.job, tool.job_alive())
        changes = offsets_changes(given, tool.current_inputs())
        after = {each.task_name: dict(each.after) for each in changes}
        starts = next_starts(found.facts, {**found.checkpoints, **after}, found.facts.requests, ms_of(system_clock()))
        require_followed(given, starts, "checkpoint")
        planned = tool.plan(after, any_task=True)
        undo_file = UndoFile(plan=given, log_offset=tool.log.end_offset(), checkpoints=changes)
        words = counted(len(planned), "checkpoint")
        done = f"{words} written. {found.job} starts there."
        yield Change(words, done, tool.log, undo_file, lambda: write_checkpoints(tool, planned))


def undo_requests(found: StartpointJob, saved: UndoFile, force: bool, yes: bool) -> tuple[int, str]:
    """Undo startpoint requests, after a question unless ``yes``: how many were written, and a phrase about them.

    Raises as `undone_requests`.
    """
    now_ms = ms_of(system_clock())
    undone = undone_requests(saved.requests, found.log, saved.log_offset, now_ms, force=force)
    written = sum(value is not None for value in undone.values())
    counts = {"deleted": len(undone) - written, "written": written}
    words = ", ".join(f"{counted(count, 'startpoint')} {verb}" for verb, count in counts.items() if count)
    if undone:
        confirm(f"Undo the rewind ({words})?", yes=yes, has_dry_run=False)
        found.change_requests(undone)
    return len(undone), words


def undo_checkpoints(found: StartpointJob, saved: UndoFile, force: bool, yes: bool) -> tuple[int, str]:
    """The same for checkpoints. Raises as `undone_offsets`, and CoordstreamError if the job appears to be running."""
    with checkpoint_tool(found.logs, found.facts.job) as tool:
        own = {change.task_name for change in saved.checkpoints}
        has_others = any(commit.task_name not in own for commit in tool.commits(saved.log_offset))
        if has_others and not force:  # those of the rewind's tasks are compared instead
            require_stopped(found.job, tool.job_alive())
        offsets = undone_offsets(saved.checkpoints, tool.current_inputs(), force=force)
        words = counted(len(offsets), "checkpoint")
        if offsets:
            confirm(f"Restore {words}?", yes=yes, has_dry_run=False)
            write_checkpoints(tool, tool.plan(offsets, replace=True, any_task=True))
    return len(offsets), f"{words} restored"
