"""What a rewind writes, what undoes it, and whether a job has followed it."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import Final

from psycopg import sql

from coordstream.cli.change import Change
from coordstream.cli.output import counted
from coordstream.cli.startpoint_plan import StartpointJob
from coordstream.queries.rows import PARTITION, Row, fetch, grouped, job_values, partition_values, rows_of
from coordstream.queries.startpoints import startpoint_steps
from eventlog.postgres.connection import Connection
from eventlog.timestamps import current_ms
from managers.rewind.rewind_plan import Move, RewindError, RewindPlan, require_followed
from managers.rewind.rewind_undo import UndoFile, requests_of, undone_requests
from managers.startpoints.next_starts import next_starts
from managers.startpoints.startpoint_records import STARTPOINTS_ENABLED, startpoints_enabled
from managers.startpoints.startpoint_request import write_unless_changed
from projections.job_choice import Job


def requests_to_write(found: StartpointJob, given: RewindPlan, undo_path: Path) -> Change:
    """The startpoint requests of a plan. Raises `RewindError` if the job would not follow them."""
    facts, now_ms = found.facts, current_ms()
    if not startpoints_enabled(facts.job.config):
        raise RewindError(
            f"The job ignores startpoints: {STARTPOINTS_ENABLED} is not true. Stop it, and use `coordstream checkpoint "
            "write`."
        )
    requests = requests_of(given, facts.reads(), now_ms)
    starts = next_starts(facts, found.checkpoints, {**facts.requests, **requests}, now_ms)
    require_followed(given, starts)
    before = {text: found.stored[text].decode() if text in found.stored else None for text in requests}
    undo = UndoFile(plan=given, log_offset=facts.log_offset, created_ms=now_ms, requests=before)
    return replace(found.change_to(requests, now_ms), undo=(undo_path, undo))


def requests_to_undo(found: StartpointJob, saved: UndoFile, undo_path: Path, *, force: bool) -> Change:
    """What undoes startpoint requests. Raises as `undone_requests`."""
    undone = undone_requests(saved, found.log, current_ms(), force=force)
    written = sum(value is not None for value in undone.values())
    counts = {"deleted": len(undone) - written, "written": written}
    words = ", ".join(f"{counted(count, 'startpoint')} {verb}" for verb, count in counts.items() if count)
    return Change(
        log=found.log,
        question=f"Undo the rewind ({words})?" if undone else "",
        done=f"Undone: {words}." if undone else "Nothing to write: the rewind is undone.",
        write=lambda: write_unless_changed(found.store, found.stored, undone),
        rows=rows_of(("job_name", "job_id", "undo_file", "written"), [(*found.job, str(undo_path), len(undone))]),
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


def check_rows(connection: Connection, job: Job, plan: RewindPlan) -> list[Row]:
    """A row for each move of a plan, with how far the job has followed it.

    ``state`` is ``not applied``, a status of ``startpoint_history`` until the startpoint is consumed, then ``reading``
    or, once a checkpoint has reached both offsets, ``done``. ``reached_offset`` is the next offset to read.
    """
    tasks = sorted({move.task_name for move in plan.moves})
    committed = fetch(connection, _COMMITS, {**job_values(job), "since": plan.made_at, "tasks": tasks})
    stepped = startpoint_steps(connection, job, None, since=plan.made_at)
    commits, steps = (grouped(each, "task_name", *PARTITION) for each in (committed, stepped))
    rows = []
    for move in plan.moves:
        place = (move.task_name, *partition_values(move.partition))
        state, reached = progress(move, steps[place], commits[place])
        rows.append((*job, *place, move.from_offset, move.to_offset, reached, state))
    return rows_of(_COLUMNS, rows)


def progress(move: Move, steps: Iterable[Row], commits: Iterable[Row]) -> tuple[str, int | None]:
    """How far a move has been followed, and the next offset to read since; None: the job has not started from it.

    ``steps`` of its startpoints and ``commits`` are those of its task and partition since the plan, in their order.
    """
    own = [step for step in steps if step["startpoint_value"] == str(move.to_offset)]
    if own and own[-1]["status"] != "consumed":
        return own[-1]["status"].replace("_", " "), None
    started = next((step["record_time"] for step in own if step["status"] == "fanned_out"), None)

    def is_before(commit: Row) -> bool:
        return bool(commit["next_offset"] != move.to_offset if started is None else commit["record_time"] < started)

    reached = max((commit["next_offset"] for commit in dropwhile(is_before, commits)), default=None)
    if reached is None:
        return "reading" if own else "not applied", None
    return DONE if reached >= max(move.from_offset, move.to_offset) else "reading", reached
