"""What a rewind writes, what undoes it, and whether a job has followed it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from psycopg import sql

from coordstream.cli.change import Change
from coordstream.cli.checkpoint import checkpoint_tool
from coordstream.cli.output import counted
from coordstream.cli.startpoint_plan import StartpointJob
from coordstream.queries.rows import PARTITION, Row, Rows, fetch, job_values, partition_values
from coordstream.queries.startpoints import startpoint_steps
from eventlog.log import EventLog, system_clock
from eventlog.postgres.connection import Connection
from eventlog.timestamps import ms_of
from eventlog.wire.startpoints import encode_startpoint
from managers.rewind.rewind_plan import Move, RewindError, RewindPlan, require_followed
from managers.rewind.rewind_undo import UndoFile, offsets_of, requests_of, undone_offsets, undone_requests
from managers.startpoints.next_starts import next_starts
from managers.startpoints.startpoint_records import STARTPOINTS_ENABLED, startpoints_enabled
from projections.job_choice import Job


@contextmanager
def requests_to_write(found: StartpointJob, given: RewindPlan, undo_path: Path) -> Iterator[Change]:
    """The startpoint requests of a plan. Raises `RewindError` if the job would not follow them."""
    facts, now_ms = found.facts, ms_of(system_clock())
    if not startpoints_enabled(facts.job.config):
        raise RewindError(
            f"The job ignores startpoints: {STARTPOINTS_ENABLED} is not true. Stop it, and use --checkpoints."
        )
    requests = requests_of(given, facts.reads(), now_ms)
    starts = next_starts(facts, found.checkpoints, {**facts.requests, **requests}, now_ms)
    require_followed(given, starts, "startpoint")
    before = {text: found.stored[text].decode() if text in found.stored else None for text in requests}
    yield Change(
        log=found.log,
        question=f"Write {counted(len(requests), 'startpoint')}?",
        done=found.requested(len(requests), now_ms),
        write=lambda: found.change_requests({text: encode_startpoint(each) for text, each in requests.items()}),
        warnings=found.request_warnings(),
        undo=(undo_path, UndoFile(plan=given, log_offset=facts.log_offset, created_ms=now_ms, requests=before)),
    )


@contextmanager
def checkpoints_to_write(found: StartpointJob, given: RewindPlan, undo_path: Path, *, force: bool) -> Iterator[Change]:
    """The checkpoints of a plan. Raises `RewindError` or CoordstreamError if the job runs or would not follow them."""
    with checkpoint_tool(found.logs, found.facts.job) as tool:
        if not force:
            tool.require_stopped()
        now_ms, current, targets = ms_of(system_clock()), tool.current_inputs(), offsets_of(given)
        after = {task_name: {**current.get(task_name, {}), **offsets} for task_name, offsets in targets.items()}
        starts = next_starts(found.facts, {**found.checkpoints, **after}, found.facts.requests, now_ms)
        require_followed(given, starts, "checkpoint")
        before = {task_name: tuple(sorted(current.get(task_name, {}).items())) for task_name in targets}
        undo = UndoFile(plan=given, log_offset=tool.log.end_offset(), created_ms=now_ms, checkpoints=before)
        planned = tool.plan(targets, any_task=True)
        checkpoints = counted(len(planned), "checkpoint")
        yield Change(
            log=tool.log,
            question=f"Write {checkpoints}?",
            done=f"{checkpoints} written. {found.job} starts there.",
            write=lambda: tool.write(planned),
            undo=(undo_path, undo),
        )


@contextmanager
def requests_to_undo(found: StartpointJob, saved: UndoFile, undo_path: Path, *, force: bool) -> Iterator[Change]:
    """What undoes startpoint requests. Raises as `undone_requests`."""
    undone = undone_requests(saved, found.log, ms_of(system_clock()), force=force)
    written = sum(value is not None for value in undone.values())
    counts = {"deleted": len(undone) - written, "written": written}
    words = ", ".join(f"{counted(count, 'startpoint')} {verb}" for verb, count in counts.items() if count)
    yield _undo(found, undo_path, found.log, len(undone), words, lambda: found.change_requests(undone))


@contextmanager
def checkpoints_to_undo(found: StartpointJob, saved: UndoFile, undo_path: Path, *, force: bool) -> Iterator[Change]:
    """What undoes checkpoints. Raises as `undone_offsets`, and CoordstreamError if the job appears to be running."""
    with checkpoint_tool(found.logs, found.facts.job) as tool:
        has_others = any(commit.task_name not in saved.checkpoints for commit in tool.commits(saved.log_offset))
        if has_others and not force:  # those of the rewind's tasks are compared instead
            tool.require_stopped()
        offsets = undone_offsets(saved, tool.current_inputs(), force=force)
        planned = tool.plan(offsets, replace=True, any_task=True)
        words = f"{counted(len(offsets), 'checkpoint')} restored"
        yield _undo(found, undo_path, tool.log, len(offsets), words, lambda: tool.write(planned))


def _undo(
    found: StartpointJob, undo_path: Path, log: EventLog, count: int, words: str, write: Callable[[], object]
) -> Change:
    return Change(
        log=log,
        question=f"Undo the rewind ({words})?" if count else "",
        done=f"Undone: {words}." if count else "Nothing to write: the rewind is undone.",
        write=write,
        rows=Rows.of(("job_name", "job_id", "undo_file", "written"), [(*found.job, str(undo_path), count)]),
    )


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
