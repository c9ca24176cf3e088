"""The inputs of a job while a rewind is planned: how far they reach, and which records they have."""

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from coordstream.cli.input_system import Config, input_options, open_input
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from eventlog.system_admin import BoundedSystemAdmin, PartitionBounds
from managers.rewind.rewind_cost import Counted

if TYPE_CHECKING:
    from eventlog.kafka.partition_reader import RecordCounter

Partitions = Collection[SystemStreamPartition]


class Inputs:
    """Connections to the input systems of a job, opened when they are first used. A context manager."""

    def __init__(self, config: Config, servers: str | None = None) -> None:
        """``servers`` override the brokers in the job's config."""
        self._config: Final = config
        self._servers: Final = servers
        self._opened: Final = ExitStack()
        self._admins: dict[str, BoundedSystemAdmin] = {}
        self._counters: dict[str, RecordCounter] = {}

    def bounds(self, partitions: Partitions) -> Mapping[SystemStreamPartition, PartitionBounds]:
        """How far these partitions reach; one that its input does not have is left out. Raises `InputUnknown`."""
        streams: dict[str, set[str]] = {}
        for each in partitions:
            streams.setdefault(each.system, set()).add(each.stream)
        return {
            SystemStreamPartition(system, bounds.stream_name, bounds.partition): bounds
            for system, names in sorted(streams.items())
            for bounds in self._bounds(system, sorted(names))
        }

    def offsets(self, startpoints: Mapping[SystemStreamPartition, Startpoint]) -> dict[SystemStreamPartition, int]:
        """The first offset to read for each startpoint, which has an offset or a time."""
        found: dict[SystemStreamPartition, int] = {}
        for system in sorted({partition.system for partition in startpoints}):
            asked = {each: startpoint for each, startpoint in startpoints.items() if each.system == system}
            resolved = self._admin(system).resolve_startpoints(asked)
            found |= {each: int(one.offset) for each, one in resolved.items() if one is not None}
        return found

    def count(self, partition: SystemStreamPartition, offsets: range) -> Counted:
        """Count the records in a range of offsets by reading them. Raises as `RecordCounter.count`."""
        return Counted(*self._counter(partition.system).count(partition, offsets.start, offsets.stop))

    def close(self) -> None:
        """Close the connections."""
        self._opened.close()

    def _bounds(self, system: str, streams: Collection[str]) -> Collection[PartitionBounds]:
        return self._admin(system).get_bounds(streams)

    def _counter(self, system: str) -> "RecordCounter":
        from eventlog.kafka.partition_reader import RecordCounter  # noqa: PLC0415 (loads kafka-python)

        if system not in self._counters:
            options = input_options(self._config, system, self._servers)
            self._counters[system] = self._opened.enter_context(RecordCounter(options))
        return self._counters[system]

    def _admin(self, system: str) -> BoundedSystemAdmin:
        if system not in self._admins:
            self._admins[system] = self._opened.enter_context(open_input(self._config, system, self._servers))
        return self._admins[system]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
