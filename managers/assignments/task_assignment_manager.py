"""Which container a task runs in, and in which mode (TaskAssignmentManager of Samza, seed 001)."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import Delete, Message, SetTaskContainerMapping, SetTaskModeMapping
from managers.assignments.task_modes import read_task_mode
from managers.checkpoints.task_checkpoints import require_task_name
from managers.job_models.job_model import TaskMode
from managers.signature import JOB_COORDINATOR
from managers.signed_messages import SignedMessages
from managers.stores.coordinator_store import CoordinatorStreamStore

TaskContainers = Mapping[str, Mapping[str, str]] | Mapping[str | None, Mapping[str, str]]
"""The tasks of each container with their modes; those of None are in no container any more."""


class TaskAssignmentManager:
    """Reads and writes the containers and modes of tasks, over a store that is its owner's to open and close.

    Each task has two messages of its own, so that no message grows with the job. What one call writes is written as
    `CoordinatorStreamStore.write` does: as a whole. Safe for threads.
    """

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str = JOB_COORDINATOR, clock: Clock = system_clock
    ) -> None:
        """``source`` is told as the writer."""
        self._messages: Final = SignedMessages(store, source, clock)

    def read_task_assignment(self) -> Mapping[str, str]:
        """The container of each task; can't be changed. Raises `NotReady`."""
        said = self._messages.read(SetTaskContainerMapping)
        return MappingProxyType({message.task_name: message.container_id for message in said})

    def read_task_modes(self) -> Mapping[str, TaskMode]:
        """The mode of each task that one was written of; can't be changed.

        Raises:
            UnknownTaskMode: a task has a mode that Samza does not know.
            NotReady: the store is not open.
        """
        said = self._messages.read(SetTaskModeMapping)
        return MappingProxyType({each.task_name: read_task_mode(each.task_name, each.task_mode) for each in said})

    def write_task_container_mappings(self, mappings: TaskContainers) -> None:
        """Say which tasks run in which container, and in which mode; other tasks stay where they are.

        A container None deletes both mappings of its tasks.

        Raises:
            UnknownTaskMode: a mode is none that Samza has; nothing was written.
            TypeError: a container or a task is no text; nothing was written.
            NotReady: the store is not open.
        """
        self._messages.write(task_container_messages(mappings))

    def delete_task_container_mappings(self, task_names: Iterable[str]) -> None:
        """Forget containers and modes of tasks. Raises `NotReady`."""
        self._messages.write(task_delete_messages(task_names))

    def close(self) -> None:
        """Do nothing: the store is closed by its owner."""


def task_container_messages(mappings: TaskContainers) -> list[Message]:
    """What says which tasks run in which container; raises as `TaskAssignmentManager.write_task_container_mappings`."""
    return [
        message
        for container_id, tasks in mappings.items()
        for task_name, mode in tasks.items()
        for message in _of_task(task_name, container_id, mode)
    ]


def task_delete_messages(task_names: Iterable[str]) -> list[Message]:
    """What ends the container and the mode of tasks. Raises TypeError where one is no text."""
    return [message for task_name in task_names for message in _ends(task_name)]


def _of_task(task_name: str, container_id: str | None, mode: str) -> Iterator[Message]:
    known = read_task_mode(task_name, mode)
    if container_id is None:
        yield from _ends(task_name)
        return
    require_task_name(task_name)
    if not isinstance(container_id, str):
        raise TypeError(f"the container of task {task_name!r} must be a text, not {container_id!r}")
    yield SetTaskContainerMapping(task_name=task_name, container_id=container_id)
    yield SetTaskModeMapping(task_name=task_name, task_mode=known)


def _ends(task_name: str) -> Iterator[Message]:
    require_task_name(task_name)
    for kind in (SetTaskContainerMapping, SetTaskModeMapping):
        yield Delete(message_type=kind.message_type, key=task_name)
