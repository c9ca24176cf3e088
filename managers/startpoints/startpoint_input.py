"""What a startpoint resolves to in its input, and whether the input still has that position."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import Startpoint, StartpointSpecific, StartpointTimestamp
from eventlog.system_admin import ResolvedStartpoint, SystemAdmin, SystemStreamPartitionMetadata


class InputProblem(Enum):
    """Why a startpoint may not do what is expected in one partition of its input."""

    NOT_THERE = "not-there"
    """The input has no such partition."""
    AFTER_LAST = "after-last"
    """No event is that late, or the offset is beyond the end."""
    BEFORE_RETAINED = "before-retained"
    """The input has already deleted events since that time, or the event at that offset."""


@dataclass(frozen=True, slots=True)
class ResolvedInput:
    """The bounds of every partition of a stream; resolved offsets and problems for the requested ones."""

    bounds: Mapping[int, SystemStreamPartitionMetadata]
    resolved: Mapping[int, ResolvedStartpoint]
    problems: Mapping[int, InputProblem]

    def first_offset(self, partition: int, start: StartingOffset) -> str | None:
        """The first offset read by a start from a checkpoint, reset or default; None if unknown."""
        bounds = self.bounds.get(partition)
        if start.starting_offset is not None or bounds is None:
            return start.starting_offset
        if start.startpoint_type == "oldest":
            return bounds.oldest_offset or bounds.upcoming_offset
        return bounds.upcoming_offset if start.startpoint_type == "upcoming" else None


def resolve_input(
    admin: SystemAdmin, system: str, stream: str, partitions: Collection[int] | None, startpoint: Startpoint
) -> ResolvedInput:
    """Resolve a startpoint in these partitions of a stream, None for all. Raises what the admin raises."""
    found = admin.get_system_stream_metadata([stream]).get(stream)
    bounds = {} if found is None else found.partitions
    resolved: dict[int, ResolvedStartpoint] = {}
    problems: dict[int, InputProblem] = {}
    for number in sorted(bounds if partitions is None else partitions):
        resolution = None
        if number in bounds:
            resolution = admin.resolve_startpoint(SystemStreamPartition(system, stream, number), startpoint)
        if resolution is not None:
            resolved[number] = resolution
        problem = _problem(admin, startpoint, bounds.get(number), resolution)
        if problem is not None:
            problems[number] = problem
    return ResolvedInput(bounds, resolved, problems)


def _problem(
    admin: SystemAdmin,
    startpoint: Startpoint,
    bounds: SystemStreamPartitionMetadata | None,
    resolution: ResolvedStartpoint | None,
) -> InputProblem | None:
    if bounds is None:
        return InputProblem.NOT_THERE
    match startpoint:
        case StartpointTimestamp():
            return None if resolution is None else _problem_of_time(bounds, resolution)
        case StartpointSpecific(str(offset)):
            return _problem_of_offset(admin, offset, bounds)
    return None


def _problem_of_time(bounds: SystemStreamPartitionMetadata, resolution: ResolvedStartpoint) -> InputProblem | None:
    if resolution.is_past_end:
        return InputProblem.AFTER_LAST
    is_truncated = bounds.oldest_offset not in (None, "0")
    return InputProblem.BEFORE_RETAINED if is_truncated and resolution.offset == bounds.oldest_offset else None


def _problem_of_offset(admin: SystemAdmin, offset: str, bounds: SystemStreamPartitionMetadata) -> InputProblem | None:
    first = bounds.oldest_offset or bounds.upcoming_offset
    if first is not None and (admin.offset_comparator(offset, first) or 0) < 0:
        return InputProblem.BEFORE_RETAINED
    if bounds.upcoming_offset is not None and (admin.offset_comparator(offset, bounds.upcoming_offset) or 0) > 0:
        return InputProblem.AFTER_LAST
    return None
