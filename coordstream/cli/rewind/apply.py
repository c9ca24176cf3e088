"""`coordstream rewind apply|undo`: write the startpoints or checkpoints of a plan, or those of before."""

from pathlib import Path
from typing import Annotated

import typer

from coordstream.cli.arguments import Csv, InputServers, Json, Yes
from coordstream.cli.checkpoint.write import count_checkpoints
from coordstream.cli.input_system import check_servers
from coordstream.cli.output import print_list
from coordstream.cli.rewind.application import Application
from coordstream.cli.rewind.applied_checkpoints import apply_checkpoints, undo_applied_checkpoints
from coordstream.cli.rewind.applied_requests import apply_requests, undo_applied_requests
from coordstream.cli.rewind.plan_table import plan_rows, print_plan
from coordstream.cli.startpoint.write import count_startpoints
from coordstream.messages import note
from managers.rewind.rewind_files import read_rewind_file
from managers.rewind.rewind_plan import RewindPlan
from managers.rewind.undo_file import UndoFile, default_undo_path, read_begun


def apply(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A file of `rewind plan`.")],
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints", help="Write checkpoints instead of startpoints; the job must be stopped.")
    ] = False,
    undo_file: Annotated[
        Path | None,
        typer.Option("--undo-file", metavar="FILE", help="The undo file (default: beside PLAN, *.undo.json)."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write even if the job appears to be running, or the clock is hours behind.")
    ] = False,
    servers: InputServers = None,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the plan and write nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Apply a plan: the job starts from its offsets at the next start.

    Writes startpoints, which a running job follows when it starts again within 12 hours, or checkpoints of a stopped
    job. Refuses a plan if the job's startpoints, assignments or checkpoints have changed since it was made; the
    checkpoints of a running job may have advanced.

    The undo file is written first. If this command is interrupted, run it again: it continues.
    """
    check_servers(servers)
    plan, plan_sha256 = read_rewind_file(plan_file, RewindPlan)
    path = undo_file or default_undo_path(plan_file)
    begun = read_begun(path, plan_sha256, with_checkpoints=checkpoints)
    is_shown = not (as_json or as_csv)
    if is_shown:
        print_plan(plan)
    application = Application(
        plan=plan,
        plan_sha256=plan_sha256,
        undo_path=path,
        begun=begun,
        servers=servers,
        force=force,
        yes=yes,
        dry_run=dry_run,
    )
    count = apply_checkpoints(application) if checkpoints else apply_requests(application)
    if is_shown:
        print(_result(count, checkpoints=checkpoints, dry_run=dry_run, is_continued=begun is not None))
    else:
        print_list([{**row, "is_written": not dry_run} for row in plan_rows(plan)], as_csv=as_csv)
    note("" if dry_run else f"To undo: {application.undo_command}")


def undo(
    undo_file: Annotated[Path, typer.Argument(metavar="FILE", help="The undo file that `rewind apply` has written.")],
    force: Annotated[
        bool,
        typer.Option("--force", help="Undo even if the job has started and committed since, or appears to be running."),
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Undo a rewind, wholly or partly applied: the next start begins where it would have begun without it.

    If this command is interrupted, run it again: it continues.
    """
    saved, _ = read_rewind_file(undo_file, UndoFile)
    undo_applied = undo_applied_checkpoints if saved.checkpoints else undo_applied_requests
    written = undo_applied(saved, undo_file, force=force, yes=yes)
    counted = count_checkpoints(written) if saved.checkpoints else count_startpoints(written)
    if as_json or as_csv:
        named = {"job_name": saved.plan.job_name, "job_id": saved.plan.job_id, "undo_file": str(undo_file)}
        print_list([{**named, "written": written}], as_csv=as_csv)
    else:
        print(f"Undone: {counted} written." if written else "Nothing to write: the rewind is undone.")


def _result(count: int, *, checkpoints: bool, dry_run: bool, is_continued: bool) -> str:
    """What was written; for a dry run, what an interrupted `apply` has left to write."""
    counted = count_checkpoints(count) if checkpoints else count_startpoints(count)
    if is_continued and not count:
        return "Nothing to write: the plan is already applied."
    if dry_run:
        rest = f" The plan was applied in part: {counted} to write." if is_continued else ""
        return f"Nothing was written (dry run).{rest}"
    return f"{counted} written."
