"""`coordstream startpoint write`: request that a job starts from another position."""

from datetime import UTC, datetime
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Csv, DryRun, InputServers, JobWord, Json, Tasks, Yes
from coordstream.cli.input_system import check_servers
from coordstream.cli.job.startpoint_job import StartpointJob, clock_behind, open_startpoint_job
from coordstream.cli.output import Column, confirm, print_list, print_rows
from coordstream.cli.positions import Input, parse_input, parse_position
from coordstream.cli.startpoint.plan import WritePlan, plan_rows, plan_write
from coordstream.cli.startpoint.undo_commands import delete_commands, write_commands
from coordstream.cli.startpoint.warnings import warnings
from coordstream.errors import CoordstreamError
from coordstream.messages import warn
from coordstream.queries.rows import Row, input_partition
from coordstream.queries.startpoints import describe_startpoint
from eventlog.config import is_kafka_system
from eventlog.log import require_writable, system_clock
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointSpecific
from eventlog.system_admin import is_kafka_offset
from managers.startpoints.concurrent_writes import RequestValues, write_unless_changed
from managers.startpoints.startpoint_records import StartpointsChanged, request_value
from managers.stores.coordinator_store import CoordinatorStreamStore

INPUT_HELP: Final = "SYSTEM.STREAM, such as kafka.page-views, or some of its partitions: kafka.page-views.0-3,5"
START_COLUMNS: Final = (
    Column("task", lambda row: row["task_name"] or "(no task reads it)"),
    Column("input partition", input_partition),
    Column("next start now", "old_start"),
    Column("next start then", lambda row: "as requested" if row.get("is_followed") else row["new_start"]),
)


def _events(row: Row) -> str | None:
    count = row["events_again"]
    if count is None:
        return None
    return f"{count} again" if count >= 0 else f"{-count} skipped"


RESOLVED_COLUMNS: Final = (Column("at offset", "resolved_offset", "right"), Column("events", _events, "right"))


def write(
    job: JobWord,
    given: Annotated[str, typer.Argument(metavar="INPUT", help=INPUT_HELP)],
    position: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION",
            help="oldest, upcoming, an offset (a number, or offset:TEXT), or a time (2 hours ago, 90m, "
            "2026-01-31 12:00 UTC).",
        ),
    ],
    tasks: Tasks = None,
    servers: InputServers = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write even if the job does not read the input, or the clock is hours behind."),
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Request that a job starts from another position at its next start.

    Example: coordstream startpoint write wordcount kafka.page-views 2 hours ago

    Shows where each task would start, then asks for confirmation. A running job is not affected until it starts again.

    Without a start within 12 hours, the startpoint expires. `startpoint delete` deletes it.
    """
    startpoint = parse_position(" ".join(position), system_clock())
    check_servers(servers)
    with open_startpoint_job(job, system_clock) as found:
        input_ = parse_input(given, found.facts.streams)
        if is_kafka_system(found.facts.job.config, input_.system):
            _require_kafka_offset(startpoint, input_)
        plan = plan_write(found, input_, startpoint, tasks or (), servers=servers, force=force)
        if not dry_run:
            require_writable(found.log)
        behind = clock_behind(found, system_clock)
        if behind and not dry_run and not force:
            raise CoordstreamError(f"{behind} Set the clock, or use --force.")
        if not (as_json or as_csv):
            _print_plan(plan)
        warn([*warnings(plan), *filter(None, [behind])])
        if not dry_run:
            confirm(f"Write {count_startpoints(len(plan.keys))}?", yes=yes)
            requests = {key_text: request_value(each) for key_text, each in plan.requests.items()}
            change_requests(found, requests)
    if as_json or as_csv:
        print_list([{**row, "is_written": not dry_run} for row in plan_rows(plan)], as_csv=as_csv)
    elif dry_run:
        print("Nothing was written (dry run).")
    else:
        _print_result(plan)


def _require_kafka_offset(startpoint: Startpoint, input_: Input) -> None:
    """Raise CoordstreamError if an offset is none of Kafka's: the job would fail at its next start."""
    if isinstance(startpoint, StartpointSpecific) and not is_kafka_offset(startpoint.value):
        raise CoordstreamError(
            f"Invalid offset {startpoint.value!r} for {input_.system}.{input_.stream}. "
            f"Expected a number from 0 to {2**63 - 1}. Correct it; nothing was written."
        )


def change_requests(job: StartpointJob, requests: RequestValues) -> None:
    """Write or delete requests. Raises CoordstreamError if another writer has changed them since the job was read."""
    log = job.log
    try:
        with log.exclude_writers(), CoordinatorStreamStore(log) as store:
            write_unless_changed(store, log, job.facts.log_offset, requests, ())
    except StartpointsChanged as error:
        raise CoordstreamError(f"{error} Look at `coordstream startpoint show {job.job}`.") from None


def count_startpoints(count: int) -> str:
    """``1 startpoint``, ``2 startpoints``."""
    return "1 startpoint" if count == 1 else f"{count} startpoints"


def print_commands(heading: str, commands: list[str]) -> None:
    """Print commands that users may copy, if there are any."""
    for line in [heading, *(f"  {command}" for command in commands)] if commands else ():
        print(line)


def _print_plan(plan: WritePlan) -> None:
    columns = START_COLUMNS if plan.resolved is None else (*START_COLUMNS, *RESOLVED_COLUMNS)
    title = f"Next start of {plan.job.job}, if requested to start {describe_startpoint(plan.startpoint)}"
    print_rows(plan_rows(plan), columns, title=title, as_json=False)


def _print_result(plan: WritePlan) -> None:
    until = datetime.fromtimestamp((plan.startpoint.creation_timestamp + EXPIRY_MS) / 1000, UTC)
    print(
        f"{count_startpoints(len(plan.keys))} written. {plan.job.job} starts there if it starts before "
        f"{until:%Y-%m-%d %H:%M} UTC."
    )
    print_commands("To undo:", delete_commands(plan.job.job, plan.keys))
    print_commands("Then, to restore the replaced requests:", write_commands(plan.job.job, plan.replaced))
