"""`coordstream task`: where a job's tasks run, what they read, how far they are, where they would start."""

from typing import Annotated, Final

import typer

from coordstream.cli.arguments.options import AsOf, Csv, JobWord, Json, Utc
from coordstream.cli.completion import complete_task
from coordstream.cli.database import open_database
from coordstream.cli.job.lookup import Job, find_job
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, input_partition, print_rows, time_column
from coordstream.cli.query.cut import Cut
from coordstream.cli.query.empty_result import note, too_early
from coordstream.cli.query.rows import Row, state
from coordstream.cli.startpoint.show import place_to_start
from coordstream.cli.task_facts import Relations, partition_rows, task_rows
from coordstream.errors import CoordstreamError
from eventlog.error_text import did_you_mean
from eventlog.postgres.connection import Connection

app = typer.Typer(no_args_is_help=True)

OneTask = Annotated[
    str | None,
    typer.Argument(
        metavar="[TASK]", help="Its name; none: all tasks, without partitions.", autocompletion=complete_task
    ),
]
OF_TASKS: Final = (
    "task_container",
    "container_host",
    "container_execution",
    "task_mode",
    "changelog_mapping",
    "task_partition",
    "checkpoint",
)
TASK_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("container", "container_id"),
    Column("host", "host_name"),
    time_column("checkpoint", "checkpoint_time", drop=1),
    Column("partitions", "partition_count", "right", drop=2),
    Column("mode", "task_mode", drop=3),
    Column("changelog", "changelog_partition", "right", drop=4),
)
EXECUTION_COLUMN: Final = Column("cluster's container", "execution_container_id", drop=5)


def start(row: Row) -> str | None:
    """Where a task would start a partition, and by which rule, such as ``20 (checkpoint)``."""
    if row["decided_by"] is None:
        return None
    place = f"after {row['input_offset']}" if row["startpoint_type"] is None else place_to_start(row)
    return f"{row['starting_offset'] or place} ({row['decided_by']})"


PARTITION_COLUMNS: Final = (
    Column("input partition", input_partition),
    Column("would start at", start),
    Column("processed up to", "input_offset", "right"),
    time_column("checkpoint", "checkpoint_time", drop=1),
    Column("ignored", "ignored_reason", drop=2),
    Column("version", "checkpoint_version", "right", drop=3),
)


@app.callback()
def task() -> None:
    """A job's tasks: where they run, what they read, where they would start."""


@app.command()
def show(
    job: JobWord,
    task: OneTask = None,
    as_of: AsOf = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show each task's container, host, mode, changelog partition and checkpoint; of one task also its partitions."""
    cut = Cut(as_of)
    with open_database() as database:
        found = find_job(database.connection, job)
        early = too_early(database.connection, found, cut)
        relations = {name: state(database.connection, name, found, cut) for name in OF_TASKS}
        rows = [{"job_name": found.name, "job_id": found.id, **row} for row in task_rows(relations)]
        if task is not None:
            rows = [_named(rows, task, f"{found}{cut}", early)]
            rows[0]["partitions"] = _partitions(database.connection, found, task, cut, relations)
    note(early)
    if as_json or as_csv:
        print_list(rows, as_csv=as_csv)
        return
    columns = TASK_COLUMNS if task is None else (*TASK_COLUMNS, EXECUTION_COLUMN)
    print_rows(rows, columns, title=f"Tasks of {found}{cut}", as_json=False, utc=utc)
    if task is not None:
        print()
        print_rows(rows[0]["partitions"], PARTITION_COLUMNS, title=f"Partitions of {task}", as_json=False, utc=utc)


def _partitions(connection: Connection, job: Job, task: str, cut: Cut, relations: Relations) -> list[Row]:
    starts = state(connection, "starting_offset", job, cut)
    return partition_rows({**relations, "starting_offset": starts}, task)


def _named(rows: list[Row], task: str, job: str, early: str) -> Row:
    for row in rows:
        if row["task_name"] == task:
            return row
    if early:
        raise CoordstreamError(early)
    names = ", ".join(str(row["task_name"]) for row in rows[:10]) or "none"
    meant = did_you_mean(task, [row["task_name"] for row in rows])
    raise CoordstreamError(f"job {job} has no task {task!r}: it has {names}.{meant}")
