"""`coordstream lag`: how far the tasks of jobs are behind their inputs, and whether that is a fault."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from time import sleep
from typing import Annotated, Final

import typer
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction

from coordstream.cli.arguments import Csv, InputServers, Json, Utc, complete_job, parse_duration, parse_limit
from coordstream.cli.input_system import input_options, observe_inputs, read_input_config
from coordstream.cli.job_selection import ALL_RETIRED, expected_jobs
from coordstream.cli.output import Column, print_rows, time_column
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.messages import note
from coordstream.queries.rows import Row, Rows, fetch, input_partition
from eventlog.errors import EventLogError, printable_text
from eventlog.kafka.consumer_groups import GroupPartition
from eventlog.kafka.options import KafkaOptions
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

app = typer.Typer()

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_LAG: Final = sql.SQL("""
select l.* from coordinator.task_lag l
join unnest(%(names)s::text[], %(ids)s::text[]) j(job_name, job_id) using (job_name, job_id)
where %(task)s::text is null or l.task_name = %(task)s
order by job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name
""")


def behind(row: Row) -> str:
    """Records behind, and those that were lost."""
    if row["records_behind"] is None:
        return "unknown"
    lost = row["records_lost"]
    return f"{row['records_behind']:,}" + (f" (data lost: {lost:,} records)" if lost else "")


def _seconds(name: str) -> Callable[[Row], str | None]:
    return lambda row: None if row[name] is None else str(timedelta(seconds=row[name]))


_COLUMNS: Final = (
    Column("job", lambda row: f"{row['job_name']}/{row['job_id']}", drop=3),
    Column("task", "task_name"),
    Column("input", input_partition),
    Column("behind", behind, "right"),
    Column("for", _seconds("seconds_behind"), "right"),
    Column("read/s", "processed_per_second", "right", drop=1),
    Column("new/s", "arriving_per_second", "right", drop=1),
    Column("caught up in", _seconds("seconds_to_catch_up"), "right"),
    time_column("observed", "observed_at", drop=2),
)


@app.command()
def lag(
    jobs: Annotated[
        list[str] | None,
        typer.Argument(metavar="JOB", help="Names, or name/id (default: all jobs).", autocompletion=complete_job),
    ] = None,
    task: Annotated[str | None, typer.Option("--task", metavar="TASK", help="Show this task only.")] = None,
    max_lag: Annotated[
        int | None,
        typer.Option(metavar="RECORDS", parser=parse_limit, help="Exit with 1 if a task is further behind."),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Use the newest stored observations instead of asking the inputs.")
    ] = False,
    record_times: Annotated[
        bool,
        typer.Option("--record-times", help='Read the next record of each partition: "for" is then its age.'),
    ] = False,
    servers: InputServers = None,
    watch: Annotated[
        float | None,
        typer.Option("--watch", metavar="DURATION", parser=parse_duration, help="Repeat this often, until Ctrl-C."),
    ] = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show how far each task is behind its inputs, and when it will have caught up.

    Asks the Kafka brokers of the inputs how far they reach, and stores the answers (relation `input_bound`).

    Without JOB, jobs whose streams are all retired are left out.

    Example: coordstream lag wordcount --watch 10s

    For monitors: the exit code is 1 if the lag of a task is unknown, or if its input has deleted records that the task
    had not read.
    """
    while True:
        with open_database() as database:
            chosen = expected_jobs(database.connection, jobs or ())
            failures = [] if stored else _observe(database.connection, chosen, servers)
            rows = _rows(database.connection, chosen, task)
            if record_times:
                rows.columns = [*rows.columns, "next_record_time"]
                failures += add_record_times(database.connection, rows, servers)
        print_rows(rows, _COLUMNS, title="Lag of the tasks", as_json=as_json, as_csv=as_csv, utc=utc)
        found = [*failures, *faults(rows, chosen, task, max_lag)]
        for sentence in found if chosen else [ALL_RETIRED]:
            note(sentence)
        if watch is None:
            break
        try:
            sleep(watch)
        except KeyboardInterrupt:  # the way to end it
            return
    if found or (task and not chosen):
        raise typer.Exit(1)


def _observe(connection: Connection, jobs: Sequence[Job], servers: str | None) -> list[str]:
    try:
        return observe_inputs(connection, jobs, system_clock, servers)
    except InsufficientPrivilege:
        raise CoordstreamError("This database user may not store observations. Use --stored.") from None
    except ReadOnlySqlTransaction:
        raise CoordstreamError("The database is read-only, so observations cannot be stored. Use --stored.") from None


def _rows(connection: Connection, jobs: Sequence[Job], task: str | None) -> Rows:
    values = {"names": [job.name for job in jobs], "ids": [job.id for job in jobs], "task": task}
    return fetch(connection, _LAG, values)


def faults(rows: Sequence[Row], jobs: Sequence[Job], task: str | None, max_lag: int | None) -> list[str]:
    """A sentence for each job with lost records, unknown lag, a lag over the limit, or without such a task."""
    return [sentence for job in jobs for sentence in _faults_of(job, _rows_of(rows, job), task, max_lag)]


def _rows_of(rows: Sequence[Row], job: Job) -> list[Row]:
    return [row for row in rows if (row["job_name"], row["job_id"]) == tuple(job)]


def _faults_of(job: Job, rows: Sequence[Row], task: str | None, max_lag: int | None) -> Iterator[str]:
    if not rows:
        yield f"{job} has no task {printable_text(task)!r} with inputs." if task else f"No inputs of {job} are known."
    if lost := sum(row["records_lost"] or 0 for row in rows):
        yield f"{job}: data lost: {lost:,} records were deleted before a task read them."
    if unknown := sum(row["records_behind"] is None for row in rows):
        yield f"{job}: the lag of {unknown} of {len(rows)} partitions is unknown."
    if max_lag is not None and (over := sum((row["records_behind"] or 0) > max_lag for row in rows)):
        yield f"{job}: {over} of {len(rows)} partitions are more than {max_lag:,} records behind."


def add_record_times(connection: Connection, rows: Sequence[Row], given_servers: str | None) -> list[str]:
    """Set ``next_record_time`` and ``seconds_behind`` of rows of `task_lag` by reading the next record of each.

    Both are None where the next record is unknown; ``seconds_behind`` stays 0 where none is waiting. Return a sentence
    for each failure.
    """
    failures: list[str] = []
    waiting: dict[KafkaOptions, list[Row]] = defaultdict(list)
    config_of = cache(lambda job: read_input_config(connection, job))
    for row in rows:
        row["next_record_time"] = None
        if row["records_behind"]:
            row["seconds_behind"] = None
            try:
                config = config_of(Job(row["job_name"], row["job_id"]))
                waiting[input_options(config, row["system_name"], given_servers)].append(row)
            except EventLogError as error:
                failures.append(str(error))
    for cluster, behind in waiting.items():
        try:
            _read_times(cluster, behind)
        except EventLogError as error:
            failures.append(str(error))
    return [f"Cannot read the next records: {failure}" for failure in dict.fromkeys(failures)]


def _read_times(cluster: KafkaOptions, rows: Sequence[Row]) -> None:
    from eventlog.kafka.consumer_groups import read_record_times  # noqa: PLC0415 (loads kafka-python)

    for batch in _batches(rows):
        times = read_record_times(cluster, {each: _waiting(row) for each, row in batch.items()})
        for each, row in batch.items():
            if (time := _time(times[each])) is not None:
                _set_time(row, time)


def _batches(rows: Sequence[Row]) -> Iterator[dict[GroupPartition, Row]]:
    """The rows without a repeated partition: several tasks may read one."""
    left = list(rows)
    while left:
        batch: dict[GroupPartition, Row] = {}
        for row in left:
            batch.setdefault((row["stream_name"], row["partition_id"]), row)
        yield batch
        left = [row for row in left if batch[row["stream_name"], row["partition_id"]] is not row]


def _waiting(row: Row) -> range:
    """The offsets that a task has not read."""
    return range(row["end_offset"] - row["records_behind"], row["end_offset"])


def _time(ms: int | None) -> datetime | None:
    try:
        return None if ms is None else _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:  # after the year 9999
        return None


def _set_time(row: Row, time: datetime) -> None:
    observed_at = datetime.fromisoformat(row["observed_at"])
    row["next_record_time"] = time.isoformat().replace("+00:00", "Z")
    row["seconds_behind"] = max(0, round((observed_at - time).total_seconds()))
