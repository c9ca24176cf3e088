"""`coordstream startpoint write`: from where a job reads its input when it starts next."""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Final

import typer

from coordstream.cli.arguments.input import parse_input
from coordstream.cli.arguments.options import Csv, JobWord, Json, Tasks
from coordstream.cli.arguments.position import parse_position
from coordstream.cli.completion import complete_input
from coordstream.cli.confirmation import ask
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, input_partition, print_rows
from coordstream.cli.startpoint.job import clock_behind, open_startpoint_job
from coordstream.cli.startpoint.request import Order, make_order, order_rows, warnings
from coordstream.cli.startpoint.undo import delete_commands, write_commands
from coordstream.cli.startpoint.wording import events_words, startpoint_place
from coordstream.errors import CoordstreamError
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.log import system_clock
from eventlog.startpoint import EXPIRY_MS
from managers.startpoints.startpoint_records import write_requests
from managers.stores.coordinator_store import CoordinatorStreamStore

INPUT_HELP: Final = "SYSTEM.STREAM, such as kafka.page-views; or some of its partitions: kafka.page-views.0-3,5"
START_COLUMNS: Final = (
    Column("task", lambda row: row["task_name"] or "(no task reads it)"),
    Column("input partition", input_partition),
    Column("next start as it is", "old_start"),
    Column("next start then", lambda row: "as asked" if row.get("is_followed") else row["new_start"]),
)
ASKED_COLUMNS: Final = (
    Column("at offset", "resolved_offset", "right"),
    Column("events", lambda row: events_words(row["events_again"]), "right"),
)


def write(
    job: JobWord,
    given: Annotated[str, typer.Argument(metavar="INPUT", help=INPUT_HELP, autocompletion=complete_input)],
    position: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION",
            help="oldest, upcoming, an offset (a number, or offset:TEXT), or a time (2 hours ago, 90m, "
            "2026-01-31 12:00 UTC).",
        ),
    ],
    tasks: Tasks = None,
    servers: Annotated[
        str | None,
        typer.Option(
            "--input-bootstrap-servers",
            metavar="HOST:PORT",
            help="Ask the input here, and not where the job's config says that it is.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also for what the job does not read, or with a clock that is hours off.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would happen, and write nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Let a job start from elsewhere: request startpoints, which go before its checkpoints once.

    Such as: coordstream startpoint write wordcount kafka.page-views 2 hours ago

    Shows where each task would start before it asks. The job may run: it goes on until its next start.

    `startpoint delete` takes it back. After 12 hours without a start, a startpoint expires by itself.
    """
    startpoint = parse_position(" ".join(position), system_clock())
    _check_servers(servers)
    with open_startpoint_job(job, system_clock) as found:
        input_ = parse_input(given, found.facts.streams)
        order = make_order(found, input_, startpoint, tasks or (), servers=servers, force=force)
        if not dry_run:
            found.require_writable()
        late = clock_behind(found, system_clock)
        if late and not dry_run and not force:
            raise CoordstreamError(f"{late}: set the clock, or write nevertheless with --force.")
        _show(order, [*warnings(order), *filter(None, [late])], as_json=as_json or as_csv)
        if not dry_run:
            ask(f"Write {counted(len(order.keys))}?", yes=yes)
            with CoordinatorStreamStore(found.log) as store:
                write_requests(store, order.requests)
    if as_json or as_csv:
        print_list([{**row, "is_written": not dry_run} for row in order_rows(order)], as_csv=as_csv)
    elif dry_run:
        print("Nothing was written: this was a dry run.")
    else:
        _tell(order)


def counted(count: int) -> str:
    """So many startpoints."""
    return "1 startpoint" if count == 1 else f"{count} startpoints"


def _check_servers(servers: str | None) -> None:
    try:
        if servers is not None:
            KafkaOptions.parse(servers)
    except OptionRefused as error:
        raise typer.BadParameter(f"--input-bootstrap-servers: {error}") from None


def _show(order: Order, told: Iterable[str], *, as_json: bool) -> None:
    if not as_json:
        columns = START_COLUMNS if order.answer is None else (*START_COLUMNS, *ASKED_COLUMNS)
        title = f"Starts of {order.found.job} if asked to start {startpoint_place(order.startpoint)}"
        print_rows(order_rows(order), columns, title=title, as_json=False)
        sys.stdout.flush()  # else warnings would overtake it where both go to one file
    for sentence in told:
        print(f"warning: {sentence}", file=sys.stderr)


def _tell(order: Order) -> None:
    until = datetime.fromtimestamp((order.startpoint.creation_timestamp + EXPIRY_MS) / 1000, UTC)
    them = "it" if len(order.keys) == 1 else "them"
    print(
        f"{counted(len(order.keys))} written: {order.found.job} follows {them} when it starts next, "
        f"until {until:%Y-%m-%d %H:%M} UTC."
    )
    print(f"To take {them} back before that:")
    for command in delete_commands(order.found.job, order.keys):
        print(f"  {command}")
    if again := write_commands(order.found.job, order.replaced):
        print("and to request again what was replaced:")
        for command in again:
            print(f"  {command}")
