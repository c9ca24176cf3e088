"""TaskAssignmentManager and TaskPartitionAssignmentManager: the containers, modes and partitions of tasks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from eventlog.messages import Delete, Message, SetTaskContainerMapping, SetTaskModeMapping, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.wire.jackson import encode_partition_key
from managers.errors import ManagerError
from managers.job_names import ACTIVE, STANDBY, TaskMode
from managers.stored_messages import MessageManager, require_task_names

TaskContainers = Mapping[str, Mapping[str, str]] | Mapping[str | None, Mapping[str, str]]
"""The tasks of each container with their modes. Tasks of container None are removed from theirs."""
PartitionTasks = Mapping[SystemStreamPartition, Sequence[str] | None]
"""The tasks that read each partition; empty or None: no task."""


class UnknownTaskMode(ManagerError):
    """A task's mode is not one of Samza's (TaskMode)."""

    def __init__(self, task_name: str, task_mode: str) -> None:
        self.task_name = task_name
        self.task_mode = task_mode
        super().__init__(
            f"Task {task_name!r} has unknown mode {task_mode!r}. "
            f"Write {ACTIVE} or {STANDBY}, or delete the task's mappings."
        )


class TaskAssignmentManager(MessageManager):
    """Reads and writes the containers and modes of tasks (Samza's class), in two messages for each task."""

    def read_task_assignment(self) -> Mapping[str, str]:
        """The container of each task, read-only."""
        mappings = self._read(SetTaskContainerMapping)
        return MappingProxyType({message.task_name: message.container_id for message in mappings})

    def read_task_modes(self) -> Mapping[str, TaskMode]:
        """The mode of each task that has one, read-only. Raises `UnknownTaskMode`."""
        mappings = self._read(SetTaskModeMapping)
        return MappingProxyType({each.task_name: parse_task_mode(each.task_name, each.task_mode) for each in mappings})

    def write_task_container_mappings(self, mappings: TaskContainers) -> None:
        """Write the container and the mode of these tasks; container None deletes both. Raises `UnknownTaskMode`."""
        self._write(task_container_messages(mappings))

    def delete_task_container_mappings(self, task_names: Iterable[str]) -> None:
        """Delete the containers and modes of tasks."""
        self._write(task_delete_messages(task_names))


def task_container_messages(mappings: TaskContainers) -> list[Message]:
    return [
        message
        for container_id, tasks in mappings.items()
        for task_name, mode in tasks.items()
        for message in _task_messages(task_name, container_id, mode)
    ]


def task_delete_messages(task_names: Iterable[str]) -> list[Message]:
    return [message for task_name in require_task_names(task_names) for message in _deletes(task_name)]


def parse_task_mode(task_name: str, task_mode: str) -> TaskMode:
    if task_mode in (ACTIVE, STANDBY):
        return task_mode
    raise UnknownTaskMode(task_name, task_mode)


def _task_messages(task_name: str, container_id: str | None, mode: str) -> Iterator[Message]:
    if container_id is None:
        yield from _deletes(task_name)
        return
    task_mode = parse_task_mode(task_name, mode)
    yield SetTaskContainerMapping(task_name=task_name, container_id=container_id)
    yield SetTaskModeMapping(task_name=task_name, task_mode=task_mode)


def _deletes(task_name: str) -> Iterator[Message]:
    for kind in (SetTaskContainerMapping, SetTaskModeMapping):
        yield Delete(message_type=kind.message_type, key=task_name)


class TaskPartitionAssignmentManager(MessageManager):
    """Reads and writes the tasks of partitions (Samza's class), in a message for each partition."""

    def read_task_partition_assignments(self) -> Mapping[SystemStreamPartition, tuple[str, ...]]:
        """The tasks of each partition that is read, without duplicates, in the order written; read-only."""
        mappings = self._read(SetTaskPartitionMapping)
        tasks = {
            message.partition: tuple(dict.fromkeys(message.task_names)) for message in mappings if message.task_names
        }
        return MappingProxyType(tasks)

    def write_task_partition_assignments(self, assignments: PartitionTasks) -> None:
        """Replace the tasks of these partitions. Other partitions are unchanged."""
        self._write(partition_messages(assignments))

    def delete(self, partitions: Iterable[SystemStreamPartition]) -> None:
        self._write(partition_messages(dict.fromkeys(partitions)))


def partition_messages(assignments: PartitionTasks) -> list[Message]:
    return [_message(partition, task_names or ()) for partition, task_names in assignments.items()]


def _message(partition: SystemStreamPartition, task_names: Sequence[str]) -> Message:
    if not task_names:
        return Delete(message_type=SetTaskPartitionMapping.message_type, key=encode_partition_key(partition))
    if isinstance(task_names, str):
        raise TypeError(f"the tasks of {partition} must be a list of strings, not the string {task_names!r}")
    return SetTaskPartitionMapping(partition=partition, task_names=tuple(task_names))
