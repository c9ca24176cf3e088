"""`coordstream startpoint fan-out`: requests handed to the tasks, as the job's coordinator does when it starts."""

import sys
from collections.abc import Collection, Iterable
from typing import Annotated, Final

import typer

from coordstream.cli.arguments.options import Csv, JobWord, Json
from coordstream.cli.confirmation import ask
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, input_partition, print_rows
from coordstream.cli.query.rows import Row
from coordstream.cli.startpoint.job import StartpointJob, open_startpoint_job, require_stopped
from coordstream.cli.startpoint.wording import listed, startpoint_place
from coordstream.cli.startpoint.write import counted
from eventlog.log import system_clock
from eventlog.startpoint import is_expired
from eventlog.timestamps import ms_of
from managers.startpoints.startpoint_fan_out import FanOutPlan, FanOuts
from managers.startpoints.startpoint_manager import StartpointManager
from managers.startpoints.startpoint_plan import plan_next_fan_out
from managers.stores.coordinator_store import CoordinatorStreamStore

COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("starts", "start"),
)


def fan_out(
    job: JobWord,
    force: Annotated[bool, typer.Option("--force", help="Also while the job looks alive.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would happen, and write nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Hand requested startpoints to the tasks, for a job whose own coordinator can't (pass-through).

    Other coordinators do so whenever they start a job; --dry-run shows what they would hand out now.

    The job must stand still: a task looks at what it was handed only when it starts.
    """
    with open_startpoint_job(job, system_clock) as found:
        now_ms = ms_of(system_clock())
        planned = plan_next_fan_out(found.facts, now_ms)
        handed, is_written = planned.fanned_out, bool(planned.fanned_out) and not dry_run
        if is_written:
            found.require_writable()
            if not force:
                require_stopped(found, system_clock)
        _show(
            found,
            planned,
            [*found.warnings(), *left_over(found, planned.deleted_keys, now_ms)],
            as_json=as_json or as_csv,
        )
        if is_written:
            ask(f"Hand out {counted(_count(handed))}?", yes=yes, done="handed out")
            handed = _hand_out(found)
    if as_json or as_csv:
        print_list([{**row, "is_written": is_written} for row in rows(found, handed)], as_csv=as_csv)
    elif planned.fanned_out:
        print("Nothing was written: this was a dry run." if dry_run else _told(handed))


def rows(found: StartpointJob, handed: FanOuts) -> list[Row]:
    """A row a partition of a task."""
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
            "start": startpoint_place(startpoint),
        }
        for task_name, given in sorted(handed.items())
        for partition, startpoint in sorted(given.items())
    ]


def _hand_out(found: StartpointJob) -> FanOuts:
    """What the tasks were handed indeed, which is more where something was requested meanwhile."""
    with (
        CoordinatorStreamStore(found.log) as store,
        StartpointManager(store, clock=lambda: ms_of(system_clock())) as manager,
    ):
        return manager.fan_out(found.facts.reads())


def left_over(found: StartpointJob, taken: Collection[str], now_ms: int) -> list[str]:
    """Sentences about requests that nobody is handed."""
    left = {text: startpoint for text, startpoint in found.facts.requests.items() if text not in taken}
    expired = [text for text, startpoint in left.items() if is_expired(startpoint, now_ms)]
    unread = [text for text in left if text not in expired]
    told = []
    if expired:
        told.append(f"requested more than 12 hours ago, so nobody gets it any more: {listed(expired)}")
    if unread:
        told.append(
            f"no task of the job reads that, or its name can be read in two ways, so nobody gets it: {listed(unread)}"
        )
    return told


def _show(found: StartpointJob, planned: FanOutPlan, told: Iterable[str], *, as_json: bool) -> None:
    if not as_json:
        title = f"Startpoints that the tasks of {found.job} would be handed"
        print_rows(rows(found, planned.fanned_out), COLUMNS, title=title, as_json=False)
        sys.stdout.flush()
    for sentence in told:
        print(f"warning: {sentence}", file=sys.stderr)


def _count(handed: FanOuts) -> int:
    return sum(map(len, handed.values()))


def _told(handed: FanOuts) -> str:
    tasks = "1 task" if len(handed) == 1 else f"{len(handed)} tasks"
    return f"{counted(_count(handed))} handed to {tasks}: each starts there when it starts next."
