"""What a rewind writes, what undoes it, and whether a job has followed it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

from psycopg import sql

from coordstream.cli.checkpoint import checkpoint_tool, write_checkpoints
from coordstream.cli.event_logs import require_stopped
from coordstream.cli.output import confirm, counted
from coordstream.cli.startpoint_plan import StartpointJob
from coordstream.errors import CoordstreamError, warn
from coordstream.queries.rows import PARTITION, Row, Rows, fetch, job_values, partition_values
from coordstream.queries.startpoints import startpoint_steps
from eventlog.log import EventLog, system_clock
from eventlog.postgres.connection import Connection
from eventlog.timestamps import ms_of
from eventlog.wire.startpoints import decode_startpoint
from managers.rewind.rewind_plan import Move, RewindError, RewindPlan, require_followed
from managers.rewind.rewind_undo import UndoFile, offsets_changes, request_changes, undone_offsets, undone_requests
from managers.startpoints.next_starts import next_starts
from managers.startpoints.startpoint_records import STARTPOINTS_ENABLED, startpoints_enabled
from projections.job_choice import Job


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


DONE: Final = "done"
_COLUMNS: Final = ("job_name", "job_id", "task_name", *PARTITION, "from_offset", "to_offset", "reached_offset", "state")
_COMMITS: Final = sql.SQL("""
select h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.record_time,
  projection.next_offset(h.input_offset_number) as next_offset
from coordinator.checkpoint_history h
where h.job_name = %(name)s and h.job_id = %(id)s and h.record_time >= %(since)s and h.is_preferred
  and h.task_name = any(%(tasks)s) and h.input_offset_number is not null
order by h.log_offset
""")
_Place = tuple[object, ...]
"""A task and an input partition."""


def check_rows(connection: Connection, job: Job, plan: RewindPlan) -> Rows:
    """A row for each move of a plan, with how far the job has followed it.

    ``state`` is ``not applied``, a status of ``startpoint_history`` until the startpoint is consumed, then ``reading``
    or, once a checkpoint has reached both offsets, ``done``. ``reached_offset`` is the next offset to read.
    """
    tasks = sorted({move.task_name for move in plan.moves})
    values = {**job_values(job), "since": plan.made_at, "tasks": tasks}
    commits = _by_place(fetch(connection, _COMMITS, values))
    steps = _by_place(startpoint_steps(connection, job, None, since=plan.made_at))
    rows = (_move_values(job, move, steps, commits) for move in plan.moves)
    return Rows.of(_COLUMNS, rows)


def _move_values(
    job: Job, move: Move, steps: Mapping[_Place, list[Row]], commits: Mapping[_Place, list[Row]]
) -> tuple[object, ...]:
    place = (move.task_name, *partition_values(move.partition))
    state, reached = progress(move, steps.get(place, ()), commits.get(place, ()))
    return (*job, *place, move.from_offset, move.to_offset, reached, state)


def progress(move: Move, steps: Iterable[Row], commits: Iterable[Row]) -> tuple[str, int | None]:
    """How far a move has been followed, and the next offset to read since; None: the job has not started from it.

    ``steps`` of its startpoints and ``commits`` are those of its task and partition since the plan, in their order.
    """
    own = [step for step in steps if step["startpoint_value"] == str(move.to_offset)]
    status = own[-1]["status"] if own else "consumed"
    if status != "consumed":
        return status.replace("_", " "), None
    started = next((step["record_time"] for step in own if step["status"] == "fanned_out"), None)
    reached: int | None = None
    for commit in commits:
        position = commit["next_offset"]
        is_first = position == move.to_offset if started is None else commit["record_time"] >= started
        if reached is not None or is_first:
            reached = max(position, reached or 0)
    if reached is None:
        return "reading" if own else "not applied", None
    return DONE if reached >= max(move.from_offset, move.to_offset) else "reading", reached


def _by_place(rows: Iterable[Row]) -> dict[_Place, list[Row]]:
    found: dict[_Place, list[Row]] = {}
    for row in rows:
        found.setdefault((row["task_name"], *(row[name] for name in PARTITION)), []).append(row)
    return found
