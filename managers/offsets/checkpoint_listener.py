"""A system's own say in a commit: which offsets are written, and that they were (CheckpointListener of Samza)."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from eventlog.checkpoint import Offsets
from eventlog.partition import SystemStreamPartition

Compare = Callable[[str, str, str], int | None]
"""Compares two offsets of a system; None: they can't be compared."""


class CheckpointListener:
    """Hears of the commits of one system's partitions. Override what is wanted."""

    def before_checkpoint(self, offsets: Mapping[SystemStreamPartition, str]) -> Offsets:
        """Give the offsets to write instead of these; what is left out stays as it is."""
        return offsets

    def on_checkpoint(self, offsets: Offsets) -> None:
        """Hear which offsets were written."""


def modified_offsets(
    starting: Offsets,
    processed: Mapping[SystemStreamPartition, str],
    listeners: Mapping[str, CheckpointListener],
    compare: Compare,
) -> dict[SystemStreamPartition, str]:
    """The offsets to write: those processed, after each listener has had a say in its own system's (SAMZA-2042).

    A listener is asked about all of its system's partitions or none, as soon as one of them has a starting offset that
    its processed one can be compared with: Samza's code asks while one is before it, its comment says once one is not.
    What a listener gives for partitions that it was not asked about does not count.
    """
    modified = dict(processed)
    for system, listener in listeners.items():
        own = {partition: offset for partition, offset in processed.items() if partition.system == system}
        if any(_can_compare(compare, partition, own[partition], starting) for partition in own):
            given = listener.before_checkpoint(MappingProxyType(own))
            modified |= {partition: offset for partition, offset in given.items() if partition in own and offset}
    return modified


def tell_listeners(
    listeners: Mapping[str, CheckpointListener], registered: Collection[SystemStreamPartition], written: Offsets
) -> None:
    """Tell each listener what was written of its system's partitions that are registered (SAMZA-2446)."""
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
