"""`coordstream startpoint fan-out`: fan requests out to the tasks, as a job's coordinator does when it starts."""

from collections.abc import Collection
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Csv, JobWord, Json, Yes
from coordstream.cli.job.logs import require_stopped
from coordstream.cli.job.startpoint_job import StartpointJob, open_startpoint_job
from coordstream.cli.output import Column, confirm, print_list, print_rows
from coordstream.cli.startpoint.write import count_startpoints
from coordstream.messages import warn
from coordstream.queries.rows import Row, Rows, input_partition
from coordstream.queries.startpoints import describe_startpoint
from eventlog.errors import list_names
from eventlog.log import require_writable, system_clock
from eventlog.startpoint import is_expired
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_tool import job_alive
from managers.startpoints.next_starts import plan_next_fan_out
from managers.startpoints.startpoint_fan_out import FanOuts
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore

MOST_LISTED: Final = 3
FAN_OUT: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id"),
    *("startpoint_type", "startpoint_value", "start", "is_written"),
)
COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("starts", "start"),
)


def fan_out(
    job: JobWord,
    force: Annotated[bool, typer.Option("--force", help="Write even if the job appears to be running.")] = False,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the fan-out and write nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Fan requested startpoints out to the tasks of a stopped job.

    For jobs whose coordinator does not do this (PassthroughJobCoordinator). Other coordinators fan out at each start;
    --dry-run shows the result.

    Stop the job first: a task reads its fan-out only when it starts.
    """
    with open_startpoint_job(job, system_clock) as found:
        now_ms = ms_of(system_clock())
        plan = plan_next_fan_out(found.facts, now_ms)
        fan_outs, is_written = plan.fanned_out, bool(plan.fanned_out) and not dry_run
        if is_written:
            require_writable(found.log)
            if not force:
                require_stopped(found.job, job_alive(found.last_commit_ms, found.facts.job.config, now_ms))
        if not (as_json or as_csv):
            title = f"Startpoints to fan out to the tasks of {found.job}"
            print_rows(rows(found, fan_outs), COLUMNS, title=title, as_json=False)
        warn([*found.warnings(), *left_over(found, plan.deleted_keys, now_ms)])
        if is_written:
            confirm(f"Fan out {count_startpoints(_count(fan_outs))}?", yes=yes, done="fanned out")
            fan_outs = _fan_out(found)
    if as_json or as_csv:
        written = ({**row, "is_written": is_written} for row in rows(found, fan_outs))
        print_list(Rows(FAN_OUT, written), as_csv=as_csv)
    elif plan.fanned_out:
        print("Nothing was written (dry run)." if dry_run else _result(fan_outs))


def rows(found: StartpointJob, fan_outs: FanOuts) -> list[Row]:
    """A row for each partition of each task."""
    return [
        {
            "job_name": found.job.name,
            "job_id": found.job.id,
            "task_name": task_name,
            "system_name": partition.system,
            "stream_name": partition.stream,
            "partition_id": partition.partition,
            "startpoint_type": startpoint.kind,
            "startpoint_value": startpoint.value,
            "start": describe_startpoint(startpoint),
        }
        for task_name, startpoints in sorted(fan_outs.items())
        for partition, startpoint in sorted(startpoints.items())
    ]


def left_over(found: StartpointJob, fanned_out_keys: Collection[str], now_ms: int) -> list[str]:
    """Warnings about requests that are not fanned out."""
    left = {text: startpoint for text, startpoint in found.facts.requests.items() if text not in fanned_out_keys}
    expired = [text for text, startpoint in left.items() if is_expired(startpoint, now_ms)]
    unread = [text for text in left if text not in expired]
    sentences = []
    if expired:
        sentences.append(f"Expired after 12 hours, not fanned out: {list_names(expired, MOST_LISTED)}.")
    if unread:
        sentences.append(
            f"Not read by any task, or ambiguous, and therefore not fanned out: {list_names(unread, MOST_LISTED)}."
        )
    return sentences


def _fan_out(found: StartpointJob) -> FanOuts:
    """What was fanned out: more than was planned if something was requested in the meantime."""
    with (
        CoordinatorStreamStore(found.log) as store,
        StartpointManager(store, clock=lambda: ms_of(system_clock())) as manager,
    ):
        return manager.fan_out(found.facts.reads())


def _count(fan_outs: FanOuts) -> int:
    return sum(map(len, fan_outs.values()))


def _result(fan_outs: FanOuts) -> str:
    tasks = "1 task" if len(fan_outs) == 1 else f"{len(fan_outs)} tasks"
    return f"{count_startpoints(_count(fan_outs))} fanned out to {tasks}. Each task starts there at its next start."
