"""A plan that is applied, as startpoints or checkpoints: its options, its undo file, and what must not have moved."""

import shlex
from pathlib import Path
from typing import NamedTuple

from coordstream.cli.job.startpoint_job import StartpointJob
from coordstream.cli.output import confirm
from coordstream.cli.rewind.inputs import Inputs
from managers.rewind.rewind_check import (
    require_same_checkpoints,
    require_same_readers,
    require_same_startpoints,
    require_targets,
)
from managers.rewind.rewind_files import write_rewind_file
from managers.rewind.rewind_plan import RewindPlan
from managers.rewind.undo_file import UndoFile


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

    def require_unchanged(self, found: StartpointJob, *, may_advance: bool) -> None:
        """Raise `RewindOutdated` if the job or its inputs are not as they were when the plan was made.

        ``may_advance``: checkpoints may have moved forward, as those of a running job do.
        """
        require_same_startpoints(self.plan, found.log)
        require_same_readers(self.plan, found.facts)
        found.require_checkpoints()
        require_same_checkpoints(self.plan, found.checkpoints, may_advance=may_advance)
        with Inputs(found.facts.job.config, self.servers) as inputs:
            require_targets(self.plan, inputs.bounds({move.partition for move in self.plan.moves}))

    def begin(self, undo_file: UndoFile, question: str) -> None:
        """Ask for confirmation, then write the undo file."""
        confirm(question, yes=self.yes)
        write_rewind_file(self.undo_path, undo_file, may_replace=False)
