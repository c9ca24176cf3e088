"""JobModelAssignments: saves the assignments of a job model, and reads the previous ones."""

from collections.abc import Mapping, Sequence, Set
from typing import Final, NamedTuple

from eventlog.log import Clock, system_clock
from eventlog.messages import Message
from eventlog.partition import SystemStreamPartition
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager, changelog_messages
from managers.assignments.task_assignment_manager import (
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
    partition_messages,
    task_container_messages,
    task_delete_messages,
)
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import PreviousAssignment
from managers.job_names import STANDBY
from managers.stored_messages import MessageManager, make_envelope, mark_forced
from managers.stores.coordinator_store import CoordinatorStreamStore

PartitionTasks = Mapping[SystemStreamPartition, Sequence[str]]


class _Run(NamedTuple):
    """The tasks of one run of a job."""

    active: Set[str]
    standby: Set[str]
    partition_tasks: PartitionTasks


class JobModelAssignments(MessageManager):
    """Reads the assignments of a job's last run, and writes those of the next (JobModelHelper of Samza)."""

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str | None = None, clock: Clock = system_clock
    ) -> None:
        """``source`` is the writer that messages name."""
        super().__init__(store, source=source, clock=clock)
        self._changelogs: Final = ChangelogPartitionManager(store, source=source, clock=clock)
        self._tasks: Final = TaskAssignmentManager(store, source=source, clock=clock)
        self._partitions: Final = TaskPartitionAssignmentManager(store, source=source, clock=clock)

    def read_previous(self) -> PreviousAssignment:
        """The last run's assignment of active tasks and tasks without a mode. Raises `UnknownTaskMode`."""
        last = self._last_run()
        containers = self._tasks.read_task_assignment()
        return PreviousAssignment(
            {task: container for task, container in containers.items() if task in last.active}, _read_by_active(last)
        )

    def save(self, model: JobModel, *, force: bool = False) -> None:
        """Delete stale assignments, then write the changelog partitions, containers, modes and partitions of a model.

        If the active (standby) tasks have changed, the assignments of all previous active (standby) tasks are deleted,
        and of partitions that the model has or that removed tasks read. Other partitions that are no longer read stay,
        as in Samza. Everything is one write. Raises `ChangelogRemapped` and `UnknownTaskMode`; nothing was written
        then.
        """
        envelope = make_envelope(mark_forced(self._source), clock=self._clock) if force else None
        known = self._changelogs.read_change_log_partition_mapping()
        numbers = {task.task_name: task.changelog_partition for task in sorted(model.tasks.values())}
        new = _run_of(model)
        self._write(
            [
                *changelog_messages(known, numbers, forced_by=envelope),
                *_stale(self._last_run(), new),
                *task_container_messages(_containers(model)),
                *partition_messages(new.partition_tasks),
            ]
        )

    def are_saved(self, model: JobModel) -> bool:
        """Whether the stream has the assignments of this model, and no others. Raises `UnknownTaskMode`."""
        tasks = model.tasks
        numbers = {name: task.changelog_partition for name, task in tasks.items()}
        containers = {name: each.processor_id for each in model.containers.values() for name in each.tasks}
        return (
            self._tasks.read_task_assignment() == containers
            and self._tasks.read_task_modes() == {name: task.task_mode for name, task in tasks.items()}
            and numbers.items() <= self._changelogs.read_change_log_partition_mapping().items()
            and _readers(_run_of(model)) <= _readers(self._last_run())
        )

    def _last_run(self) -> _Run:
        modes = self._tasks.read_task_modes()
        tasks = {*self._tasks.read_task_assignment(), *modes}
        standby = {task for task, mode in modes.items() if mode == STANDBY}
        return _Run(tasks - standby, standby, self._partitions.read_task_partition_assignments())


def _stale(last: _Run, new: _Run) -> list[Message]:
    removed = set(last.standby) if last.standby != new.standby else set()
    partitions: set[SystemStreamPartition] = set()
    if last.active != new.active:
        removed |= last.active
        tasks = new.active | new.standby
        read_by_removed = (each for each, readers in last.partition_tasks.items() if not tasks >= set(readers))
        partitions = {*new.partition_tasks, *read_by_removed}
    return [*task_delete_messages(sorted(removed)), *partition_messages(dict.fromkeys(sorted(partitions)))]


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


def _containers(model: JobModel) -> dict[str | None, dict[str, str]]:
    return {
        container.processor_id: {task.task_name: task.task_mode for task in sorted(container.tasks.values())}
        for container in sorted(model.containers.values(), key=lambda container: container.processor_id)
    }


def _read_by_active(run: _Run) -> dict[str, frozenset[SystemStreamPartition]]:
    """The partitions of each active task, also of one that has neither a container nor a mode."""
    found: dict[str, set[SystemStreamPartition]] = {}
    for partition, task in _readers(run):
        if task not in run.standby:
            found.setdefault(task, set()).add(partition)
    return {task: frozenset(partitions) for task, partitions in found.items()}
