"""Which tasks read an input partition (TaskPartitionAssignmentManager of Samza, seed 001)."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import Delete, Message, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.wire.partition_json import encode_partition_key
from managers.checkpoints.task_checkpoints import require_task_name
from managers.signature import JOB_COORDINATOR
from managers.signed_messages import SignedMessages
from managers.stores.coordinator_store import CoordinatorStreamStore

PartitionTasks = Mapping[SystemStreamPartition, Sequence[str] | None]
"""The tasks that read each partition; none or None: nobody reads it."""


class TaskPartitionAssignmentManager:
    """Reads and writes the tasks of partitions, over a store that is its owner's to open and close.

    Each partition has a message of its own with its tasks, and not each task one with its partitions, which could
    grow beyond what a topic takes. Safe for threads.
    """

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str = JOB_COORDINATOR, clock: Clock = system_clock
    ) -> None:
        """``source`` is told as the writer."""
        self._messages: Final = SignedMessages(store, source, clock)

    def read_task_partition_assignments(self) -> Mapping[SystemStreamPartition, tuple[str, ...]]:
        """The tasks of each partition that somebody reads, each once and in the order written; can't be changed.

        Two shares of a partition (key buckets) are two partitions. Raises `NotReady`.
        """
        said = self._messages.read(SetTaskPartitionMapping)
        tasks = {message.partition: tuple(dict.fromkeys(message.task_names)) for message in said if message.task_names}
        return MappingProxyType(tasks)

    def write_task_partition_assignments(self, assignments: PartitionTasks) -> None:
        """Say which tasks read each of these partitions, in place of those that did; other partitions stay.

        Raises:
            TypeError: a task is no text; nothing was written.
            NotReady: the store is not open.
        """
        self._messages.write(partition_messages(assignments))

    def delete(self, partitions: Iterable[SystemStreamPartition]) -> None:
        """Forget who reads these partitions. Raises `NotReady`."""
        self._messages.write(partition_messages(dict.fromkeys(partitions)))

    def close(self) -> None:
        """Do nothing: the store is closed by its owner."""


def partition_messages(assignments: PartitionTasks) -> list[Message]:
    """What says which tasks read each partition; raises TypeError where a task is no text."""
    return [_message(partition, task_names or ()) for partition, task_names in assignments.items()]


def _message(partition: SystemStreamPartition, task_names: Sequence[str]) -> Message:
    if not task_names:
        return Delete(message_type=SetTaskPartitionMapping.message_type, key=encode_partition_key(partition))
    if isinstance(task_names, str):
        raise TypeError(f"the tasks of {partition} must be a list of strings, not the string {task_names!r}")
    for task_name in task_names:
        require_task_name(task_name)
    return SetTaskPartitionMapping(partition=partition, task_names=tuple(task_names))
