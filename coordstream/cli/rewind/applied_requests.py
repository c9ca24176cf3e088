"""Applies and undoes a plan as startpoint requests: the job, which may be running, follows them at its next start."""

from pathlib import Path
from typing import Final

from coordstream.cli.job.startpoint_job import StartpointJob, clock_behind, open_startpoint_job
from coordstream.cli.output import confirm
from coordstream.cli.rewind.application import Application
from coordstream.cli.startpoint.write import count_startpoints
from coordstream.errors import CoordstreamError
from coordstream.messages import warn
from eventlog.log import EventLog, require_writable, system_clock
from eventlog.startpoint import EXPIRY_MS
from eventlog.timestamps import ms_of
from managers.rewind.request_changes import (
    UndoneRequest,
    fanned_out_values,
    is_fanned_out,
    plan_requests,
    undo_requests,
    values_since,
    write_missing,
    written_requests,
)
from managers.rewind.rewind_check import require_followed, require_same_stream
from managers.rewind.rewind_errors import InvalidRewind, RewindOutdated
from managers.rewind.rewind_files import write_rewind_file
from managers.rewind.undo_file import RequestUndo, UndoFile
from managers.startpoints.next_starts import next_starts
from managers.startpoints.startpoint_fan_out import STARTPOINTS_ENABLED, startpoints_enabled
from managers.startpoints.startpoint_records import REQUESTS, StartpointsChanged
from managers.startpoints.startpoint_request import job_warnings
from managers.stores.coordinator_store import CoordinatorStreamStore

EXPIRY_HOURS: Final = EXPIRY_MS // 3_600_000


def apply_requests(application: Application) -> int:
    """Write the startpoints of a plan that are not written yet, and return their number.

    A dry run returns how many of an interrupted `apply` are not written; 0 if there was none.
    """
    with (
        open_startpoint_job(application.plan.job_word, system_clock) as found,
        CoordinatorStreamStore(found.log) as store,
    ):
        require_same_stream(application.plan, found.log)
        begun = _begun(application)
        if begun is not None and application.dry_run:
            return _count_missing(begun, found.log)
        begun = begun or _begin(application, found, store)
        return 0 if begun is None else _write(application, begun, found.log, store)


def undo_applied_requests(undo_file: UndoFile, path: Path, *, force: bool, yes: bool) -> int:
    """Undo the startpoints of a rewind, and return the number of written changes."""
    word = undo_file.plan.job_word
    with open_startpoint_job(word, system_clock) as found, CoordinatorStreamStore(found.log) as store:
        require_same_stream(undo_file.plan, found.log)
        undo = undo_file.undo
        if undo is None:
            undo = _plan_undo(undo_file, found, force=force)
            confirm(f"Write {count_startpoints(len(undo.requests))} to undo the rewind?", yes=yes, has_dry_run=False)
            begun = undo_file.model_copy(update={"is_undone": True, "undo": undo})
            write_rewind_file(path, begun, may_replace=True)
        try:
            with found.log.exclude_writers():
                return write_missing(store, found.log, undo.log_offset, undo.requests, undo_file.plan.task_names)
        except StartpointsChanged as error:
            raise RewindOutdated(f"{error} {_after_failed_undo(undo_file, path, word, error)}") from None


def _after_failed_undo(undo_file: UndoFile, path: Path, word: str, error: StartpointsChanged) -> str:
    """What to do next. If nothing was written, the next undo is planned from the startpoints of then."""
    if error.is_written:
        return f"Look at `coordstream startpoint show {word}`."
    write_rewind_file(path, undo_file.model_copy(update={"is_undone": False, "undo": None}), may_replace=True)
    return "Run `rewind undo` again."


def _write(application: Application, begun: UndoFile, log: EventLog, store: CoordinatorStreamStore) -> int:
    """Write what is missing. Raises `RewindOutdated` if another writer has changed the startpoints since the check."""
    try:
        with log.exclude_writers():
            return write_missing(store, log, begun.log_offset, begun.requests, begun.plan.task_names)
    except StartpointsChanged as error:
        then = f"To undo: {application.undo_command}" if error.is_written else "Make a new plan."
        raise RewindOutdated(f"{error} {then}") from None


def _count_missing(begun: UndoFile, log: EventLog) -> int:
    values = values_since(log, begun.log_offset, [each.key_text for each in begun.requests])
    return sum(each.after is not None and each.after.encode() not in values[each.key_text] for each in begun.requests)


def _begun(application: Application) -> UndoFile | None:
    """The undo file of a former `apply`. Raises `RewindOutdated` if its startpoints have expired."""
    if application.begun is not None and ms_of(system_clock()) - ms_of(application.begun.begun_at) > EXPIRY_MS:
        raise RewindOutdated(
            f"The plan was applied more than {EXPIRY_HOURS} hours ago, after which startpoints expire. Make a new plan."
        )
    return application.begun


def _begin(application: Application, found: StartpointJob, store: CoordinatorStreamStore) -> UndoFile | None:
    """Check the plan, ask, and write the undo file; None for a dry run."""
    config, now = found.facts.job.config, system_clock()
    if not startpoints_enabled(config):
        raise InvalidRewind(
            f"The job ignores startpoints: {STARTPOINTS_ENABLED} is not true. Stop it, and use --checkpoints."
        )
    application.require_unchanged(found, may_advance=True)
    stored = {name.key: value for name, value in store.all(REQUESTS).items()}
    changes = plan_requests(application.plan, found.facts, stored, ms_of(now))
    after = written_requests(changes, found.facts)
    require_followed(application.plan, next_starts(found.facts, found.checkpoints, after, ms_of(now)), "startpoint")
    behind = clock_behind(found, system_clock)
    if behind and not application.force:
        raise CoordstreamError(f"{behind} Set the clock, or use --force.")
    warn([*filter(None, [behind]), *(each.text for each in job_warnings(config) if each.code != "stores_stay")])
    if application.dry_run:
        return None
    require_writable(found.log)
    begun = UndoFile(
        plan_sha256=application.plan_sha256,
        begun_at=now,
        plan=application.plan,
        log_offset=found.facts.log_offset,
        requests=changes,
    )
    application.begin(begun, f"Write {count_startpoints(len(changes))}?")
    return begun


def _plan_undo(undo_file: UndoFile, found: StartpointJob, *, force: bool) -> RequestUndo:
    values = values_since(found.log, undo_file.log_offset, [each.key_text for each in undo_file.requests])
    undone = undo_requests(undo_file.requests, values, ms_of(system_clock()))
    fanned_out = fanned_out_values(found.facts)
    consumed = [each for each in undone if each.is_started and not is_fanned_out(each.done, fanned_out)]
    if consumed and not force:
        raise RewindOutdated(_describe_consumed(consumed))
    return RequestUndo(log_offset=found.facts.log_offset, requests=tuple(each.undo for each in undone))


def _describe_consumed(consumed: list[UndoneRequest]) -> str:
    first = consumed[0].done.key_text
    return (
        f"The job has started from {count_startpoints(len(consumed))} of the rewind and committed since, the first for "
        f"{first!r}. Use --force to request the starting offsets of before again."
    )
