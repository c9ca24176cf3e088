"""`coordstream explain`: why a task starts where it does."""

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
from coordstream.cli.explanation import event, sentence
from coordstream.cli.job.lookup import Job, find_job
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, input_partition, print_rows, print_text, printable
from coordstream.cli.query.cut import Cut
from coordstream.cli.query.empty_result import too_early
from coordstream.cli.query.rows import Row, fetch, state
from coordstream.errors import CoordstreamError
from eventlog.error_text import did_you_mean

app = typer.Typer()

PARTITION: Final = ("system_name", "stream_name", "partition_id", "key_bucket")
STEPS: Final = sql.SQL("select * from coordinator.explain(%(name)s, %(id)s, %(task)s, %(at)s)")


def tried(step: Row) -> str:
    """A rule, and what it would start from."""
    return str(step["rule"]) if step["candidate"] is None else f"{step['rule']}: {step['candidate']}"


COLUMNS: Final = (
    Column("", "step", "right"),
    Column("tried", tried),
    Column("outcome", "outcome"),
    Column("why", "reason"),
    Column("event", event, drop=1),
)


@app.command()
def explain(
    job: JobWord,
    task: Annotated[
        str,
        typer.Argument(metavar="TASK", help="The task's name, such as 'Partition 0'.", autocompletion=complete_task),
    ],
    as_of: Annotated[
        datetime | None,
        typer.Option("--as-of", "--at", metavar="TIME", parser=parse_time, help="As it was at this time, not now."),
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Say why a task starts where it does: what decides each partition, what else was tried, and why it lost."""
    with open_database() as database:
        found = find_job(database.connection, job)
        values = {"name": found.name, "id": found.id, "task": task, "at": as_of}
        steps = fetch(database.connection, STEPS, values) or _refuse(database, found, task, Cut(as_of))
    if as_json or as_csv:
        print_list(steps, as_csv=as_csv)
        return
    _print(steps, f"Where {task} of {found} starts{Cut(as_of)}, and why")


def _print(steps: list[Row], title: str) -> None:
    partitions = [list(rows) for _, rows in groupby(steps, key=itemgetter(*PARTITION))]
    print_text(printable(title), bold=True)
    for rows in partitions:
        print_text(sentence(rows))
    for rows in partitions:
        print()
        print_rows(rows, COLUMNS, title=printable(input_partition(rows[0])), as_json=False)


def _refuse(database: Database, job: Job, task: str, cut: Cut) -> NoReturn:
    """Raise CoordstreamError, which says what tasks the job has."""
    rows = state(database.connection, "task_partition", job, cut) or state(database.connection, "checkpoint", job, cut)
    tasks = sorted({row["task_name"] for row in rows})
    if early := too_early(database.connection, job, cut):
        raise CoordstreamError(early)
    if not tasks:
        raise CoordstreamError(
            f"job {job} has neither assignments nor checkpoints{cut}, so it is not known which partitions its tasks "
            "read: nothing can be explained."
        )
    listed = ", ".join(tasks[:10]) + (f" and {len(tasks) - 10} more" if len(tasks) > 10 else "")
    meant = did_you_mean(task, tasks)
    raise CoordstreamError(f"job {job} assigns no partition to a task {task!r}{cut}: it has {listed}.{meant}")
