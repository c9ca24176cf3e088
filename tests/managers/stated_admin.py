"""An input system with preset answers, which records its calls."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from eventlog.system_admin import (
    ResolvedStartpoint,
    SystemStreamMetadata,
    SystemStreamPartitionMetadata,
    compare_offsets,
    offset_after,
)


@dataclass
class StatedAdmin:
    """Every stream has these partitions, each with the same ends; offsets are numbers, and a time is its own offset.

    ``resolve`` says otherwise what an order means; ``lacks`` names streams that are not there.
    """

    oldest: str | None = "0"
    newest: str | None = "1"
    upcoming: str | None = "2"
    partitions: int = 16
    resolve: Callable[[Startpoint], str | None] | None = None
    lacks: frozenset[str] = frozenset()
    streams_asked: list[tuple[str, ...]] = field(default_factory=list)
    resolved: list[tuple[SystemStreamPartition, Startpoint]] = field(default_factory=list)

    def get_offsets_after(
        self, offsets: Mapping[SystemStreamPartition, str]
    ) -> Mapping[SystemStreamPartition, str | None]:
        return {each: offset_after(offset) for each, offset in offsets.items()}

    def get_system_stream_metadata(self, stream_names: Iterable[str]) -> Mapping[str, SystemStreamMetadata]:
        self.streams_asked.append(tuple(stream_names))
        ends = SystemStreamPartitionMetadata(self.oldest, self.newest, self.upcoming)
        known = [name for name in self.streams_asked[-1] if name not in self.lacks]
        return {name: SystemStreamMetadata(name, dict.fromkeys(range(self.partitions), ends)) for name in known}

    def offset_comparator(self, one: str, other: str) -> int | None:
        return compare_offsets(one, other)

    def resolve_startpoint(self, partition: SystemStreamPartition, startpoint: Startpoint) -> ResolvedStartpoint | None:
        offset = self.resolve_startpoint_to_offset(partition, startpoint)
        return None if offset is None else ResolvedStartpoint(offset)

    def resolve_startpoint_to_offset(self, partition: SystemStreamPartition, startpoint: Startpoint) -> str | None:
        """The preset answer, otherwise the startpoint's value, otherwise the bound that it names."""
        self.resolved.append((partition, startpoint))
        if self.resolve is not None:
            return self.resolve(startpoint)
        if startpoint.value is not None:
            return startpoint.value
        return self.oldest if startpoint.kind == "oldest" else self.upcoming
