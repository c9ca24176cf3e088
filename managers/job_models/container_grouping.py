"""Which tasks each container runs: Samza's GroupByContainerCount, and standby containers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from eventlog.errors import ConfigError
from managers.job_models.job_model import STANDBY, ContainerModel, TaskModel
from managers.job_models.jvm_order import text_order
from managers.job_names import Config

TASK_GROUPER: Final = "task.name.grouper.factory"
BY_CONTAINER_COUNT: Final = "org.apache.samza.container.grouper.task.GroupByContainerCountFactory"


def require_known_task_grouper(config: Config) -> None:
    """Raise `ConfigError` if the job's tasks are not grouped by the number of containers."""
    factory = config.get(TASK_GROUPER, BY_CONTAINER_COUNT)
    if factory != BY_CONTAINER_COUNT:
        raise ConfigError(
            f"{TASK_GROUPER} is {factory}, which is not supported. "
            f"Set {BY_CONTAINER_COUNT}, or let Samza build the job model."
        )


def group_by_container_count(
    tasks: Collection[TaskModel], count: int, previous: Mapping[str, str]
) -> list[ContainerModel]:
    """Assign tasks to containers ``0`` to ``count`` - 1, so that few tasks move.

    ``previous`` is the container of each task in the last run, or empty. If it is empty, has different tasks or gaps in
    its container ids, or if there was or is only one container, tasks are assigned round-robin.

    Raises:
        ConfigError: there are fewer tasks than containers.
    """
    _require_enough(tasks, count)
    named = {task.task_name: task for task in tasks}
    before = _containers(previous) if previous.keys() == named.keys() else []
    if len(before) <= 1 or count == 1:
        names = _round_robin(named, count)
    else:
        names = before if len(before) == count else _balance(before, count)
    return [_container(str(number), named, listed) for number, listed in enumerate(names)]


def make_standby_containers(containers: Iterable[ContainerModel], replication_factor: int) -> list[ContainerModel]:
    """Standby containers, which keep copies of state: ``replication_factor`` - 1 per container (``0-0``, ``0-1``)."""
    return [
        ContainerModel(f"{container.processor_id}-{copy}", _standby_tasks(container, copy))
        for container in containers
        for copy in range(replication_factor - 1)
    ]


def _require_enough(tasks: Collection[TaskModel], count: int) -> None:
    if not tasks:
        raise ConfigError("The job has no tasks, because its inputs have no partitions. Check task.inputs.")
    if len(tasks) < count:
        raise ConfigError(
            f"The job has {count} containers but only {len(tasks)} tasks. "
            f"Set job.container.count to {len(tasks)} or less."
        )


def _containers(previous: Mapping[str, str]) -> list[list[str]]:
    """The tasks of containers 0, 1, …; empty if the ids are different."""
    by_id: dict[str, list[str]] = {str(number): [] for number in range(len(set(previous.values())))}
    for task_name in _ordered(previous):
        if previous[task_name] not in by_id:
            return []
        by_id[previous[task_name]].append(task_name)
    return list(by_id.values())


def _round_robin(names: Iterable[str], count: int) -> list[list[str]]:
    ordered = _ordered(names)
    return [ordered[number::count] for number in range(count)]


def _balance(before: Sequence[list[str]], count: int) -> list[list[str]]:
    """Move the last tasks of containers that have too many to those that have too few."""
    total = sum(map(len, before))
    wanted = [total // count + (number < total % count) for number in range(count)]
    wanted.extend(0 for _ in before[count:])
    kept = [names[:most] for names, most in zip(before, wanted, strict=False)] + [[] for _ in wanted[len(before) :]]
    moved = [name for names, most in zip(before, wanted, strict=False) for name in reversed(names[most:])]
    for names, most in zip(kept, wanted, strict=True):
        lacking = most - len(names)
        names.extend(moved[:lacking])
        del moved[:lacking]
    return kept[:count]


def _container(processor_id: str, named: Mapping[str, TaskModel], names: Iterable[str]) -> ContainerModel:
    return ContainerModel(processor_id, {name: named[name] for name in names})


def _standby_tasks(container: ContainerModel, copy: int) -> dict[str, TaskModel]:
    copies = (
        replace(task, task_name=f"Standby-{name}-{copy}", task_mode=STANDBY) for name, task in container.tasks.items()
    )
    return {task.task_name: task for task in copies}


def _ordered(names: Iterable[str]) -> list[str]:
    return sorted(names, key=text_order)
