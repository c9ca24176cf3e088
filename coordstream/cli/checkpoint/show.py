"""`coordstream checkpoint`: the tasks' checkpoints, now and before."""

from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments import (
    AsOf,
    AsOfOffset,
    Csv,
    JobWord,
    Json,
    Newest,
    Since,
    Task,
    Until,
    Utc,
    cut_of,
)
from coordstream.cli.output import Column, exact_time_column, print_rows, time_column
from coordstream.cli.verbs import Verb
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.messages import note
from coordstream.queries.cut import too_early
from coordstream.queries.history import History, open_history
from coordstream.queries.rows import PARTITION, input_partition, state, task_and_partition
from eventlog.errors import known_names, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job, find_job

app = typer.Typer(no_args_is_help=True)
VERBS: Final = (Verb("write", "checkpoint.write", "write"),)

STATE_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("processed up to", "input_offset", "right"),
    time_column("written at", "record_time", drop=1),
    Column("version", "checkpoint_version", "right", drop=3),
    Column("log offset", "log_offset", "right", drop=2),
)
HISTORY_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    exact_time_column("written at", "record_time"),
    Column("task", "task_name"),
    Column("input partition", lambda row: "(deleted)" if row["operation"] == "delete" else input_partition(row)),
    Column("processed", "input_offset", "right"),
    Column("version", "checkpoint_version", "right", drop=1),
    Column("counts", "is_preferred", drop=2),
)
COMMITS: Final = sql.Identifier("projection", "commit")
_TASKS: Final = """
select distinct k.message_key from projection.job_log j join projection.event_key k using (log_id)
where j.job_name = %s and j.job_id = %s and k.checkpoint_version is not null and not k.is_other
"""


@app.command()
def show(
    job: JobWord,
    task: Task = None,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show the checkpoint of each task: the last processed offset of each input partition."""
    cut = cut_of(as_of, as_of_offset)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        require_task(database.connection, found, task)
        rows = state(database.connection, "checkpoint", found, cut, task_name=task)
    rows.sort(key=task_and_partition)
    print_rows(rows, STATE_COLUMNS, title=f"Checkpoints of {found}{cut}", as_json=as_json, as_csv=as_csv, utc=utc)


@app.command("history")
def show_history(
    job: JobWord,
    task: Task = None,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    since: Since = None,
    until: Until = None,
    preferred: Annotated[
        bool, typer.Option("--preferred", help="Show each commit once, in the version that Samza reads.")
    ] = False,
    limit: Newest = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show every written checkpoint, with a row per input partition.

    --limit counts checkpoints, not rows.
    """
    cut = cut_of(as_of, as_of_offset)
    equal = {"task_name": task, "is_preferred": preferred or None}
    history = History("checkpoint_history", COMMITS, PARTITION, None, cut, since, until, limit, equal)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        require_task(database.connection, found, task)
        title = f"Checkpoint history of {found}{cut}"
        with open_history(database.connection, found, history) as rows:
            print_rows(rows, HISTORY_COLUMNS, title=title, as_json=as_json, as_csv=as_csv, utc=utc)


def require_task(connection: Connection, job: Job, task: str | None) -> None:
    """Raise CoordstreamError if the job has never written a checkpoint of the task; None is any task."""
    if task is None:
        return
    names = sorted(str(name) for (name,) in connection.execute(_TASKS, job).fetchall())
    if task not in names:
        known = known_names("tasks", task, names)
        raise CoordstreamError(f'Job {job} has no checkpoint of a task "{printable_text(task)}".{known}')
