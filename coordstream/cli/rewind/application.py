"""What is common to applying a plan as startpoints and as checkpoints: the undo file, and what must not have moved."""

import shlex
from pathlib import Path
from typing import NamedTuple

from coordstream.cli.messages import confirm
from coordstream.cli.rewind.inputs import Inputs
from coordstream.cli.startpoint.job import StartpointJob
from managers.rewind.rewind_check import require_same_checkpoints, require_same_readers, require_same_startpoints
from managers.rewind.rewind_errors import InvalidRewind, WorldMoved
from managers.rewind.rewind_files import read_rewind_file, write_rewind_file
from managers.rewind.rewind_plan import RewindPlan
from managers.rewind.undo_file import UndoFile
from managers.startpoints.startpoint_records import without_key_bucket


class Application(NamedTuple):
    """A plan that is applied, and how. ``begun``: the undo file, if a former `apply` has written it."""

    plan: RewindPlan
    plan_sha256: str
    undo_path: Path
    begun: UndoFile | None
    servers: str | None
    force: bool
    yes: bool
    dry_run: bool

    @property
    def undo_command(self) -> str:
        """The command that undoes the rewind."""
        return f"coordstream rewind undo {shlex.quote(str(self.undo_path))}"

    def begin(self, undo_file: UndoFile, question: str) -> None:
        """Ask for confirmation, then write the undo file."""
        confirm(question, yes=self.yes)
        write_rewind_file(self.undo_path, undo_file, may_replace=False)


def default_undo_path(plan_path: Path) -> Path:
    """The undo file of a plan, beside it."""
    return plan_path.with_name(f"{plan_path.name.removesuffix('.json')}.undo.json")


def read_begun(path: Path, plan_sha256: str, *, with_checkpoints: bool) -> UndoFile | None:
    """The undo file of a former `apply`, None if there is none.

    Raises:
        RewindFileError: the file cannot be read.
        InvalidRewind: it is of another plan, or was written by the other kind of `apply`.
        WorldMoved: the rewind was undone.
    """
    if not path.exists():
        return None
    begun, _ = read_rewind_file(path, UndoFile)
    if begun.plan_sha256 != plan_sha256:
        raise InvalidRewind(f"'{path}' is the undo file of another plan. Use --undo-file to name another file.")
    if begun.is_undone:
        raise WorldMoved("The rewind was undone. Make a new plan.")
    if with_checkpoints is not bool(begun.checkpoints):
        kind, option = ("checkpoints", "with") if begun.checkpoints else ("startpoints", "without")
        raise InvalidRewind(f"This plan was begun to be applied as {kind}. Use `apply` {option} --checkpoints.")
    return begun


def require_unmoved(application: Application, found: StartpointJob, *, may_advance: bool) -> None:
    """Raise `WorldMoved` if the job or its inputs are not as they were when the plan was made.

    ``may_advance``: checkpoints may have moved forward, as those of a running job do.
    """
    require_same_startpoints(application.plan, found.log)
    require_same_readers(application.plan, found.facts)
    found.require_checkpoints()
    require_same_checkpoints(application.plan, found.checkpoints, may_advance=may_advance)
    _require_targets(application, found)


def _require_targets(application: Application, found: StartpointJob) -> None:
    """Raise `WorldMoved` if the input no longer has a target, or not yet."""
    with Inputs(found.facts.job.config, application.servers) as inputs:
        bounds = inputs.bounds({move.partition for move in application.plan.moves})
    for move in application.plan.moves:
        reach = bounds.get(without_key_bucket(move.partition))
        if reach is None or not reach.oldest_offset <= move.to_offset <= reach.end_offset:
            raise WorldMoved(f"The input no longer has offset {move.to_offset} of {move.partition}. Make a new plan.")
