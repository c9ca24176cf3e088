"""CheckpointListener: lets an input system change the offsets of a commit, and hear what was written."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from eventlog.checkpoint import Offsets
from eventlog.partition import SystemStreamPartition

Compare = Callable[[str, str, str], int | None]
"""Compares two offsets of a system (system, offset, offset); None if they cannot be compared."""


class CheckpointListener:
    """Takes part in the commits of one system's partitions (Samza's interface). Override either method."""

    def before_checkpoint(self, offsets: Mapping[SystemStreamPartition, str]) -> Offsets:
        """Return the offsets to write instead; a partition that is omitted keeps its offset."""
        return offsets

    def on_checkpoint(self, offsets: Offsets) -> None:
        """Called with the offsets that were written."""


def modify_offsets(
    starting: Offsets,
    processed: Mapping[SystemStreamPartition, str],
    listeners: Mapping[str, CheckpointListener],
    compare: Compare,
) -> dict[SystemStreamPartition, str]:
    """The offsets to write: the processed ones, as modified by the listener of each system (SAMZA-2042).

    A listener is called with all of its system's partitions as soon as the processed offset of one of them can be
    compared with its starting offset. Samza's code does this while one of them is before its starting offset; its
    comment says once none is. Offsets that a listener returns for other partitions are ignored.
    """
    modified = dict(processed)
    for system, listener in listeners.items():
        own = {partition: offset for partition, offset in processed.items() if partition.system == system}
        if any(_can_compare(compare, partition, own[partition], starting) for partition in own):
            returned = listener.before_checkpoint(MappingProxyType(own))
            modified |= {partition: offset for partition, offset in returned.items() if partition in own and offset}
    return modified


def notify_listeners(
    listeners: Mapping[str, CheckpointListener], registered: Collection[SystemStreamPartition], written: Offsets
) -> None:
    """Call each listener with the written offsets of its system's registered partitions (SAMZA-2446)."""
    for system, listener in listeners.items():
        own = {
            partition: offset
            for partition, offset in written.items()
            if partition.system == system and partition in registered
        }
        if own:
            listener.on_checkpoint(MappingProxyType(own))


def _can_compare(compare: Compare, partition: SystemStreamPartition, offset: str, starting: Offsets) -> bool:
    start = starting.get(partition)
    return start is not None and compare(partition.system, offset, start) is not None
