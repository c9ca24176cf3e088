"""The partitions that the rows of a log go to, by offset."""

from collections.abc import Collection, Sequence
from itertools import chain

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.postgres.table_partitions import ensure_partition, ranges_of
from projections.fold.rows import Swept


class LogPartitions:
    """Knows which partitions exist. ``archives``: also those of the archive are needed."""

    def __init__(self, connection: Connection, *, archives: bool = True) -> None:
        self._connection = connection
        self._archives = archives
        self._existing: set[int] = set()

    def ensure(self, events: Sequence[RecordedEvent], swept: Sequence[Swept] = ()) -> None:
        """Create a batch's partitions, before its transaction: in it, they would block the writers of other logs."""
        missing = _first_offsets(events, swept) - self._existing
        self.make(missing)
        self._existing |= missing

    def make(self, firsts: Collection[int]) -> None:
        """Create the partitions that begin at these offsets, unless they exist."""
        make_partitions(self._connection, firsts, archives=self._archives)


def make_partitions(connection: Connection, firsts: Collection[int], *, archives: bool = True) -> None:
    """Create the partitions that begin at these offsets, unless they exist.

    A batch needs those of its offsets, in ``projection`` and, if it ``archives``, in the archive.
    """
    for first in sorted(firsts):
        ensure_partition(connection, "projection", "checkpoint_event", first)
        if archives:
            ensure_partition(connection, "eventlog", "event", first)


def _first_offsets(events: Sequence[RecordedEvent], swept: Sequence[Swept]) -> set[int]:
    """Return the first offsets of the partitions that a batch needs."""
    offsets = [events[0].offset, events[-1].offset] if events else []
    if len(ranges_of(offsets)) > 1:  # otherwise there are no others between them
        offsets = [event.offset for event in events]
    return set(ranges_of(chain(offsets, (at_offset for at_offset, _ in swept))))
