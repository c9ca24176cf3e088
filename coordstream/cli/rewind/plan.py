"""`coordstream rewind plan`: where a job would start instead, and what that costs."""

import re
import shlex
from pathlib import Path
from typing import Final

import typer

from coordstream.cli.arguments import Csv, InputServers, JobWord, Json, Tasks
from coordstream.cli.input_system import check_servers
from coordstream.cli.job.startpoint_job import StartpointJob, open_startpoint_job
from coordstream.cli.output import print_list
from coordstream.cli.rewind.plan_options import (
    ByDuration,
    CountUpTo,
    FromFile,
    InputNames,
    Output,
    ShiftBy,
    ToDatetime,
    ToDeployment,
    ToEarliest,
    ToLatest,
    ToOffset,
    ToRun,
)
from coordstream.cli.rewind.plan_rewind import COUNT_UP_TO, plan_rewind
from coordstream.cli.rewind.plan_table import plan_rows, plan_warnings, print_plan
from coordstream.cli.rewind.selection import Selection
from coordstream.cli.rewind.target_options import OPTIONS, ChosenTarget
from coordstream.cli.verbs import Verb
from coordstream.messages import note, warn
from eventlog.log import system_clock
from managers.rewind.rewind_files import require_new_file, write_rewind_file
from managers.rewind.rewind_plan import RewindPlan

app = typer.Typer(no_args_is_help=True)
VERBS: Final = (Verb("apply", "rewind.apply", "apply"), Verb("undo", "rewind.apply", "undo"))


@app.callback()
def _noun() -> None:
    """A callback makes Typer keep the word of a single verb."""


@app.command()
def plan(
    job: JobWord,
    datetime_: ToDatetime = None,
    duration: ByDuration = None,
    shift: ShiftBy = None,
    offset: ToOffset = None,
    earliest: ToEarliest = False,
    latest: ToLatest = False,
    run: ToRun = None,
    deployment: ToDeployment = None,
    file: FromFile = None,
    inputs: InputNames = None,
    tasks: Tasks = None,
    output: Output = None,
    count_up_to: CountUpTo = COUNT_UP_TO,
    servers: InputServers = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Plan to start a job from other offsets, and show what that costs.

    Writes a plan file for `rewind apply`, and nothing else. Offsets are those of the next record to read.

    Example: coordstream rewind plan wordcount --to-datetime '2 hours ago' --input kafka.page-views
    """
    values = (datetime_, duration, shift, offset, earliest, latest, run, deployment, file)
    chosen = ChosenTarget.of(dict(zip(OPTIONS, values, strict=True)))
    check_servers(servers)
    if output is not None:
        require_new_file(output)
    with open_startpoint_job(job, system_clock) as found:
        target_of = chosen.target_of(found, system_clock())
        selection = Selection(inputs or (), tasks or ())
        made = plan_rewind(found, target_of, selection, servers=servers, count_up_to=count_up_to, clock=system_clock)
        keep_plan(made, found, output, as_json=as_json, as_csv=as_csv)


def keep_plan(made: RewindPlan, found: StartpointJob, output: Path | None, *, as_json: bool, as_csv: bool) -> None:
    """Write a plan to a file and print it, with warnings. Raises `RewindFileError` if the file exists."""
    path = output or default_path(made)
    write_rewind_file(path, made, may_replace=False)
    if as_json or as_csv:
        print_list([{**row, "plan_file": str(path)} for row in plan_rows(made)], as_csv=as_csv)
    else:
        print_plan(made)
    warn(plan_warnings(made, found))
    note(f"Wrote {path}. To apply it: coordstream rewind apply {shlex.quote(str(path))}")


def default_path(made: RewindPlan) -> Path:
    """A file in the current folder, named after the job and the time."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", f"{made.job_name}-{made.job_id}")
    return Path(f"rewind-{name}-{made.made_at:%Y%m%dT%H%M%SZ}.json")
