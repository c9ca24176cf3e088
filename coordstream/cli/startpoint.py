"""`coordstream startpoint`: the requests and fan-outs of a job, and their history."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import (
    AsOf,
    DryRun,
    InputServers,
    JobWord,
    Json,
    Newest,
    Since,
    Tasks,
    Until,
    UtcAsOf,
    Yes,
)
from coordstream.cli.change import Change, make_change
from coordstream.cli.output import Column, counted, exact_time_column, print_json, print_rows, time_column
from coordstream.cli.positions import parse_input, parse_position
from coordstream.cli.startpoint_plan import (
    StartpointJob,
    open_startpoint_job,
    plan_rows,
    plan_write,
    start_columns,
    warnings,
)
from coordstream.database import open_job
from coordstream.errors import CoordstreamError
from coordstream.queries.rows import Cut, Row, input_partition, partition_values, rows_of, state, task_and_partition
from coordstream.queries.startpoints import describe_startpoint, startpoint_steps, type_and_value
from coordstream.settings import load_settings
from eventlog.errors import list_names
from eventlog.log import system_clock
from eventlog.partition import StartpointKey, startpoint_key_readings
from eventlog.secret_policy import SecretPolicy
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_tool import require_stopped
from managers.startpoints.next_starts import changed_starts, plan_next_fan_out
from managers.startpoints.startpoint_manager import StartpointManager
from managers.startpoints.startpoint_records import FanOuts, StartpointsChanged, request_values
from managers.startpoints.startpoint_request import write_unless_changed

app = typer.Typer()

INPUT_HELP: Final = "SYSTEM.STREAM, such as kafka.page-views, or some of its partitions: kafka.page-views.0-3,5"
MOST_LISTED: Final = 3

TASK: Final = Column("task", "task_name")
INPUT: Final = Column("input partition", input_partition)
START_AT: Final = Column("start at", type_and_value)
OF_TASK: Final = Column("task", lambda row: row["task_name"] or "(every task)")
LOG_OFFSET: Final = Column("log offset", "log_offset", "right", drop=1)
REQUESTED: Final = (
    *(INPUT, OF_TASK, START_AT, time_column("requested at", "created_at", drop=2)),
    *(Column("expired", "is_expired"), LOG_OFFSET),
)
FANNED_OUT: Final = (TASK, INPUT, START_AT, time_column("fanned out at", "fanned_out_at", drop=2), LOG_OFFSET)
STEPS: Final = (
    exact_time_column("when", "record_time"),
    Column("step", lambda row: row["status"].replace("_", " ")),
    *(INPUT, OF_TASK, START_AT, LOG_OFFSET),
)
STARTS: Final = (
    Column("task", lambda row: row["task_name"] or "(no task reads it)"),
    INPUT,
    Column("next start now", "old_start"),
    Column("next start then", lambda row: "as requested" if row.get("is_followed") else row["new_start"]),
)
DELETED: Final = (
    Column("request", "startpoint_key"),
    Column("start at", lambda row: type_and_value(row) if row["startpoint_type"] else "(unreadable)"),
)
FAN_OUT: Final = (TASK, INPUT, Column("starts", "start"))
FAN_OUT_ROW: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id"),
    *("startpoint_type", "startpoint_value", "start"),
)


def _records(row: Row) -> str | None:
    count = row["events_again"]
    if count is None:
        return None
    return f"{count} again" if count >= 0 else f"{-count} skipped"


RESOLVED: Final = (Column("at offset", "resolved_offset", "right"), Column("records", _records, "right"))


@app.command()
def show(
    job: JobWord,
    as_of: AsOf = None,
    shows_history: Annotated[
        bool, typer.Option("--history", help="Show every step of every startpoint instead.")
    ] = False,
    since: Since = None,
    until: Until = None,
    limit: Newest = None,
    utc: UtcAsOf = False,
    as_json: Json = False,
) -> None:
    """Show the requested startpoints, and those fanned out to tasks but not consumed yet.

    Example: coordstream startpoint show wordcount --history --since yesterday
    """
    cut = Cut(as_of)
    if not shows_history and (since, until, limit) != (None, None, None):
        raise typer.BadParameter("'--since', '--until' and '--limit' need --history.")
    with open_job(job, cut) as (connection, found):
        whose = f"{found}{cut}"
        if shows_history:
            steps = startpoint_steps(connection, found, as_of, since=since, until=until, limit=limit)
            print_rows(steps, STEPS, title=f"Startpoints of {whose}, by step", as_json=as_json, utc=utc)
            return
        requests = state(connection, "startpoint", found, cut)
        fan_outs = state(connection, "startpoint_fan_out", found, cut)
    requests.sort(key=lambda row: int(row["log_offset"]))
    fan_outs.sort(key=task_and_partition)
    if as_json:
        requested, fanned_out = {"status": "requested"}, {"status": "fanned_out"}
        print_json([*(requested | row for row in requests), *(fanned_out | row for row in fan_outs)])
        return
    print_rows(requests, REQUESTED, title=f"Startpoints requested for {whose}", utc=utc, clock=cut.clock)
    print()
    print_rows(fan_outs, FANNED_OUT, title=f"Startpoints fanned out to tasks of {whose}", utc=utc, clock=cut.clock)


@app.command()
def write(
    job: JobWord,
    given: Annotated[str, typer.Argument(metavar="INPUT", help=INPUT_HELP)],
    position: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION",
            help="oldest, upcoming, an offset (a number), or a time (2 hours ago, 90m, 2026-01-31 12:00 UTC).",
        ),
    ],
    tasks: Tasks = None,
    servers: InputServers = None,
    force: Annotated[bool, typer.Option("--force", help="Write even if the job does not read the input.")] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Request that a job starts from another position at its next start.

    Example: coordstream startpoint write wordcount kafka.page-views 2 hours ago

    Shows where each task would start, then asks for confirmation. A running job is not affected until it starts again.

    Without a start within 12 hours, the startpoint expires. `startpoint delete` deletes it.
    """
    startpoint = parse_position(" ".join(position), system_clock())
    *_, start = describe_startpoint(startpoint, load_settings().secrets)
    with open_startpoint_job(job) as found:
        input_ = parse_input(given, found.facts.streams)
        plan = plan_write(found, input_, startpoint, tasks or (), servers=servers, force=force)
        change = found.change_to({str(key): startpoint for key in plan.keys}, startpoint.creation_timestamp)
        shown = replace(
            change,
            title=f"Next start of {found.job}, if requested to start {start}",
            rows=plan_rows(plan),
            columns=STARTS if plan.input_error else (*STARTS, *RESOLVED),
            warnings=warnings(plan),
        )
        make_change(shown, yes=yes, dry_run=dry_run, as_json=as_json)


@app.command()
def delete(
    job: JobWord,
    given: Annotated[str | None, typer.Argument(metavar="INPUT", help=INPUT_HELP)] = None,
    tasks: Tasks = None,
    everything: Annotated[bool, typer.Option("--all", help="Delete every request of the job, for any task.")] = False,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes and delete nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Delete requested startpoints.

    Example: coordstream startpoint delete wordcount kafka.page-views.0-3

    Deletes requests for every task, or those for single tasks with --task. Startpoints already fanned out to tasks
    stay; `startpoint show` lists both.
    """
    if everything is (given is not None) or (everything and tasks):
        raise typer.BadParameter("Expected an INPUT, or --all without INPUT and --task.")
    with open_startpoint_job(job) as found:
        requests, now_ms, secrets = found.facts.requests, ms_of(system_clock()), load_settings().secrets
        texts = _chosen(found, given, tasks or ())
        if not texts:
            raise CoordstreamError(_nothing_to_delete(found, given))
        left = {text: each for text, each in requests.items() if text not in texts}
        starts = [start_columns(each, secrets) for each in changed_starts(found.facts, found.checkpoints, left, now_ms)]

        def show_starts() -> None:
            print()
            print_rows(starts, STARTS, title=f"Next start of {found.job} without them")

        deleted = counted(len(texts), "startpoint")
        change = Change(
            log=found.log,
            title=f"Startpoint requests of {found.job} to delete",
            rows=_request_rows(found, texts, secrets),
            columns=DELETED,
            question=f"Delete {deleted}?",
            done=f"{deleted} deleted.",
            write=lambda: write_unless_changed(found.store, found.stored, dict.fromkeys(texts)),
            verb="deleted",
            show_more=show_starts,
            warnings=found.warnings(),
        )
        make_change(change, yes=yes, dry_run=dry_run, as_json=as_json)


def _chosen(found: StartpointJob, given: str | None, tasks: Collection[str]) -> list[str]:
    """The keys of the requests for an input and some tasks; ``given`` None: all."""
    if given is None:
        return list(found.stored)
    readings = {text: startpoint_key_readings(text) for text in found.stored}
    streams = {(key.partition.system, key.partition.stream) for keys in readings.values() for key in keys}
    input_ = parse_input(given, streams | found.facts.streams)

    def is_chosen(key: StartpointKey) -> bool:
        return input_.includes(key.partition) and (key.task_name in tasks if tasks else key.task_name is None)

    return [text for text, keys in readings.items() if any(map(is_chosen, keys))]


def _request_rows(found: StartpointJob, texts: Sequence[str], secrets: SecretPolicy) -> list[Row]:
    """A row for each request; type and value are null if they cannot be read."""
    requests = ((text, found.facts.requests.get(text)) for text in texts)
    shown = ((text, describe_startpoint(each, secrets) if each else (None, None)) for text, each in requests)
    values = ((*found.job, text, *columns[:2]) for text, columns in shown)
    return rows_of(("job_name", "job_id", "startpoint_key", "startpoint_type", "startpoint_value"), values)


def _nothing_to_delete(found: StartpointJob, given: str | None) -> str:
    if given is not None:
        input_ = parse_input(given, found.facts.streams)
        if any(input_.includes(partition) for each in found.facts.fanned_out.values() for partition in each):
            return f"The request for {given} is already fanned out to tasks. Write another startpoint instead."
    if not found.stored:
        return f"Nothing to delete: {found.job} has no requested startpoints."
    known = list_names(list(found.stored))
    return f"No matching request for {given}. Requests: {known}. Use --task for a request of a single task."


@app.command("fan-out")
def fan_out(
    job: JobWord,
    force: Annotated[bool, typer.Option("--force", help="Write even if the job appears to be running.")] = False,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the fan-out and write nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Fan requested startpoints out to the tasks of a stopped job.

    Example: coordstream startpoint fan-out wordcount --dry-run

    For jobs whose coordinator does not do this (PassthroughJobCoordinator). Other coordinators fan out at each start;
    --dry-run shows the result.

    Stop the job first: a task reads its fan-out only when it starts.
    """
    with open_startpoint_job(job) as found:
        now_ms = ms_of(system_clock())
        plan = plan_next_fan_out(found.facts, now_ms)
        if plan.fanned_out and not dry_run and not force:
            require_stopped(found.last_commit_ms, found.facts.job.config, now_ms)
        left = [text for text in found.facts.requests if text not in plan.deleted_keys]
        ignored = f"Not fanned out, as expired, ambiguous or read by no task: {list_names(left, MOST_LISTED)}."
        rows, tasks = _fan_out_rows(found, plan.fanned_out), counted(len(plan.fanned_out), "task")
        startpoints = counted(len(rows), "startpoint")
        done = f"{startpoints} fanned out to {tasks}. Each task starts there at its next start."
        change = Change(
            log=found.log,
            title=f"Startpoints to fan out to the tasks of {found.job}",
            rows=rows,
            columns=FAN_OUT,
            question=f"Fan out {startpoints}?" if rows else "",
            done=done if rows else f"Nothing to fan out: {found.job} has no such requests.",
            write=lambda: _fan_out(found),
            warnings=[*found.warnings(), *([ignored] if left else [])],
        )
        make_change(change, yes=yes, dry_run=dry_run, as_json=as_json)


def _fan_out_rows(found: StartpointJob, fan_outs: FanOuts) -> list[Row]:
    """A row for each partition of each task."""
    secrets = load_settings().secrets
    values = (
        (*found.job, task_name, *partition_values(partition)[:3], *describe_startpoint(each, secrets))
        for task_name, startpoints in sorted(fan_outs.items())
        for partition, each in sorted(startpoints.items())
    )
    return rows_of(FAN_OUT_ROW, values)


def _fan_out(found: StartpointJob) -> None:
    if request_values(found.store) != found.stored:
        raise StartpointsChanged("a startpoint request", is_written=False)
    with StartpointManager(found.store, clock=lambda: ms_of(system_clock())) as manager:
        manager.fan_out(found.facts.reads())
