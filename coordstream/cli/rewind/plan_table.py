"""Prints the plan of a rewind: a table, rows for programs, and warnings."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import humanize

from coordstream.cli.job.startpoint_job import StartpointJob
from coordstream.cli.output import Column, print_rows
from coordstream.queries.rows import Row, input_partition
from eventlog.errors import list_names
from managers.rewind.rewind_plan import Finding, RewindPlan

MOST_LISTED: Final = 3
_FINDINGS: Final[dict[Finding, str]] = {
    "before_oldest": "The target is before the oldest record, which is used instead: {}.",
    "beyond_end": "The target is beyond the end, which is used instead: {}.",
    "skips_everything": "Skips everything that is not read yet: {}.",
}


def plan_rows(plan: RewindPlan) -> list[Row]:
    """A row for each task and partition, with the names of `Move` as columns."""
    named = {"job_name": plan.job_name, "job_id": plan.job_id}
    return [{**named, **move.model_dump(mode="json"), "stores": ",".join(move.stores)} for move in plan.moves]


def print_plan(plan: RewindPlan) -> None:
    """Print the plan as a table, with a line of totals."""
    title = f"Rewind of {plan.job_word} to {plan.target}"
    print_rows(plan_rows(plan), _COLUMNS, title=title, as_json=False)
    print(_totals(plan))


def plan_warnings(plan: RewindPlan, found: StartpointJob) -> Iterator[str]:
    """What an operator should know before applying the plan, as sentences."""
    for finding, sentence in _FINDINGS.items():
        if places := [str(move) for move in plan.moves if move.finding == finding]:
            yield sentence.format(list_names(places, MOST_LISTED))
    if stores := sorted({store for move in plan.moves for store in move.stores}):
        tasks = sorted({move.task_name for move in plan.moves if move.stores})
        yield (
            f"The contents of {list_names(stores, MOST_LISTED)} stay as they are, and will not match the new position "
            f"of {list_names(tasks, MOST_LISTED)}."
        )
    yield from found.warnings()


def _totals(plan: RewindPlan) -> str:
    again, skipped = (sum(getattr(move, name) for move in plan.moves) for name in ("records_again", "records_skipped"))
    is_counted = all(move.is_counted for move in plan.moves)
    size = f", {humanize.naturalsize(sum(move.bytes or 0 for move in plan.moves))}" if is_counted else ""
    about = "" if is_counted else "at most "
    longest = max((move.seconds_to_catch_up or 0 for move in plan.moves), default=0)
    until = f" The slowest task catches up in {timedelta(seconds=longest)}." if longest else ""
    return f"Together {about}{again:,} records to read again and {about}{skipped:,} to skip{size}.{until}"


def _records(name: str, row: Row) -> str | None:
    if not row[name]:
        return None
    return f"{row[name]:,}" if row["is_counted"] else f"at most {row[name]:,}"


def _catch_up(row: Row) -> str | None:
    seconds = row["seconds_to_catch_up"]
    return None if seconds is None else str(timedelta(seconds=seconds))


_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input", input_partition),
    Column("from", "from_offset", "right"),
    Column("to", "to_offset", "right"),
    Column("read again", lambda row: _records("records_again", row), "right"),
    Column("skipped", lambda row: _records("records_skipped", row), "right"),
    Column("bytes", "bytes", "right", drop=2),
    Column("caught up in", _catch_up, "right", drop=1),
    Column("stores that differ", lambda row: row["stores"] or None, drop=3),
    Column("note", lambda row: None if row["finding"] is None else row["finding"].replace("_", " "), drop=4),
)
