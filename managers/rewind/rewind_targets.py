"""The targets of a rewind: which offset each partition of each task is to start from. Pure."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from eventlog.errors import did_you_mean, list_names
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from managers.rewind.rewind_errors import InvalidRewind
from managers.rewind.rewind_plan import Finding
from managers.startpoints.startpoint_records import without_key_bucket

Reader = tuple[str, SystemStreamPartition]
"""A task and a partition that it reads."""


class Position(NamedTuple):
    """Where the next start of a task would begin a partition, and how far the partition reaches.

    ``checkpoint_offset`` is the last processed offset, None without a checkpoint. The partition has records from
    ``oldest_offset`` to before ``end_offset``.
    """

    task_name: str
    partition: SystemStreamPartition
    start: StartingOffset
    checkpoint_offset: str | None
    from_offset: int
    oldest_offset: int
    end_offset: int

    @property
    def reader(self) -> Reader:
        """The task and the partition."""
        return self.task_name, self.partition


class Placed(NamedTuple):
    """A position, and the offset that the task is to start from. ``requested_offset``: before it was limited."""

    position: Position
    requested_offset: int
    to_offset: int
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Target:
    """Where to rewind to. ``words`` describe it, and ``offset_at`` returns the offset for a position, None for none.

    ``beyond_end`` says what happens to an offset after the end of the input: it is limited to the end, or refused.
    ``is_time``: the offsets are those of the first records since a time.
    """

    words: str
    offset_at: Callable[[Position], int | None]
    beyond_end: Literal["limit", "refuse"] = "limit"
    is_time: bool = False


def to_earliest() -> Target:
    """The oldest record of each partition."""
    return Target("earliest", lambda position: position.oldest_offset)


def to_latest() -> Target:
    """The end of each partition."""
    return Target("latest", lambda position: position.end_offset)


def to_offset(offset: int) -> Target:
    """The same offset in each partition; refused beyond the end."""
    return Target(f"offset {offset}", lambda _: offset, "refuse")


def shifted_by(records: int) -> Target:
    """This many offsets after (negative: before) the next start."""
    return Target(f"shift by {records:+d}", lambda position: position.from_offset + records)


def to_offsets(words: str, offsets: Mapping[Reader, int]) -> Target:
    """The given offset of each task and partition, which are the next ones to read; refused beyond the end."""
    return Target(words, lambda position: offsets.get(position.reader), "refuse")


def to_partition_offsets(words: str, offsets: Mapping[SystemStreamPartition, int]) -> Target:
    """The given offset of each partition, in every task that reads it; refused beyond the end."""
    return Target(words, lambda position: offsets.get(without_key_bucket(position.partition)), "refuse")


def to_time(words: str, resolved: Mapping[SystemStreamPartition, int]) -> Target:
    """The first record since a time, or the end if there is none; ``resolved`` has the offset for each partition."""
    return Target(words, lambda position: resolved.get(position.partition), is_time=True)


def place(positions: Iterable[Position], target: Target) -> list[Placed]:
    """The positions that the target has an offset for, with offsets that the input has.

    Raises:
        InvalidRewind: an offset is beyond the end of its partition, and the target refuses that.
    """
    found = ((position, target.offset_at(position)) for position in positions)
    return [_placed(position, offset, target) for position, offset in found if offset is not None]


def require_readers(wanted: Collection[Reader], known: Collection[Reader]) -> None:
    """Raise `InvalidRewind` for the first task or partition that the job does not have."""
    for task_name, partition in sorted(set(wanted) - set(known)):
        tasks = sorted({task for task, _ in known})
        if task_name not in tasks:
            raise InvalidRewind(
                f"The job has no task {task_name!r} with inputs. Its tasks: {list_names(tasks)}."
                f"{did_you_mean(task_name, tasks)}"
            )
        own = [str(each) for task, each in sorted(known) if task == task_name]
        raise InvalidRewind(f"Task {task_name!r} does not read {partition}. It reads: {list_names(own)}.")


def _placed(position: Position, requested: int, target: Target) -> Placed:
    oldest, end = position.oldest_offset, position.end_offset
    if requested > end and target.beyond_end == "refuse":
        raise InvalidRewind(
            f"Offset {requested} of {position.partition} is beyond its end, {end}. "
            "Use --to-latest to skip all of its records."
        )
    to = min(max(requested, oldest), end)
    return Placed(position, requested, to, _finding(position, requested, to, is_time=target.is_time))


def _finding(position: Position, requested: int, to: int, *, is_time: bool) -> Finding | None:
    oldest = position.oldest_offset
    if requested < oldest or (is_time and requested == oldest > 0):
        return "before_oldest"
    if to == position.end_offset and position.from_offset < to:
        return "skips_everything"
    return "beyond_end" if requested > to else None
