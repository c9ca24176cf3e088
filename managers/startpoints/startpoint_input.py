"""What a job's input says of a startpoint: the offset that it means there, and whether what it asks for is there."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import Startpoint, StartpointSpecific, StartpointTimestamp
from eventlog.system_admin import ResolvedStartpoint, SystemAdmin, SystemStreamPartitionMetadata


class Finding(Enum):
    """What is odd about a startpoint in one partition of its input."""

    NOT_THERE = "not-there"
    """The input has no such partition."""
    AFTER_LAST = "after-last"
    """No event is as late as the time, or the offset is beyond the end."""
    BEFORE_RETAINED = "before-retained"
    """Events since the time, or the one at the offset, are gone already: the input starts later."""


@dataclass(frozen=True, slots=True)
class InputAnswer:
    """How far each partition of a stream reaches, and what a startpoint means in those that were asked for."""

    ends: Mapping[int, SystemStreamPartitionMetadata]
    resolved: Mapping[int, ResolvedStartpoint]
    findings: Mapping[int, Finding]

    def first_offset(self, partition: int, start: StartingOffset) -> str | None:
        """The first offset that a start by checkpoint, reset or default reads; None where the input doesn't tell."""
        ends = self.ends.get(partition)
        if start.starting_offset is not None or ends is None:
            return start.starting_offset
        if start.startpoint_type == "oldest":
            return ends.oldest_offset or ends.upcoming_offset
        return ends.upcoming_offset if start.startpoint_type == "upcoming" else None


def ask_input(
    admin: SystemAdmin, system: str, stream: str, partitions: Collection[int] | None, startpoint: Startpoint
) -> InputAnswer:
    """Ask an input what a startpoint means in these partitions of a stream, None for all. Raises as the admin does."""
    found = admin.get_system_stream_metadata([stream]).get(stream)
    ends = {} if found is None else found.partitions
    resolved: dict[int, ResolvedStartpoint] = {}
    findings: dict[int, Finding] = {}
    for number in sorted(ends if partitions is None else partitions):
        answer = None
        if number in ends:
            answer = admin.resolve_startpoint(SystemStreamPartition(system, stream, number), startpoint)
        if answer is not None:
            resolved[number] = answer
        finding = _finding(admin, startpoint, ends.get(number), answer)
        if finding is not None:
            findings[number] = finding
    return InputAnswer(ends, resolved, findings)


def _finding(
    admin: SystemAdmin,
    startpoint: Startpoint,
    ends: SystemStreamPartitionMetadata | None,
    resolved: ResolvedStartpoint | None,
) -> Finding | None:
    if ends is None:
        return Finding.NOT_THERE
    match startpoint:
        case StartpointTimestamp():
            return None if resolved is None else _of_time(ends, resolved)
        case StartpointSpecific(str(offset)):
            return _of_offset(admin, offset, ends)
    return None


def _of_time(ends: SystemStreamPartitionMetadata, resolved: ResolvedStartpoint) -> Finding | None:
    if resolved.is_past_end:
        return Finding.AFTER_LAST
    is_cut = ends.oldest_offset not in (None, "0")
    return Finding.BEFORE_RETAINED if is_cut and resolved.offset == ends.oldest_offset else None


def _of_offset(admin: SystemAdmin, offset: str, ends: SystemStreamPartitionMetadata) -> Finding | None:
    first = ends.oldest_offset or ends.upcoming_offset
    if first is not None and (admin.offset_comparator(offset, first) or 0) < 0:
        return Finding.BEFORE_RETAINED
    if ends.upcoming_offset is not None and (admin.offset_comparator(offset, ends.upcoming_offset) or 0) > 0:
        return Finding.AFTER_LAST
    return None
