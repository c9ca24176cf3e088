"""The undo file of a rewind. It is on disk before the first write, and has everything that is written and replaced."""

from pathlib import Path
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeInt

from managers.rewind.checkpoint_changes import OffsetsChange
from managers.rewind.request_changes import RequestChange
from managers.rewind.rewind_errors import InvalidRewind, RewindOutdated
from managers.rewind.rewind_files import read_rewind_file
from managers.rewind.rewind_plan import RewindPlan

_MODEL: Final = ConfigDict(frozen=True, extra="forbid")


class RequestUndo(BaseModel):
    """The changes that undo those of startpoint requests. On disk before the first of them is written."""

    model_config = _MODEL

    log_offset: NonNegativeInt
    requests: tuple[RequestChange, ...]


class UndoFile(BaseModel):
    """What a rewind writes: startpoint requests, or checkpoints.

    ``plan_sha256`` is that of the plan file. The changes of requests are on the coordinator stream from ``log_offset``
    on, those of checkpoints on their log from ``checkpoint_log_offset`` on. ``is_undone``: the undo has begun; for
    requests, ``undo`` has what it writes.
    """

    model_config = _MODEL

    format: Literal["coordstream-rewind-undo"] = "coordstream-rewind-undo"
    version: Literal[1] = 1
    plan_sha256: str
    begun_at: AwareDatetime
    plan: RewindPlan
    log_offset: NonNegativeInt
    checkpoint_log_offset: NonNegativeInt = 0
    requests: tuple[RequestChange, ...] = ()
    checkpoints: tuple[OffsetsChange, ...] = ()
    is_undone: bool = False
    undo: RequestUndo | None = None


def default_undo_path(plan_path: Path) -> Path:
    """The undo file of a plan, beside it."""
    return plan_path.with_name(f"{plan_path.name.removesuffix('.json')}.undo.json")


def read_begun(path: Path, plan_sha256: str, *, with_checkpoints: bool) -> UndoFile | None:
    """The undo file of a former `apply`, None if there is none.

    Raises:
        RewindFileError: the file cannot be read.
        InvalidRewind: it is of another plan, or was written by the other kind of `apply`.
        RewindOutdated: the rewind was undone.
    """
    if not path.exists():
        return None
    begun, _ = read_rewind_file(path, UndoFile)
    if begun.plan_sha256 != plan_sha256:
        raise InvalidRewind(f"'{path}' is the undo file of another plan. Use --undo-file to name another file.")
    if begun.is_undone:
        raise RewindOutdated("The rewind was undone. Make a new plan.")
    if with_checkpoints is not bool(begun.checkpoints):
        kind, option = ("checkpoints", "with") if begun.checkpoints else ("startpoints", "without")
        raise InvalidRewind(
            f"An earlier `rewind apply` has begun to write this plan as {kind}. Use it {option} --checkpoints."
        )
    return begun
