"""`coordstream explain`: why a task starts where it does."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Final, NoReturn

import typer
from psycopg import sql

from coordstream.cli.arguments.options import Csv, JobWord, Json
from coordstream.cli.arguments.time import parse_time
from coordstream.cli.completion import complete_task
from coordstream.cli.database import Database, open_database
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, input_partition, print_rows, print_text, printable
from coordstream.cli.output.times import moment
from coordstream.cli.query.cut import Cut, too_early
from coordstream.cli.query.rows import PARTITION, Row, fetch, state
from coordstream.cli.startpoint.places import describe_place
from coordstream.errors import CoordstreamError
from eventlog.error_text import known_names, printable_text
from projections.job_choice import Job, find_job

app = typer.Typer()

STEPS: Final = sql.SQL("select * from coordinator.explain(%(name)s, %(id)s, %(task)s, %(at)s)")
NOT_RECORDED: Final = "host and user not recorded"
_LOGS: Final = {"coordinator": "coordinator stream", "checkpoint": "checkpoint topic"}


@app.command()
def explain(
    job: JobWord,
    task: Annotated[
        str,
        typer.Argument(metavar="TASK", help="The task's name, such as 'Partition 0'.", autocompletion=complete_task),
    ],
    as_of: Annotated[
        datetime | None,
        typer.Option("--as-of", "--at", metavar="TIME", parser=parse_time, help="Explain the state at this time."),
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Explain why a task starts where it does.

    Shows, for each input partition, what decides, what else was considered, and why it lost.
    """
    with open_database() as database:
        found = find_job(database.connection, job)
        values = {"name": found.name, "id": found.id, "task": task, "at": as_of}
        steps = fetch(database.connection, STEPS, values) or _refuse(database, found, task, Cut(as_of))
    if as_json or as_csv:
        print_list(steps, as_csv=as_csv)
        return
    partitions = [list(rows) for _, rows in groupby(steps, key=itemgetter(*PARTITION))]
    print_text(printable(f"Where {task} of {found} starts{Cut(as_of)}, and why"), bold=True)
    for rows in partitions:
        print_text(conclusion(rows))
    for rows in partitions:
        print()
        print_rows(rows, COLUMNS, title=printable(input_partition(rows[0])), as_json=False)


def conclusion(steps: Sequence[Row]) -> str:
    """Where a partition starts, what decides that, and whether the assignment had to be assumed.

    ``steps`` are the partition's rows, in their order.
    """
    partition = printable(input_partition(steps[0]))
    winner = next((step for step in steps if step["outcome"] == "wins"), None)
    if winner is None:
        return f"{partition} is not read: {_reason(steps[0])}."
    place = describe_place(winner["candidate"])
    assumed = f" Not assigned: {_reason(steps[0])}." if steps[0]["rule"] == "input" else ""
    return f"{partition} starts {place}. The {winner['rule']} decides: {_reason(winner)}.{assumed}"


def event(step: Row) -> str | None:
    """The event behind a step: its log and offset, when it was written, and by whom; None if there is none."""
    if step["log_offset"] is None:
        return None
    written = f"{moment(step['record_time'])} UTC" if step["record_time"] else "time not recorded"
    return f"{_LOGS[step['stream_kind']]} {step['log_offset']}, {written}, {writer(step)}"


def writer(step: Row) -> str:
    """User, host and source of an event; most events record none of them."""
    if step["username"] is None and step["host"] is None:
        return NOT_RECORDED
    who = f"{step['username'] or 'user not recorded'} on {step['host'] or 'host not recorded'}"
    return f"{who}, {step['source']}" if step["source"] else who


def _reason(step: Row) -> str:
    """The reason without its code, and the event behind it."""
    source, reason = event(step), step["reason"].partition(": ")[2]
    return printable(reason) if source is None else f"{printable(reason)} ({printable(source)})"


def _rule_and_candidate(step: Row) -> str:
    return str(step["rule"]) if step["candidate"] is None else f"{step['rule']}: {step['candidate']}"


COLUMNS: Final = (
    Column("", "step", "right"),
    Column("tried", _rule_and_candidate),
    Column("outcome", "outcome"),
    Column("why", "reason"),
    Column("event", event, drop=1),
)


def _refuse(database: Database, job: Job, task: str, cut: Cut) -> NoReturn:
    """Raise a CoordstreamError that lists the job's tasks."""
    if early := too_early(database.connection, job, cut):
        raise CoordstreamError(early)
    rows = state(database.connection, "task_partition", job, cut) or state(database.connection, "checkpoint", job, cut)
    tasks = sorted({row["task_name"] for row in rows})
    if not tasks:
        raise CoordstreamError(
            f"Job {job} has no assignments and no checkpoints{cut}. Without them, the input partitions of its tasks "
            "are unknown."
        )
    known = known_names("tasks", task, tasks)
    raise CoordstreamError(f'Job {job} assigns no partitions to a task "{printable_text(task)}"{cut}.{known}')
