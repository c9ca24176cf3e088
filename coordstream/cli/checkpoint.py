"""`coordstream checkpoint`: the tasks' checkpoints, now and before, and writing others."""

from collections.abc import Iterable
from typing import Annotated, Final

import typer

from coordstream.cli.checkpoint_write import write
from coordstream.cli.cut import Cut
from coordstream.cli.database import open_database
from coordstream.cli.jobs import find_job
from coordstream.cli.nothing_found import note, too_early
from coordstream.cli.options import AsOf, AsOfOffset, JobWord, Json, Newest, Task, Utc
from coordstream.cli.rows import Row, history, state
from coordstream.cli.tables import Column, input_partition, print_rows, time_column
from coordstream.errors import CoordstreamError
from eventlog.did_you_mean import did_you_mean

app = typer.Typer(no_args_is_help=True)
app.command()(write)

STATE_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("processed up to", "input_offset", "right"),
    Column("version", "checkpoint_version", "right"),
    time_column("written at", "record_time"),
    Column("log offset", "log_offset", "right"),
)
HISTORY_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    time_column("written at", "record_time"),
    Column("task", "task_name"),
    Column("input partition", lambda row: "(deleted)" if row["operation"] == "delete" else input_partition(row)),
    Column("processed", "input_offset", "right"),
    Column("version", "checkpoint_version", "right"),
    Column("counts", "is_preferred"),
)


@app.command()
def show(
    job: JobWord,
    task: Task = None,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show the checkpoint that each task would start from: the last offset of each input that it has processed."""
    cut = Cut.of(as_of, as_of_offset)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        rows = _of_task(state(database.connection, "checkpoint", found, cut), task, str(found))
    ordered = sorted(rows, key=_by_task)
    print_rows(ordered, STATE_COLUMNS, title=f"Checkpoints of {found}{cut}", as_json=as_json, utc=utc)


@app.command("history")
def show_history(
    job: JobWord,
    task: Task = None,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    preferred: Annotated[
        bool, typer.Option("--preferred", help="Only what Samza would read: each commit once, not in each version.")
    ] = False,
    limit: Newest = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show every checkpoint that was written, a row an input partition."""
    cut = Cut.of(as_of, as_of_offset)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        rows = _of_task(history(database.connection, "checkpoint_history", found, cut, None), task, str(found))
    shown = sorted((row for row in rows if row["is_preferred"] or not preferred), key=_by_event)
    title = f"Checkpoint history of {found}{cut}"
    print_rows(shown[-limit:] if limit else shown, HISTORY_COLUMNS, title=title, as_json=as_json, utc=utc)


def _of_task(rows: Iterable[Row], task: str | None, job: str) -> list[Row]:
    known = list(rows)
    chosen = [row for row in known if task in (None, row["task_name"])]
    if known and not chosen:
        tasks = sorted({str(row["task_name"]) for row in known})
        meant = did_you_mean(str(task), tasks)
        raise CoordstreamError(
            f"job {job} has no checkpoint of a task {task!r} there: it has {', '.join(tasks[:10])}.{meant}"
        )
    return chosen


def _by_event(row: Row) -> tuple[str, int, int, str, str, int]:
    """A deleted or empty checkpoint is one row, without a partition."""
    partition = row["system_name"] or "", row["stream_name"] or "", row["partition_id"] or 0
    return row["stream_kind"], row["incarnation"], row["log_offset"], *partition


def _by_task(row: Row) -> tuple[str, str, str, int]:
    return row["task_name"], row["system_name"], row["stream_name"], row["partition_id"]
