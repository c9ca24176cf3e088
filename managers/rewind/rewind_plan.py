"""The plan of a rewind, a file that `rewind apply` reads: where each task is to start, and what that costs. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, NonNegativeInt

from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from eventlog.startpoint import DecidedBy, StartpointType
from eventlog.system_admin import compare_offsets
from managers.errors import ManagerError
from managers.startpoints.next_starts import Reader, Starts

Finding = Literal["before_oldest", "beyond_end", "skips_everything"]
"""The oldest record or the end is used instead of the target, or the target is the end: what is unread is skipped."""

_NEW_PLAN: Final = "Make a new plan."


class RewindError(ManagerError):
    """A rewind cannot be planned, applied or undone, or its file cannot be read. Nothing was written to the log."""


class Position(BaseModel):
    """Where the next start of a task would begin a partition, which has records from the oldest to before the end.

    ``decided_by``, ``startpoint_type`` and ``startpoint_value`` are those of the relation ``starting_offset``. Offsets
    are those of the next record to read, except ``checkpoint_offset``, the last processed one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    task_name: str
    system_name: str
    stream_name: str
    partition_id: NonNegativeInt
    key_bucket: int = NO_KEY_BUCKET
    decided_by: DecidedBy
    startpoint_type: StartpointType | None
    startpoint_value: str | None
    checkpoint_offset: str | None
    oldest_offset: NonNegativeInt
    end_offset: NonNegativeInt
    from_offset: NonNegativeInt

    @property
    def partition(self) -> SystemStreamPartition:
        return SystemStreamPartition(self.system_name, self.stream_name, self.partition_id, self.key_bucket)

    @property
    def reader(self) -> Reader:
        return self.task_name, self.partition

    def __str__(self) -> str:
        return f"{self.partition} of task {self.task_name!r}"


class Move(Position):
    """A position without a rewind, where it is to be instead, and what that costs.

    ``requested_offset`` is the target before it was limited to the input. ``records_again`` and ``records_skipped`` are
    upper bounds: a compacted topic has fewer. ``seconds_to_catch_up`` is for all partitions of the task together.
    ``stores`` keep their contents, which then do not match the task's position.
    """

    to_offset: NonNegativeInt
    requested_offset: int
    finding: Finding | None
    records_again: NonNegativeInt
    records_skipped: NonNegativeInt
    seconds_to_catch_up: NonNegativeInt | None = None
    stores: tuple[str, ...]


class RewindPlan(BaseModel):
    """A rewind of a job; ``coordinator_stream_id`` is `EventLog.stream_id` of the stream that it was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    job_name: str
    job_id: str
    target: str
    made_at: AwareDatetime
    coordinator_stream_id: str | None
    moves: tuple[Move, ...] = Field(min_length=1)

    @property
    def job_word(self) -> str:
        return f"{self.job_name}/{self.job_id}"

    @property
    def offsets(self) -> dict[Reader, int]:
        """The next offset to read of each task and partition."""
        return {move.reader: move.to_offset for move in self.moves}


@dataclass(frozen=True, slots=True)
class Target:
    """Where to rewind to. ``words`` describe it, and ``offset_at`` returns the offset for a position, None for none.

    ``refuses_beyond_end``: an offset after the end of the input is an error; otherwise it is limited to the end.
    ``is_time``: the offsets are those of the first records since a time.
    """

    words: str
    offset_at: Callable[[Position], int | None]
    refuses_beyond_end: bool = False
    is_time: bool = False


def moves_of(positions: Iterable[Position], target: Target, stores: Sequence[str]) -> list[Move]:
    """The moves of the positions that the target has an offset for, limited to what the input has.

    Raises `RewindError`.
    """
    found = ((position, target.offset_at(position)) for position in positions)
    return [_move(position, offset, target, stores) for position, offset in found if offset is not None]


def with_times(moves: Sequence[Move], rates: Mapping[str, float]) -> list[Move]:
    """The moves with the time to catch up; ``rates`` are records per second of each task."""
    left: Counter[str] = Counter()
    for move in moves:
        left[move.task_name] += move.end_offset - move.to_offset
    seconds = {task_name: round(left[task_name] / rate) for task_name, rate in rates.items() if rate}
    return [move.model_copy(update={"seconds_to_catch_up": seconds.get(move.task_name)}) for move in moves]


def require_unchanged(plan: RewindPlan, now: RewindPlan) -> None:
    """Raise `RewindError` unless the same plan, made ``now``, starts from the same place and has the same targets.

    Checkpoints may have moved forward, as those of a running job do.
    """
    if now.coordinator_stream_id != plan.coordinator_stream_id:
        raise RewindError(f"The coordinator stream of {plan.job_word} was re-created since the plan. {_NEW_PLAN}")
    moves = {move.reader: move for move in now.moves}
    for old in plan.moves:
        new = moves[old.reader]
        if new.to_offset != old.to_offset:
            raise RewindError(f"The input no longer has offset {old.to_offset} of {old.partition}. {_NEW_PLAN}")
        if _startpoint(new) != _startpoint(old):
            raise RewindError(f"The startpoint of {old} has changed since the plan. {_NEW_PLAN}")
        before, after = old.checkpoint_offset, new.checkpoint_offset
        is_later = after is not None and (before is None or (compare_offsets(after, before) or 0) > 0)
        if after != before and not is_later:
            raise RewindError(
                f"The checkpoint of {old} was {before or 'none'} when the plan was made, and now is "
                f"{after or 'none'}. {_NEW_PLAN}"
            )


def require_followed(plan: RewindPlan, starts: Starts) -> None:
    """Raise `RewindError` if a next start, with the plan's startpoints written, would not begin where the plan says."""
    for move in plan.moves:
        start = starts[move.reader]
        if start.decided_by != "startpoint" or start.starting_offset not in (None, str(move.to_offset)):
            raise RewindError(
                f"{move} would not start at offset {move.to_offset}: the {start.decided_by} decides. Run "
                "`coordstream explain` to see why."
            )


def _startpoint(move: Move) -> tuple[StartpointType | None, str | None] | None:
    return (move.startpoint_type, move.startpoint_value) if move.decided_by == "startpoint" else None


def _move(position: Position, requested: int, target: Target, stores: Sequence[str]) -> Move:
    oldest, end, start = position.oldest_offset, position.end_offset, position.from_offset
    if requested > end and target.refuses_beyond_end:
        raise RewindError(
            f"Offset {requested} of {position.partition} is beyond its end, {end}. "
            "Use --to-latest to skip all of its records."
        )
    to = min(max(requested, oldest), end)
    between = abs(min(max(start, oldest), end) - to)  # of the offsets that the input still has
    return Move(
        **dict(position),
        to_offset=to,
        requested_offset=requested,
        finding=_finding(position, requested, to, is_time=target.is_time),
        records_again=between if to <= start else 0,
        records_skipped=0 if to <= start else between,
        stores=() if to == start else tuple(stores),
    )


def _finding(position: Position, requested: int, to: int, *, is_time: bool) -> Finding | None:
    oldest = position.oldest_offset
    if requested < oldest or (is_time and requested == oldest > 0):
        return "before_oldest"
    if to == position.end_offset and position.from_offset < to:
        return "skips_everything"
    return "beyond_end" if requested > to else None
