"""`coordstream explain`: why a task starts where it does."""

from datetime import datetime
from typing import Annotated, Final, NoReturn

import typer

from coordstream.cli.arguments import AsOf, JobWord, Json
from coordstream.cli.output import Column, print_json, print_rows, print_text
from coordstream.database import open_job
from coordstream.errors import CoordstreamError
from coordstream.queries.explain import event, explain_task, explained, next_start
from coordstream.queries.rows import Cut, Row, input_partition, printable, state, task_and_partition
from coordstream.queries.tasks import start
from eventlog.errors import known_names, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

app = typer.Typer()


@app.command()
def explain(
    job: JobWord,
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="The task's name, such as 'Partition 0' (default: all).")
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Explain why a task starts where it does.

    Shows, for each input partition, what decides, what else was considered, and why it lost. Without TASK, it shows
    what the job would read again or skip if it started now.

    Example: coordstream explain wordcount 'Partition 0' --as-of '2 hours ago'
    """
    if task is None:
        _explain_job(job, as_of, as_json=as_json)
        return
    with open_job(job, Cut(as_of)) as (connection, found):
        steps = explain_task(connection, found, task, as_of) or _refuse(connection, found, task, Cut(as_of))
    if as_json:
        print_json(steps)
        return
    partitions = explained(steps)
    print_text(printable(f"Where {task} of {found} starts{Cut(as_of)}, and why"), bold=True)
    for sentence, _ in partitions:
        print_text(sentence)
    for _, rows in partitions:
        print()
        print_rows(rows, COLUMNS, title=printable(input_partition(rows[0])))


def _explain_job(job: str, as_of: datetime | None, *, as_json: bool) -> None:
    with open_job(job, Cut(as_of)) as (connection, found):
        rows = next_start(connection, found, as_of)
    rows.sort(key=task_and_partition)
    title = f"Where the tasks of {found} start{Cut(as_of)}, and what they read again or skip"
    print_rows(rows, START_COLUMNS, title=title, as_json=as_json)


def _rule_and_candidate(step: Row) -> str:
    return str(step["rule"]) if step["candidate"] is None else f"{step['rule']}: {step['candidate']}"


def _ignored(row: Row) -> str | None:
    """The candidate that does not decide, and why."""
    reason = row["ignored_reason"]
    if reason in ("startpoint", "reset"):
        return f"checkpoint ({reason} decides)"
    return reason and f"startpoint ({reason})"


START_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("starts at", start),
    Column("now at", "next_offset", "right"),
    Column("again", "records_again", "right"),
    Column("skipped", "records_skipped", "right"),
    Column("ignored", _ignored, drop=1),
)
COLUMNS: Final = (
    Column("", "step", "right"),
    Column("tried", _rule_and_candidate),
    Column("outcome", "outcome"),
    Column("why", "reason"),
    Column("event", event, drop=1),
)


def _refuse(connection: Connection, job: Job, task: str, cut: Cut) -> NoReturn:
    """Raise a CoordstreamError that lists the job's tasks."""
    rows = state(connection, "task_partition", job, cut) or state(connection, "checkpoint", job, cut)
    tasks = sorted({row["task_name"] for row in rows})
    if not tasks:
        raise CoordstreamError(
            f"Job {job} has no assignments and no checkpoints{cut}. Without them, the input partitions of its tasks "
            "are unknown."
        )
    known = known_names("tasks", task, tasks)
    raise CoordstreamError(f'Job {job} assigns no partitions to a task "{printable_text(task)}"{cut}.{known}')
