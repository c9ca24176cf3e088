"""`coordstream bridge consumer-groups`: shows the progress of jobs to tools for consumer groups."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Annotated, Final

import typer
from rich.console import Console

from coordstream.cli.arguments import Csv, InputServers, Json, parse_duration
from coordstream.cli.bridge.clusters import Clusters
from coordstream.cli.bridge.commit import COLUMNS, BridgeOptions, JobBridge
from coordstream.cli.bridge.follow import BridgeFollower
from coordstream.cli.follow.progress import FollowProgress
from coordstream.cli.follow.stop import stop_on_signal_or_timeout
from coordstream.cli.input_system import check_servers
from coordstream.cli.job.selection import (
    ALL_RETIRED,
    All,
    Jobs,
    expected_jobs,
    require_selection,
    selected_jobs,
    unretired_jobs,
)
from coordstream.cli.output import Column, print_rows
from coordstream.database import open_database
from coordstream.messages import note
from coordstream.queries.rows import Row, Rows, input_partition
from eventlog.log import system_clock

app = typer.Typer(no_args_is_help=True)

EVERY_SECONDS: Final = 5.0
"""As often as Kafka's own consumers commit by default."""


def _input(row: Row) -> str:
    """The input partition; that of a topic that no task reads has no system."""
    return input_partition(row) if row["system_name"] else f"{row['stream_name']}.{row['partition_id']}"


_COLUMNS: Final = (
    Column("group", "group_id"),
    Column("input", _input),
    Column("task", "task_name", drop=2),
    Column("checkpoint", "input_offset", "right", drop=3),
    Column("before", "previous_offset", "right", drop=1),
    Column("offset", "group_offset", "right"),
    Column("outcome", "outcome", no_wrap=True),
    Column("why", "reason"),
)


@app.callback()
def bridge() -> None:
    """Show the progress of jobs to tools for Kafka consumer groups."""


@app.command("consumer-groups")
def consumer_groups(
    jobs: Jobs = None,
    every: All = False,
    follow: Annotated[bool, typer.Option("--follow", help="Repeat until Ctrl-C or SIGTERM.")] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            "--every",
            metavar="DURATION",
            parser=parse_duration,
            help="With --follow: how often to commit (default: 5s).",
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", metavar="GROUP", help="Commit to this group instead of samza.NAME.ID; only with one JOB."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also replace offsets that somebody else has set, such as a reset.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be committed, and exit.")] = False,
    import_reset: Annotated[
        bool,
        typer.Option(
            "--import-reset", help="Commit nothing. Plan a rewind of a job to the offsets that others have set."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The plan file (default: rewind-JOB-TIME.json)."),
    ] = None,
    servers: InputServers = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Commit the checkpoints of jobs as offsets of consumer groups, for kafka-consumer-groups and similar tools.

    The group of a job is samza.NAME.ID, on the Kafka clusters of its inputs. An offset is that of the next
    record to process; if several tasks read a partition, it is that of the task that is furthest behind. Jobs do not
    read these offsets.

    A group with running consumers is refused. An offset that somebody else has set is kept, and the exit code is 1.
    After a reset of the group by one of these tools, --import-reset writes a plan for `coordstream rewind apply`, with
    which the job starts from the offsets of the group.
    """
    check_servers(servers)
    require_selection(jobs, every=every)
    if group is not None and (every or len(set(jobs or ())) != 1):
        raise typer.BadParameter("'--group' needs the name of exactly one job.")
    if interval is not None and not follow:
        raise typer.BadParameter("'--every' needs '--follow'.")
    if follow and (dry_run or as_json or as_csv):
        raise typer.BadParameter("'--follow' cannot be used with '--dry-run', '--json' or '--csv'.")
    options = BridgeOptions(group, overwrite, dry_run, servers)
    if import_reset:
        if every or len(jobs or ()) != 1 or follow or overwrite or dry_run:
            raise typer.BadParameter(
                "'--import-reset' needs exactly one job, without '--follow', '--overwrite' and '--dry-run'."
            )
        _import_reset((jobs or [""])[0], options, output, as_json=as_json, as_csv=as_csv)
    elif output is not None:
        raise typer.BadParameter("'--output' needs '--import-reset'.")
    elif follow:
        _follow(jobs or (), options, EVERY_SECONDS if interval is None else interval)
    else:
        _commit(jobs or (), options, as_json=as_json, as_csv=as_csv)


def _commit(words: Sequence[str], options: BridgeOptions, *, as_json: bool, as_csv: bool) -> None:
    rows, faults = Rows(COLUMNS), list[str]()
    with open_database() as database, Clusters() as clusters:
        jobs = expected_jobs(database.connection, words)
        for job in jobs:
            committed = JobBridge(job, options)
            rows += committed.commit(database.connection, clusters)
            faults += committed.faults
    title = "Offsets that would be committed" if options.dry_run else "Committed offsets"
    print_rows(rows, _COLUMNS, title=title, as_json=as_json, as_csv=as_csv)
    for sentence in faults if jobs else [ALL_RETIRED]:
        note(sentence)
    if faults:
        raise typer.Exit(1)


def _follow(words: Sequence[str], options: BridgeOptions, interval: float) -> None:
    with (
        stop_on_signal_or_timeout(None) as stop,
        Clusters() as clusters,
        FollowProgress(Console(stderr=True), monotonic, system_clock) as progress,
    ):
        progress.message(f"Committing checkpoints every {interval:g} s.")
        choose = partial(selected_jobs, words=words) if words else unretired_jobs
        BridgeFollower(options, choose, clusters, progress.message).run(stop, interval)
        progress.message("Stopped.")


def _import_reset(word: str, options: BridgeOptions, output: Path | None, *, as_json: bool, as_csv: bool) -> None:
    from coordstream.cli.bridge.reset_import import acknowledge_reset, plan_reset, read_reset  # noqa: PLC0415 (slow)
    from coordstream.cli.job.startpoint_job import open_startpoint_job  # noqa: PLC0415 (slow)
    from coordstream.cli.rewind.plan import keep_plan  # noqa: PLC0415 (slow)

    with Clusters() as clusters:
        reset = read_reset(word, options, clusters)
        with open_startpoint_job(word, system_clock) as found:
            keep_plan(plan_reset(found, reset, options.servers), found, output, as_json=as_json, as_csv=as_csv)
        acknowledge_reset(reset, clusters)
