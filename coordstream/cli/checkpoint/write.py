"""`coordstream checkpoint write`: other checkpoints for a job that stands still, as Samza's checkpoint tool."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final

import typer

from coordstream.cli.arguments.offsets import read_offsets
from coordstream.cli.arguments.options import Csv, JobWord, Json
from coordstream.cli.job.logs import JobLogs, open_job_logs
from coordstream.cli.job.lookup import Job
from coordstream.cli.messages import confirm
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, input_partition, print_rows, printable
from coordstream.cli.query.rows import Row
from coordstream.errors import CoordstreamError
from eventlog.log import system_clock
from managers.appending import Retry
from managers.checkpoints.checkpoint_file import TaskOffsets
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import (
    CHECKPOINT_FACTORY,
    JobCheckpoints,
    checkpoint_manager,
    checkpoint_place,
)
from managers.checkpoints.checkpoint_tool import CheckpointChange, CheckpointTool, dotted_streams
from managers.job_facts import JobFacts
from managers.job_names import JOB_ID, JOB_NAME
from managers.signature import CHECKPOINT_TOOL

TRIED_SECONDS: Final = 15
MOST_NAMED: Final = 10
COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("processed up to", "old_offset", "right"),
    Column("new", "new_offset", "right"),
)

Force = Annotated[
    bool, typer.Option("--force", help="Also while the job looks alive, and for a task that it does not have.")
]


def write(
    job: JobWord,
    offsets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE | TASK/SSP=OFFSET …]",
            help="A property file as Samza's tool reads it (- is standard input), or offsets such as "
            "'Partition 0/kafka.page-views.0=42'; none: print the current ones as such a file.",
        ),
    ] = None,
    replace_all: Annotated[
        bool, typer.Option("--replace", help="Drop a named task's other input partitions, instead of keeping them.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--config", metavar="KEY=VALUE", help="Go by this value instead of what the job's config says."),
    ] = None,
    force: Force = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the difference, and write nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Write checkpoints, so that the job goes on from other offsets when it starts next: the last ones processed.

    What is given is merged into each task's checkpoint; its state stays as it is. A job reads its checkpoints only when
    it starts: stop it first. A job that has committed within the last three commit intervals is refused.
    """
    given = read_offsets(offsets) if offsets else {}
    overrides = _overrides(settings or [])
    with open_job_logs(job) as logs:
        facts = _facts(logs, overrides)
        found = _named(logs, facts)
        with CheckpointTool(_manager(logs, facts), facts, clock=system_clock) as tool:
            if not given:
                _print_current(tool, found, as_json=as_json, as_csv=as_csv)
                return
            changes = tool.plan(given, replace=replace_all, any_task=force)
            if not dry_run:
                _require_writable(logs, facts)
                _require_stopped(tool, force=force)
            _mention_missing(tool, given)
            _show(changes, found, as_json=as_json or as_csv)
            if changes and not dry_run:
                confirm(f"Write {_counted(len(changes))}?", yes=yes)
                tool.write(changes)
    if as_json or as_csv:
        print_list([{**row, "is_written": not dry_run} for row in _rows(changes, found)], as_csv=as_csv)
    elif changes:
        print("Nothing was written: this was a dry run." if dry_run else f"{_counted(len(changes))} written.")


def _overrides(settings: Sequence[str]) -> dict[str, str]:
    pairs = [setting.partition("=") for setting in settings]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise typer.BadParameter("--config is written as KEY=VALUE")
    return {key: value for key, _, value in pairs}


def _facts(logs: JobLogs, overrides: Mapping[str, str]) -> JobFacts:
    """What the job's coordinator stream says; what the user says goes before (SAMZA-2074)."""
    read = JobFacts({}, frozenset()) if logs.coordinator is None else JobFacts.read(logs.coordinator)
    return replace(read, config={**read.config, **overrides})


def _named(logs: JobLogs, facts: JobFacts) -> Job:
    """The job as its config names it, else as its streams do."""
    return Job(facts.config.get(JOB_NAME, logs.job.name), facts.config.get(JOB_ID, logs.job.id))


def _manager(logs: JobLogs, facts: JobFacts) -> JobCheckpoints:
    retry = Retry(longest=TRIED_SECONDS)
    manager = checkpoint_manager(
        facts.config,
        coordinator=logs.coordinator,
        checkpoint=logs.checkpoint,
        source=CHECKPOINT_TOOL,
        retry=retry,
        writes_any_version=True,  # the one that the job reads
    )
    if isinstance(manager, CheckpointManager) and not _has_checkpoints(manager):
        raise CoordstreamError(
            f"job {logs.job} says nowhere that it keeps checkpoints: it has no checkpoint topic, none on its "
            f"coordinator stream, and no {CHECKPOINT_FACTORY}: set that, and make the topic (`coordstream log create`)."
        )
    return manager


def _has_checkpoints(manager: CheckpointManager) -> bool:
    with manager:
        return bool(manager.task_names())


def _require_writable(logs: JobLogs, facts: JobFacts) -> None:
    """Refuse before anybody is asked, rather than after."""
    place = checkpoint_place(facts.config, has_checkpoint_topic=logs.checkpoint is not None)
    log = logs.checkpoint if place == "checkpoint" else logs.coordinator
    if log is not None and not log.capabilities.can_append:
        log.append([])  # says why


def _require_stopped(tool: CheckpointTool, *, force: bool) -> None:
    if not force:
        tool.require_stopped()


def _print_current(tool: CheckpointTool, job: Job, *, as_json: bool, as_csv: bool) -> None:
    lines = list(tool.property_lines())
    if lines:
        _mention_missing(tool, {})
    if as_json or as_csv:
        print_list([{"job_name": job.name, "job_id": job.id, "line": line} for line in lines], as_csv=as_csv)
        return
    for line in lines:
        print(line)
    if not lines:
        print(f"job {job} has no checkpoint yet.", file=sys.stderr)


def _mention_missing(tool: CheckpointTool, given: TaskOffsets) -> None:
    """Name the tasks that have no checkpoint and are not given one."""
    missing = [task_name for task_name in tool.without_checkpoint() if task_name not in given]
    if missing:
        shown = ", ".join(missing[:MOST_NAMED]) + (
            f" and {len(missing) - MOST_NAMED} more" if missing[MOST_NAMED:] else ""
        )
        has = "1 task of the job has" if len(missing) == 1 else f"{len(missing)} tasks of the job have"
        print(f"{has} no checkpoint, and will start at the job's default offsets: {printable(shown)}.", file=sys.stderr)


def _show(changes: Sequence[CheckpointChange], job: Job, *, as_json: bool) -> None:
    for sentence in _warnings(changes):
        print(sentence, file=sys.stderr)
    if not as_json:
        title = f"Checkpoints of {job} that would change" if changes else f"Checkpoints of {job} are so already:"
        print_rows(_rows(changes, job), COLUMNS, title=title, as_json=False)


def _warnings(changes: Sequence[CheckpointChange]) -> list[str]:
    """Samza 1.8 splits the names in a V2 checkpoint at every dot, and then can't start the task."""
    return [
        f"task {change.task_name!r}: Samza can't read V2 checkpoints of streams with a dot in their name "
        f"({', '.join(dotted)}): let the job read V1 (task.checkpoint.read.versions=1)."
        for change in changes
        if (dotted := dotted_streams(change.after))
    ]


def _counted(count: int) -> str:
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
