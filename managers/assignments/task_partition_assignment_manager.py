"""TaskPartitionAssignmentManager: the tasks that read each input partition."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import Delete, Message, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.wire.partition_json import encode_partition_key
from managers.envelopes import JOB_COORDINATOR
from managers.stored_messages import StoredMessages
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.task_names import require_task_name

PartitionTasks = Mapping[SystemStreamPartition, Sequence[str] | None]
"""The tasks that read each partition; empty or None: no task."""


class TaskPartitionAssignmentManager:
    """Reads and writes the tasks of partitions (Samza's class). Thread-safe.

    Each partition has a message with its tasks. (The message of a task with its partitions could exceed the size limit
    of the topic.) The caller opens and closes the store.
    """

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str = JOB_COORDINATOR, clock: Clock = system_clock
    ) -> None:
        """``source`` is the writer that messages name."""
        self._messages: Final = StoredMessages(store, source, clock)

    def read_task_partition_assignments(self) -> Mapping[SystemStreamPartition, tuple[str, ...]]:
        """The tasks of each partition that is read, without duplicates, in the order written; read-only.

        Two key buckets of a partition are two partitions. Raises `NotReady`.
        """
        mappings = self._messages.read(SetTaskPartitionMapping)
        tasks = {
            message.partition: tuple(dict.fromkeys(message.task_names)) for message in mappings if message.task_names
        }
        return MappingProxyType(tasks)

    def write_task_partition_assignments(self, assignments: PartitionTasks) -> None:
        """Replace the tasks of these partitions. Other partitions are unchanged.

        Raises:
            TypeError: a task is not a string. Nothing was written.
            NotReady: the store is not open.
        """
        self._messages.write(partition_messages(assignments))

    def delete(self, partitions: Iterable[SystemStreamPartition]) -> None:
        """Delete the tasks of these partitions. Raises `NotReady`."""
        self._messages.write(partition_messages(dict.fromkeys(partitions)))

    def close(self) -> None:
        """Do nothing: the caller closes the store."""


def partition_messages(assignments: PartitionTasks) -> list[Message]:
    """The messages that write the tasks of partitions. Raises TypeError if a task is not a string."""
    return [_message(partition, task_names or ()) for partition, task_names in assignments.items()]


def _message(partition: SystemStreamPartition, task_names: Sequence[str]) -> Message:
    if not task_names:
        return Delete(message_type=SetTaskPartitionMapping.message_type, key=encode_partition_key(partition))
    if isinstance(task_names, str):
        raise TypeError(f"the tasks of {partition} must be a list of strings, not the string {task_names!r}")
    for task_name in task_names:
        require_task_name(task_name)
    return SetTaskPartitionMapping(partition=partition, task_names=tuple(task_names))
