"""Whether a job has followed a rewind: the steps of its startpoints, and its checkpoints since the plan was made."""

from collections.abc import Iterable, Mapping
from typing import Final

from psycopg import sql

from coordstream.queries.rows import PARTITION, Row, Rows, fetch, job_values, partition_values
from coordstream.queries.startpoints import startpoint_steps
from eventlog.postgres.connection import Connection
from managers.rewind.rewind_plan import Move, RewindPlan
from projections.job_choice import Job

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
