"""`coordstream lag`: how far the tasks of jobs are behind their inputs, and whether that is a fault."""

from collections.abc import Callable, Iterator, Sequence
from time import sleep
from typing import Annotated, Final

import typer
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction

from coordstream.cli.arguments import InputServers, Json, Task, Utc, Watch
from coordstream.cli.job_selection import ALL_RETIRED, expected_jobs
from coordstream.cli.output import Column, print_rows, time_column, time_span
from coordstream.database import open_database
from coordstream.errors import CoordstreamError, note
from coordstream.input_system import observe_inputs
from coordstream.queries.rows import Row, fetch, grouped, input_partition
from eventlog.errors import by_cause, printable_text
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

app = typer.Typer()

_LAG: Final = sql.SQL("""
select l.* from coordinator.task_lag l
join unnest(%(names)s::text[], %(ids)s::text[]) j(job_name, job_id) using (job_name, job_id)
where %(task)s::text is null or l.task_name = %(task)s
order by job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name
""")


def behind(row: Row) -> str:
    """Records behind, and those that were lost."""
    if row["records_behind"] is None:
        return "unknown" if row["last_records_behind"] is None else f"unknown (last {row['last_records_behind']:,})"
    lost = row["records_lost"]
    return f"{row['records_behind']:,}" + (f" (data lost: {lost:,} records)" if lost else "")


def _waiting(row: Row) -> str | None:
    seconds = time_span("seconds_behind")(row)
    return f"over {seconds}" if row["is_lower_bound"] else seconds


def _rate(name: str) -> Callable[[Row], str | None]:
    """A rate per second; slow ones with two digits."""
    return lambda row: None if row[name] is None else f"{row[name] / 3_600:{',.0f' if row[name] >= 36_000 else '.2g'}}"


_COLUMNS: Final = (
    Column("job", lambda row: f"{row['job_name']}/{row['job_id']}", drop=3),
    Column("task", "task_name"),
    Column("input", input_partition),
    Column("behind", behind, "right"),
    Column("behind for", _waiting, "right"),
    Column("read/s", _rate("processed_per_hour"), "right", drop=1),
    Column("new/s", _rate("arriving_per_hour"), "right", drop=1),
    Column("caught up in", time_span("seconds_to_catch_up"), "right"),
    time_column("known", lambda row: row["last_known_at"] or row["observed_at"], drop=2),
)


@app.command()
def lag(
    jobs: Annotated[
        list[str] | None, typer.Argument(metavar="JOB", help="Names, or name/id (default: all jobs).")
    ] = None,
    task: Task = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Use the newest stored observations instead of asking the inputs.")
    ] = False,
    servers: InputServers = None,
    watch: Watch = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show how far each task is behind its inputs, and when it will have caught up.

    Asks the Kafka brokers of the inputs how far they reach, and stores the answers (relation `input_bound`).

    Without JOB, jobs whose streams are all retired are left out.

    Example: coordstream lag wordcount --watch 10s

    The exit code is 1 if the lag of a task is unknown, or if its input has deleted records that the task had not read.
    For monitors, see `job list --problems --max-lag`.
    """
    if watch is not None and as_json:
        raise typer.BadParameter("'--watch' cannot be used with '--json'.")
    if stored and servers is not None:
        raise typer.BadParameter("'--stored' cannot be used with '--input-bootstrap-servers'.")
    try:
        while True:
            with open_database() as database:
                chosen = expected_jobs(database.connection, jobs or ())
                failures = [] if stored else _observe(database.connection, chosen, servers)
                names = {"names": [job.name for job in chosen], "ids": [job.id for job in chosen]}
                rows = fetch(database.connection, _LAG, {**names, "task": task})
            print_rows(rows, _COLUMNS, title="Lag of the tasks", as_json=as_json, utc=utc)
            found = by_cause([*failures, *faults(rows, chosen, task)])
            for sentence in found if chosen else [ALL_RETIRED]:
                note(sentence)
            if watch is None:
                break
            sleep(watch)
    except KeyboardInterrupt:  # the way to end --watch
        if watch is None:
            raise
        return
    if found or (task and not chosen):
        raise typer.Exit(1)


def _observe(connection: Connection, jobs: Sequence[Job], servers: str | None) -> list[tuple[str, str]]:
    try:
        return observe_inputs(connection, jobs, system_clock, servers)
    except InsufficientPrivilege:
        raise CoordstreamError("This database user may not store observations. Use --stored.") from None
    except ReadOnlySqlTransaction:
        raise CoordstreamError("The database is read-only, so observations cannot be stored. Use --stored.") from None


def faults(rows: Sequence[Row], jobs: Sequence[Job], task: str | None) -> Iterator[tuple[str, str]]:
    """A job and a sentence for each with lost records, unknown lag, or without such a task."""
    rows_of = grouped(rows, "job_name", "job_id")
    for job in jobs:
        yield from ((str(job), sentence) for sentence in _faults_of(job, rows_of[job], task))


def _faults_of(job: Job, rows: Sequence[Row], task: str | None) -> Iterator[str]:
    if not rows:
        no_task = f"{job} has no task {printable_text(task or '')!r} with inputs. See `coordstream explain {job}`."
        yield no_task if task else f"No inputs of {job} are known: it has no assignments and no checkpoints of inputs."
    if lost := sum(row["records_lost"] or 0 for row in rows):
        yield f"{job}: data lost: {lost:,} records were deleted before a task read them."
    if unknown := sum(row["records_behind"] is None for row in rows):
        yield f"{job}: the lag of {unknown} of {len(rows)} partitions is unknown."
