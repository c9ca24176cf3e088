"""`coordstream rewind undo`: restore the starting offsets of before a rewind."""

from pathlib import Path
from typing import Annotated

import typer

from coordstream.cli.arguments.options import Csv, Json, Yes
from coordstream.cli.output.formats import print_list
from coordstream.cli.rewind.applied_checkpoints import count_checkpoints, undo_applied_checkpoints
from coordstream.cli.rewind.applied_requests import undo_applied_requests
from coordstream.cli.startpoint.write import count_startpoints
from managers.rewind.rewind_files import read_rewind_file
from managers.rewind.undo_file import UndoFile


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
