"""`coordstream checkpoint`: the tasks' checkpoints, now and before, and writing them like Samza's CheckpointTool."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments import (
    AsOf,
    DryRun,
    JobWord,
    Json,
    Newest,
    Since,
    Task,
    Until,
    UtcAsOf,
    Yes,
    parse_settings,
)
from coordstream.cli.change import Change, make_change
from coordstream.cli.output import Column, counted, exact_time_column, print_json, print_rows, time_column
from coordstream.cli.positions import parse_offsets_of_tasks, read_offsets
from coordstream.cli.startpoint_plan import require_offset
from coordstream.cli.submission import shown
from coordstream.database import open_job
from coordstream.errors import CoordstreamError, note
from coordstream.event_logs import open_job_logs
from coordstream.queries.history import History, select_history
from coordstream.queries.rows import (
    PARTITION,
    Cut,
    Row,
    input_partition,
    partition_values,
    rows_of,
    state,
    task_and_partition,
)
from coordstream.settings import load_settings
from eventlog.errors import known_names, list_names, printable_text
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, snapshot
from managers.checkpoints.checkpoint_manager import writing_manager
from managers.checkpoints.checkpoint_tool import CheckpointChange, CheckpointTool, dotted_streams
from managers.config.property_file import TaskOffsets
from managers.job_facts import JobFacts
from managers.startpoints.next_starts import StartpointFacts
from managers.startpoints.startpoint_request import require_reads
from managers.steered.job_record import OBSERVED, RUNNER, STEERED
from projections.job_choice import Job

app = typer.Typer()

TASK: Final = Column("task", "task_name")
STATE_COLUMNS: Final = (
    TASK,
    Column("input partition", input_partition),
    Column("processed up to", "input_offset", "right"),
    time_column("written at", "record_time", drop=1),
    Column("version", "checkpoint_version", "right", drop=3),
    Column("log offset", "log_offset", "right", drop=2),
)
HISTORY_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    exact_time_column("written at", "record_time"),
    TASK,
    Column("input partition", lambda row: "(deleted)" if row["operation"] == "delete" else input_partition(row)),
    Column("processed", "input_offset", "right"),
    Column("version", "checkpoint_version", "right", drop=1),
    Column("preferred", "is_preferred", drop=2),
)
CHANGE_COLUMNS: Final = (
    TASK,
    Column("input partition", input_partition),
    Column("processed up to", "old_offset", "right"),
    Column("new", "new_offset", "right"),
)
CHANGE_ROW: Final = ("job_name", "job_id", "task_name", *PARTITION, "old_offset", "new_offset")
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
    utc: UtcAsOf = False,
    as_json: Json = False,
) -> None:
    """Show the checkpoint of each task: the last processed offset of each input partition.

    Example: coordstream checkpoint show wordcount --as-of '2 hours ago'
    """
    cut = Cut(as_of)
    with open_job(job, cut) as (connection, found):
        _require_task(connection, found, task)
        rows = state(connection, "checkpoint", found, cut, task_name=task)
    rows.sort(key=task_and_partition)
    print_rows(rows, STATE_COLUMNS, title=f"Checkpoints of {found}{cut}", as_json=as_json, utc=utc, clock=cut.clock)


@app.command("history")
def show_history(
    job: JobWord,
    task: Task = None,
    as_of: AsOf = None,
    since: Since = None,
    until: Until = None,
    preferred: Annotated[
        bool, typer.Option("--preferred", help="Show each commit once, in the version that Samza reads.")
    ] = False,
    limit: Newest = None,
    as_json: Json = False,
) -> None:
    """Show every written checkpoint, with a row per input partition.

    Example: coordstream checkpoint history wordcount --task 'Partition 0' --limit 10

    --limit counts checkpoints, not rows.
    """
    cut = Cut(as_of)
    equal = {"task_name": task, "is_preferred": preferred or None}
    history = History("checkpoint_history", COMMITS, PARTITION, cut, since, until, limit, equal)
    with open_job(job, cut) as (connection, found):
        _require_task(connection, found, task)
        title = f"Checkpoint history of {found}{cut}"
        with snapshot(connection):
            rows = select_history(connection, found, history)
            print_rows(rows, HISTORY_COLUMNS, title=title, as_json=as_json)


def _require_task(connection: Connection, job: Job, task: str | None) -> None:
    """Raise CoordstreamError if the job has never written a checkpoint of the task; None is any task."""
    if task is None:
        return
    names = sorted(str(name) for (name,) in connection.execute(_TASKS, job).fetchall())
    if task not in names:
        known = known_names("tasks", task, names)
        raise CoordstreamError(f'Job {job} has no checkpoint of a task "{printable_text(task)}".{known}')


@app.command()
def write(
    job: JobWord,
    offsets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TASK/INPUT=OFFSET",
            help="Offsets such as 'Partition 0/kafka.page-views.0=42' (default: print the current ones as a "
            "properties file).",
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--from-file", metavar="FILE", help="A properties file of Samza's CheckpointTool; - is standard input."
        ),
    ] = None,
    replace_all: Annotated[
        bool, typer.Option("--replace", help="Drop the other input partitions of the named tasks.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--config", metavar="NAME=VALUE", help="Override a value of the job's config; repeatable."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write even if the job appears to be running, or has no such task or input.")
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Write checkpoints, so that a job continues after other offsets at its next start.

    Example: coordstream checkpoint write wordcount 'Partition 0/kafka.page-views.0=42'

    The offsets are those of the last processed records. They are merged into each task's checkpoint; its state markers
    stay.

    Stop the job first: it reads its checkpoints only when it starts. A job that committed within the last three commit
    intervals appears to be running and is refused.
    """
    if offsets and file is not None:
        raise typer.BadParameter("Expected offsets or '--from-file', not both.")
    if not offsets and file is None and (replace_all or force or yes or dry_run):
        raise typer.BadParameter("'--replace', '--force', '--yes' and '--dry-run' need offsets.")
    given = parse_offsets_of_tasks(offsets or ()) if file is None else read_offsets(file)
    with open_job_logs(job) as logs:
        starts = StartpointFacts.of(()) if logs.coordinator is None else StartpointFacts.read(logs.coordinator)
        # as in SAMZA-2074, the user's overrides take precedence
        facts = replace(starts.job, config={**starts.job.config, **parse_settings(settings, "--config")})
        found = logs.named_in(facts.config)
        _require_offsets(given, facts)
        manager = writing_manager(
            facts.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint, job_name=str(logs.job)
        )
        with CheckpointTool(manager, facts, clock=system_clock) as tool:
            if not given:
                _print_current(tool, found, as_json=as_json)
                return
            changes = tool.plan(given, replace=replace_all, any_task=force)
            if not force:
                if facts.config.get(RUNNER) == STEERED:
                    reason = "starts where its sink says, not at a checkpoint"
                    raise CoordstreamError(f"Steered job {found} {reason}. Use `coordstream startpoint write {found}`.")
                reads = starts.reads()
                read = {task_name: offsets for task_name, offsets in given.items() if reads.get(task_name)}
                require_reads(reads, read, " Correct the partition, or use --force; nothing was written.")
                if not dry_run:
                    tool.require_stopped()
            _note_missing(tool, given)
            written = counted(len(changes), "checkpoint")
            change = Change(
                log=tool.manager.log,
                title=f"Checkpoints of {found} to change",
                rows=_rows(changes, found),
                columns=CHANGE_COLUMNS,
                question=f"Write {written}?" if changes else "",
                done=f"{written} written." if changes else f"Nothing to change: {found} already has these offsets.",
                write=lambda: tool.write(changes),
                warnings=_warnings(changes, facts.config.get(RUNNER)),
            )
            make_change(change, yes=yes, dry_run=dry_run, as_json=as_json)


def _require_offsets(given: TaskOffsets, facts: JobFacts) -> None:
    for task_name, offsets in given.items():
        for partition, offset in offsets.items():
            place = f"{task_name}, {partition}"
            require_offset(facts.config, place, partition.system, offset or "", is_processed=True)


def _print_current(tool: CheckpointTool, job: Job, *, as_json: bool) -> None:
    lines = list(tool.property_lines())
    if lines:
        _note_missing(tool, {})
    if as_json:
        print_json([{"job_name": job.name, "job_id": job.id, "line": line} for line in lines])
        return
    for line in lines:
        print(line)
    note("" if lines else f"Job {job} has no checkpoints yet.")


def _note_missing(tool: CheckpointTool, given: TaskOffsets) -> None:
    """Name the tasks that have no checkpoint and get none."""
    missing = [name for name, checkpoint in tool.current().items() if checkpoint is None and name not in given]
    if missing:
        note(f"Without a checkpoint, tasks start at the job's default offsets: {list_names(missing)}.")


def _warnings(changes: Sequence[CheckpointChange], runner: str | None) -> Iterator[str]:
    if changes and runner == OBSERVED:
        yield "Spark goes on from the query's checkpoint folder: these offsets count only with a new folder."
    for change in changes:
        if dotted := dotted_streams(change.after):  # Samza 1.8 splits them at every dot, and cannot start the task
            yield (
                f"Samza cannot read the V2 checkpoint of task {change.task_name!r}, because names of streams contain "
                f"dots ({', '.join(dotted)}). Let the job read V1 (task.checkpoint.read.versions=1)."
            )


def _rows(changes: Sequence[CheckpointChange], job: Job) -> list[Row]:
    secrets = load_settings().secrets
    values = (
        (*job, task_name, *partition_values(partition), *(shown(secrets, "", each) for each in offsets))
        for checkpoint in changes
        for task_name, partition, *offsets in checkpoint.offset_changes()
    )
    return rows_of(CHANGE_ROW, values)
