"""The interface of changelogs: streams that contain every change of a task's stores, a partition per task."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from eventlog.partition import SystemStreamPartition
from eventlog.system_admin import SystemStreamPartitionMetadata


class Change(NamedTuple):
    """A change of a store; ``value`` None: the key was deleted."""

    offset: int
    key: bytes
    value: bytes | None


class Changelogs(Protocol):
    """The changelogs of one system. For one thread.

    `send`, `flush`, `discard`, `reach` and `read` raise `SourceUnavailable` if the system does not answer.
    """

    def send(self, partition: SystemStreamPartition, key: bytes, value: bytes | None) -> None:
        """Append a change, now or with later ones."""

    def flush(self) -> None:
        """Return when all changes are written. If it raises, the next call writes those that may be missing."""

    def discard(self, partition: SystemStreamPartition) -> None:
        """Forget the changes of a partition that are not written yet, since its store is restored.

        When it returns, no earlier change is on its way.
        """

    def reach(self, partition: SystemStreamPartition) -> SystemStreamPartitionMetadata:
        """The offsets of a partition. Raises `InputMissing`."""

    def read(self, partition: SystemStreamPartition, first: int, until: int) -> Iterator[Sequence[Change]]:
        """The committed changes at offsets from ``first`` to before ``until``, in batches. Raises `OffsetLost`."""

    def close(self) -> None:
        """Close the connections. Changes that were not flushed may be lost."""
