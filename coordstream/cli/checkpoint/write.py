"""`coordstream checkpoint write`: change the checkpoints of a stopped job, like Samza's CheckpointTool."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Csv, DryRun, JobWord, Json, Yes
from coordstream.cli.job.logs import JobLogs, open_job_logs, require_stopped
from coordstream.cli.output import Column, confirm, print_list, print_rows
from coordstream.cli.positions import read_offsets
from coordstream.errors import CoordstreamError
from coordstream.messages import note, warn
from coordstream.queries.rows import Row, Rows, input_partition
from eventlog.config import is_kafka_system
from eventlog.errors import list_names
from eventlog.log import require_writable, system_clock
from eventlog.system_admin import is_kafka_offset, offset_after
from managers.checkpoints.checkpoint_errors import CheckpointsChanged
from managers.checkpoints.checkpoint_file import TaskOffsets
from managers.checkpoints.checkpoint_place import writing_manager
from managers.checkpoints.checkpoint_tool import CheckpointChange, CheckpointTool, dotted_streams
from managers.job_facts import JobFacts
from projections.job_choice import Job

CHANGE: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id", "key_bucket"),
    *("old_offset", "new_offset", "is_written"),
)
LINE: Final = ("job_name", "job_id", "line")
COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("processed up to", "old_offset", "right"),
    Column("new", "new_offset", "right"),
)

Force = Annotated[
    bool, typer.Option("--force", help="Write even if the job appears to be running, or has no such task.")
]


def write(
    job: JobWord,
    offsets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE | TASK/SSP=OFFSET",
            help="A property file of Samza's CheckpointTool (- for standard input), or offsets such as "
            "'Partition 0/kafka.page-views.0=42' (default: print the current offsets as a property file).",
        ),
    ] = None,
    replace_all: Annotated[
        bool, typer.Option("--replace", help="Drop the other input partitions of the named tasks.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--config", metavar="KEY=VALUE", help="Override a value of the job's config; repeatable."),
    ] = None,
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Write checkpoints, so that a job continues after other offsets at its next start.

    The offsets are those of the last processed events. They are merged into each task's checkpoint; its state markers
    stay.

    Stop the job first: it reads its checkpoints only when it starts. A job that committed within the last three commit
    intervals appears to be running and is refused.
    """
    given = read_offsets(offsets) if offsets else {}
    overrides = _overrides(settings or [])
    with open_job_logs(job) as logs:
        facts = _read_facts(logs, overrides)
        _require_usable_offsets(given, facts)
        found = logs.named_in(facts.config)
        manager = writing_manager(
            facts.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint, job_name=str(logs.job)
        )
        with CheckpointTool(manager, facts, clock=system_clock) as tool:
            if not given:
                _print_current(tool, found, as_json=as_json, as_csv=as_csv)
                return
            changes = tool.plan(given, replace=replace_all, any_task=force)
            if not dry_run:
                require_writable(tool.log)
                if not force:
                    require_stopped(found, tool.job_alive())
            _note_missing(tool, given)
            _show(changes, found, as_json=as_json or as_csv)
            if changes and not dry_run:
                confirm(f"Write {count_checkpoints(len(changes))}?", yes=yes)
                _write(tool, changes)
    if as_json or as_csv:
        written = ({**row, "is_written": not dry_run} for row in _rows(changes, found))
        print_list(Rows(CHANGE, written), as_csv=as_csv)
    elif changes:
        print("Nothing was written (dry run)." if dry_run else f"{count_checkpoints(len(changes))} written.")


def _write(tool: CheckpointTool, changes: list[CheckpointChange]) -> None:
    try:
        with tool.log.exclude_writers():
            tool.write(changes)
    except CheckpointsChanged as error:
        raise CoordstreamError(f"{error} Stop the job, and look at its checkpoints before you write again.") from None


def _overrides(settings: Sequence[str]) -> dict[str, str]:
    pairs = [setting.partition("=") for setting in settings]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise typer.BadParameter("Invalid value for '--config'. Expected KEY=VALUE.")
    return {key: value for key, _, value in pairs}


def _read_facts(logs: JobLogs, overrides: Mapping[str, str]) -> JobFacts:
    """The facts on the job's coordinator stream; the user's overrides take precedence (SAMZA-2074)."""
    read = JobFacts({}, frozenset()) if logs.coordinator is None else JobFacts.read(logs.coordinator)
    return replace(read, config={**read.config, **overrides})


def _require_usable_offsets(given: TaskOffsets, facts: JobFacts) -> None:
    """Raise CoordstreamError if the offset after one is none of Kafka's: the job would fail at its next start."""
    for task_name, offsets in given.items():
        for partition, offset in offsets.items():
            if is_kafka_system(facts.config, partition.system) and not is_kafka_offset(offset_after(offset)):
                raise CoordstreamError(
                    f"Invalid offset {offset!r} for {task_name}, {partition}. "
                    f"Expected a number from -1 (start at offset 0) to {2**63 - 2}. Correct it; nothing was written."
                )


def _print_current(tool: CheckpointTool, job: Job, *, as_json: bool, as_csv: bool) -> None:
    lines = list(tool.property_lines())
    if lines:
        _note_missing(tool, {})
    if as_json or as_csv:
        rows = Rows(LINE, ({"job_name": job.name, "job_id": job.id, "line": line} for line in lines))
        print_list(rows, as_csv=as_csv)
        return
    for line in lines:
        print(line)
    note("" if lines else f"Job {job} has no checkpoints yet.")


def _note_missing(tool: CheckpointTool, given: TaskOffsets) -> None:
    """Name the tasks that have no checkpoint and get none."""
    missing = [task_name for task_name in tool.without_checkpoint() if task_name not in given]
    if missing:
        tasks, starts = ("1 task", "starts") if len(missing) == 1 else (f"{len(missing)} tasks", "start")
        note(f"{tasks} without a checkpoint {starts} at the job's default offsets: {list_names(missing)}.")


def _show(changes: Sequence[CheckpointChange], job: Job, *, as_json: bool) -> None:
    if changes and not as_json:
        print_rows(_rows(changes, job), COLUMNS, title=f"Checkpoints of {job} to change", as_json=False)
    elif not as_json:
        print(f"Nothing to change: {job} already has these offsets.")
    warn(_warnings(changes))


def _warnings(changes: Sequence[CheckpointChange]) -> list[str]:
    """Samza 1.8 splits the names in a V2 checkpoint at every dot, and then cannot start the task."""
    return [
        f"Samza cannot read the V2 checkpoint of task {change.task_name!r}, because names of streams contain dots "
        f"({', '.join(dotted)}). Let the job read V1 (task.checkpoint.read.versions=1)."
        for change in changes
        if (dotted := dotted_streams(change.after))
    ]


def count_checkpoints(count: int) -> str:
    """``1 checkpoint``, ``2 checkpoints``."""
    return "1 checkpoint" if count == 1 else f"{count} checkpoints"


def _rows(changes: Sequence[CheckpointChange], job: Job) -> list[Row]:
    return [
        {
            "job_name": job.name,
            "job_id": job.id,
            "task_name": change.task_name,
            "system_name": change.partition.system,
            "stream_name": change.partition.stream,
            "partition_id": change.partition.partition,
            "key_bucket": change.partition.key_bucket,
            "old_offset": change.old_offset,
            "new_offset": change.new_offset,
        }
        for checkpoint in changes
        for change in checkpoint.offset_changes()
    ]
