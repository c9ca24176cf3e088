"""`coordstream job`: the jobs, whether they commit, and how far they are behind."""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Final, Literal

import typer
from psycopg import sql

from coordstream.cli.arguments import JobWord, Json, MaxCommitAge, MaxLag, Utc, count_option, job_limits
from coordstream.cli.output import Column, print_json, print_rows, time_column
from coordstream.cli.status import COLUMNS as LOG_COLUMNS
from coordstream.cli.status import TITLE as LOG_TITLE
from coordstream.cli.status import or_unknown
from coordstream.database import open_database
from coordstream.errors import note
from coordstream.queries.jobs import NO_STATE, FleetTasks, JobLimits, job_key, job_states, task_statuses, worst_first
from coordstream.queries.logs import logs_now
from coordstream.queries.rows import Cut, Row, fetch, state
from coordstream.relation_columns import RELATION_COLUMNS
from coordstream.times import duration
from projections.job_choice import NO_LOGS, find_job

app = typer.Typer()

JOBS: Final = sql.SQL("select * from coordinator.job order by job_name, job_id")
_MATCHING: Final = sql.SQL("""
select j.job_name, j.job_id from projection.current_job j
where (%(reads)s::text is null or exists (
    select from projection.task_position(j.coordinator_log, j.checkpoint_log) p
    where %(reads)s in (p.stream_name, p.system_name || '.' || p.stream_name)))
  and (%(host)s::text is null or exists (
    select from coordinator.container_host h where h.job_name = j.job_name and h.job_id = j.job_id
      and h.host_name = %(host)s))
""")
COUNT_COLUMNS: Final = (
    Column("config keys", "config_count", "right"),
    Column("tasks", "task_count", "right"),
    Column("containers", "container_count", "right"),
)


def _behind(row: Row) -> str:
    seconds = row["seconds_behind"]
    return "unknown" if seconds is None else f"{'over ' if row['is_lower_bound'] else ''}{duration(seconds)}"


LIST_COLUMNS: Final = (
    Column("job", lambda row: f"{row['job_name']}/{row['job_id']}"),
    Column("state", "state", no_wrap=True),
    time_column("last commit", "last_commit_time"),
    Column("behind", _behind, "right"),
    Column("why", "state_detail", drop=1),
    Column("logs", "log_state", drop=2),
    Column("log lag", lambda row: or_unknown(row["log_lag"]), "right", drop=5),
    Column("bad", "quarantine_open", "right", drop=3),
    Column("tasks", "task_count", "right", drop=4),
    Column("containers", "container_count", "right", drop=6),
    Column("gaps", "gap_count", "right", drop=7),
)
JOB_COLUMNS: Final = (
    time_column("last commit", "last_commit_time", drop=2),
    Column("behind", _behind, "right", drop=1),
    *COUNT_COLUMNS,
    time_column("first event", "first_record_time", drop=3),
    time_column("last event", "last_record_time"),
)
METADATA_COLUMNS: Final = (
    Column("cluster", "cluster_type"),
    Column("epoch id", "epoch_id"),
    Column("config id", "config_id"),
    Column("job model id", "job_model_id"),
    time_column("written", "record_time"),
)


Order = Literal["name", "state", "commit", "lag"]
_ORDERS: Final[dict[Order, Callable[[Row], Any]]] = {
    "name": lambda row: (row["job_name"], row["job_id"]),
    "state": worst_first,
    "commit": lambda row: -(row["commit_age_seconds"] or 0),
    "lag": lambda row: (-(row["seconds_behind"] or 0), -(row["records_behind"] or 0)),
}


@app.command("list")
def show_list(
    problems: Annotated[bool, typer.Option("--problems", help="Only those that have a problem.")] = False,
    reads: Annotated[
        str | None, typer.Option(metavar="STREAM", help="Only jobs that read this stream, or SYSTEM.STREAM.")
    ] = None,
    host: Annotated[str | None, typer.Option(metavar="HOST", help="Only jobs with a container on this host.")] = None,
    sort: Annotated[
        Order, typer.Option(help="state: problems first; commit: the longest silence first; lag: the largest first.")
    ] = "name",
    limit: Annotated[int | None, count_option(help="Show the first N only.")] = None,
    max_commit_age: MaxCommitAge = None,
    max_lag: MaxLag = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """List jobs: whether they commit, their last commit, and how far they are behind their inputs.

    A job is silent if a task has not committed, behind if its next record has waited for too long, and unknown if its
    logs are not read to their ends now. Its lag needs `follow --input-bounds`.

    For monitors: with --problems, the exit code is 1 if there is any.

    Example: coordstream job list --problems --max-commit-age 1m --sort lag
    """
    with open_database() as database:
        jobs = fetch(database.connection, JOBS)
        logs, unreachable = logs_now(database)
        limits = job_limits(max_commit_age, max_lag)
        states = job_states(database.connection, logs, FleetTasks().statuses(database.connection), limits)
        matching = {job_key(row) for row in fetch(database.connection, _MATCHING, {"reads": reads, "host": host})}
    every = _joined(jobs, states)
    chosen = [row for row in every if (reads is None and host is None) or job_key(row) in matching]
    shown = sorted((row for row in chosen if row["is_problem"] or not problems), key=_ORDERS[sort])[:limit]
    print_rows(shown, LIST_COLUMNS, title="Jobs (bad, gaps: see status)", as_json=as_json, utc=utc)
    note(unreachable or ("" if logs else NO_LOGS))
    if problems and (shown or not logs):
        raise typer.Exit(1)


def _joined(jobs: Iterable[Row], states: Iterable[Row]) -> Iterator[Row]:
    """The jobs with their states; of a job whose first log has not been read yet, nothing else is known."""
    state_of = {job_key(row): row for row in states}
    unread = state_of.keys() - {job_key(row) for row in jobs}
    yield from (job | state_of.get(job_key(job), NO_STATE) for job in jobs)
    yield from (dict.fromkeys(RELATION_COLUMNS["job"]) | state_of[job] for job in sorted(unread))


@app.command()
def show(job: JobWord, utc: Utc = False, as_json: Json = False) -> None:
    """Show a job: its logs and their states, counts, and the metadata of its coordinator.

    Example: coordstream job show wordcount
    """
    with open_database() as database:
        found = find_job(database.connection, job)
        tasks = task_statuses(database.connection, found)
        # several rows if the config on several streams has this name
        rows = state(database.connection, "job", found, Cut())
        metadata = state(database.connection, "job_coordinator_metadata", found, Cut())
        every_log, unreachable = logs_now(database)
        logs = [log for log in every_log if job_key(log) == found]
        states = job_states(database.connection, logs, tasks, JobLimits())
    rows = list(_joined(rows, states))
    rows.sort(key=lambda row: str(row["coordinator_stream"]))
    if as_json:
        print_json([row | {"logs": logs, "metadata": metadata} for row in rows])
    else:
        shown = ": ".join(filter(None, [rows[0]["state"], rows[0]["state_detail"]]))
        print_rows(rows, JOB_COLUMNS, title=f"Job {found}, {shown}", utc=utc)
        print()
        print_rows(logs, LOG_COLUMNS, title=LOG_TITLE, utc=utc)
        print()
        print_rows(metadata, METADATA_COLUMNS, title="Job coordinator", utc=utc)
    note(unreachable)
