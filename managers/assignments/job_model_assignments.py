"""The assignments of a job: the containers, modes and partitions of tasks, the hosts and ids of containers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from eventlog.messages import (
    Delete,
    Message,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.wire.jackson import dumps, encode_partition_key
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager, changelog_messages
from managers.errors import ManagerError
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import PreviousAssignment
from managers.job_models.jvm_order import java_map_order, text_hash, text_order
from managers.job_names import ACTIVE, STANDBY, TaskMode
from managers.stored_messages import CONTAINER, MessageManager, require_task_names

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
        found = [(name, container, mode) for container, tasks in mappings.items() for name, mode in tasks.items()]
        self._write([message for each in found for message in _task_messages(*each)])

    def delete_task_container_mappings(self, task_names: Iterable[str]) -> None:
        """Delete the containers and modes of tasks."""
        self._write(task_delete_messages(task_names))


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


_LOCALITIES: Final = "processor-localities"


@dataclass(frozen=True, slots=True)
class ContainerLocality:
    """The last host of a container, and the URLs of its JMX server (None: not in the message)."""

    container_id: str
    host_name: str
    jmx_url: str | None = None
    jmx_tunneling_url: str | None = None

    @property
    def preferred_host(self) -> str | None:
        """The host to request at the next start; None: any, also if the host's name is empty."""
        return self.host_name or None


class LocalityManager(MessageManager):
    """Reads and writes the hosts of containers (Samza's class)."""

    default_source = CONTAINER

    def read_locality(self) -> Mapping[str, ContainerLocality]:
        """The containers with a known host, by id, read-only."""
        read = self._read(SetContainerHostMapping)
        hosts = [ContainerLocality(it.container_id, it.host_name, it.jmx_url, it.jmx_tunneling_url) for it in read]
        return MappingProxyType({host.container_id: host for host in hosts})

    def write_container_to_host_mapping(
        self, container_id: str, host_name: str, *, jmx_url: str = "", jmx_tunneling_url: str = ""
    ) -> None:
        """Write the host of a container."""
        message = SetContainerHostMapping(
            container_id=container_id, host_name=host_name, jmx_url=jmx_url, jmx_tunneling_url=jmx_tunneling_url
        )
        self._write([message])


def localities_to_json(localities: Mapping[str, ContainerLocality]) -> bytes:
    """All containers, in the order of Java's map. URLs of JMX servers are empty: Samza's manager does not read them."""
    ids = java_map_order(sorted(localities, key=text_order), text_hash)
    return dumps({_LOCALITIES: {each: _fields(each, localities[each]) for each in ids}}, ascii_surrogates=True)


def locality_to_json(container_id: str, locality: ContainerLocality | None) -> bytes:
    """One container; without a known host, its host is empty."""
    return dumps(_fields(container_id, locality), ascii_surrogates=True)


def _fields(container_id: str, locality: ContainerLocality | None) -> dict[str, Any]:
    host = "" if locality is None else locality.host_name
    return {"id": container_id, "host": host, "jmx-url": "", "jmx-tunneling-url": ""}


class ExecutionContainerIdManager(MessageManager):
    """Reads and writes the ids of containers in the execution environment, such as YARN (Samza's class)."""

    def read_execution_environment_container_id_mapping(self) -> Mapping[str, str]:
        """The cluster's id of each container, by its id in the job, read-only."""
        mappings = self._read(SetExecutionEnvContainerIdMapping)
        return MappingProxyType({message.container_id: message.execution_container_id for message in mappings})

    def write_execution_environment_container_id_mapping(self, container_id: str, execution_container_id: str) -> None:
        """Write the cluster's id of a container."""
        message = SetExecutionEnvContainerIdMapping(
            container_id=container_id, execution_container_id=execution_container_id
        )
        self._write([message])


class _Run(NamedTuple):
    """The tasks of one run of a job."""

    active: Set[str]
    standby: Set[str]
    partition_tasks: Mapping[SystemStreamPartition, Sequence[str]]


class JobModelAssignments(MessageManager):
    """Reads the assignments of a job's last run, and writes those of the next (JobModelHelper of Samza)."""

    def read_previous(self) -> PreviousAssignment:
        """The last run's assignment of active tasks and tasks without a mode. Raises `UnknownTaskMode`."""
        last = self._last_run()
        containers = TaskAssignmentManager(self._store).read_task_assignment()
        partitions: dict[str, set[SystemStreamPartition]] = {}
        for partition, task in _readers(last):  # also of a task that has neither a container nor a mode
            if task not in last.standby:
                partitions.setdefault(task, set()).add(partition)
        return PreviousAssignment(
            {task: containers[task] for task in containers if task in last.active},
            {task: frozenset(read) for task, read in partitions.items()},
        )

    def save(self, model: JobModel) -> None:
        """Delete stale assignments, then write the changelog partitions, containers, modes and partitions of a model.

        If the active (standby) tasks have changed, the assignments of all previous active (standby) tasks are deleted,
        and with other active tasks those of the model's partitions. Partitions that are no longer read stay, as in
        Samza, unless one of their tasks is gone. Everything is one write. Raises `ChangelogRemapped` and
        `UnknownTaskMode`; nothing was written then.
        """
        known = ChangelogPartitionManager(self._store).read_change_log_partition_mapping()
        numbers = {task.task_name: task.changelog_partition for task in sorted(model.tasks.values())}
        new = _run_of(model)
        self._write(
            [
                *changelog_messages(known, numbers),
                *_stale(self._last_run(), new),
                *_model_messages(model),
                *partition_messages(new.partition_tasks),
            ]
        )

    def are_saved(self, model: JobModel) -> bool:
        """Whether the stream has this model's assignments, as `save` leaves them. Raises `UnknownTaskMode`."""
        tasks, new = model.tasks, _run_of(model)
        numbers = {name: task.changelog_partition for name, task in tasks.items()}
        containers = {name: each.processor_id for each in model.containers.values() for name in each.tasks}
        return (
            TaskAssignmentManager(self._store).read_task_assignment() == containers
            and TaskAssignmentManager(self._store).read_task_modes()
            == {name: task.task_mode for name, task in tasks.items()}
            and numbers.items() <= ChangelogPartitionManager(self._store).read_change_log_partition_mapping().items()
            and _readers(new) == {each for each in _readers(self._last_run()) if each[0] in new.partition_tasks}
        )

    def _last_run(self) -> _Run:
        modes = TaskAssignmentManager(self._store).read_task_modes()
        tasks = {*TaskAssignmentManager(self._store).read_task_assignment(), *modes}
        standby = {task for task, mode in modes.items() if mode == STANDBY}
        return _Run(
            tasks - standby, standby, TaskPartitionAssignmentManager(self._store).read_task_partition_assignments()
        )


def _stale(last: _Run, new: _Run) -> list[Message]:
    removed = set(last.standby) if last.standby != new.standby else set()
    tasks, read = new.active | new.standby, new.partition_tasks.keys()
    partitions = {each for each in last.partition_tasks.keys() - read if not tasks >= set(last.partition_tasks[each])}
    if last.active != new.active:
        removed |= last.active
        partitions |= read
    return [*task_delete_messages(sorted(removed)), *partition_messages(dict.fromkeys(sorted(partitions)))]


def _model_messages(model: JobModel) -> Iterator[Message]:
    for container in sorted(model.containers.values(), key=lambda container: container.processor_id):
        for task in sorted(container.tasks.values()):
            yield from _task_messages(task.task_name, container.processor_id, task.task_mode)


def _run_of(model: JobModel) -> _Run:
    tasks = sorted(model.tasks.values())
    readers: dict[SystemStreamPartition, list[str]] = {}
    for task in tasks:
        for partition in sorted(task.partitions):
            readers.setdefault(partition, []).append(task.task_name)
    standby = {task.task_name for task in tasks if task.task_mode == STANDBY}
    return _Run({task.task_name for task in tasks} - standby, standby, readers)


def _readers(run: _Run) -> set[tuple[SystemStreamPartition, str]]:
    return {(partition, task) for partition, tasks in run.partition_tasks.items() for task in tasks}
