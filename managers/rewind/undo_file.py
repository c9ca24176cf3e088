"""The undo file of a rewind. It is on disk before the first write, and has everything that is written and replaced."""

from collections.abc import Mapping
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeInt

from eventlog.checkpoint import Offsets
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from eventlog.startpoint import StartpointType
from managers.rewind.rewind_plan import RewindPlan

_MODEL = ConfigDict(frozen=True, extra="forbid")


class OldStart(BaseModel):
    """Where the next start would have begun a partition, as a startpoint."""

    model_config = _MODEL

    startpoint_type: StartpointType
    startpoint_value: str | None


class RequestChange(BaseModel):
    """A startpoint request that is written: its key, and its JSON on the log before and after (None: no request)."""

    model_config = _MODEL

    key_text: str
    before: str | None
    after: str | None
    old_start: OldStart | None = None


class InputOffset(BaseModel):
    """The last processed offset of a partition in a checkpoint."""

    model_config = _MODEL

    system_name: str
    stream_name: str
    partition_id: int
    key_bucket: int = NO_KEY_BUCKET
    input_offset: str | None


class OffsetsChange(BaseModel):
    """The input offsets in a task's checkpoint before (empty: no checkpoint) and after a rewind."""

    model_config = _MODEL

    task_name: str
    before: tuple[InputOffset, ...]
    after: tuple[InputOffset, ...]


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


def saved_offsets(offsets: Offsets) -> tuple[InputOffset, ...]:
    """The offsets of a checkpoint for an undo file, sorted by partition."""
    return tuple(
        InputOffset(
            system_name=partition.system,
            stream_name=partition.stream,
            partition_id=partition.partition,
            key_bucket=partition.key_bucket,
            input_offset=offset,
        )
        for partition, offset in sorted(offsets.items())
    )


def restored_offsets(saved: tuple[InputOffset, ...]) -> Mapping[SystemStreamPartition, str | None]:
    """The offsets of a checkpoint from an undo file."""
    return {
        SystemStreamPartition(each.system_name, each.stream_name, each.partition_id, each.key_bucket): each.input_offset
        for each in saved
    }
