"""Which task reads which partitions, and which container runs which tasks: Samza's groupers."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from eventlog.config import boolean
from eventlog.errors import ConfigError, WireError
from eventlog.partition import SystemStreamPartition, parse_int32
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.job_models.job_model import ContainerModel, TaskModel
from managers.job_models.jvm_order import text_order
from managers.job_names import GROUPER_FACTORY, STANDBY, Config

Groups = Mapping[str, frozenset[SystemStreamPartition]]
"""The partitions of each task, by task name."""
TaskNamer = Callable[[SystemStreamPartition], str]

BY_PARTITION: Final = DEFAULT_GROUPER_FACTORY
BY_SYSTEM_STREAM_PARTITION: Final = "org.apache.samza.container.grouper.stream.GroupBySystemStreamPartitionFactory"
MAPPER_FACTORY: Final = "job.system.stream.partition.mapper.factory"
BY_HASH: Final = "org.apache.samza.container.grouper.stream.HashSystemStreamPartitionMapperFactory"
ELASTICITY: Final = "job.elasticity.factor"
INPUT_EXPANSION: Final = "job.systemstreampartition.input.expansion.enabled"

_STORE_FACTORY: Final = re.compile(r"stores\..+(?<!\.side\.inputs\.processor)\.factory")
_IN_MEMORY: Final = "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory"
TASK_GROUPER: Final = "task.name.grouper.factory"
BY_CONTAINER_COUNT: Final = "org.apache.samza.container.grouper.task.GroupByContainerCountFactory"


def task_namer(config: Config) -> TaskNamer:
    """The function that names the task of a partition, for the job's grouper; the default one if it is not Samza's."""
    if config.get(GROUPER_FACTORY) == BY_SYSTEM_STREAM_PARTITION:
        return SystemStreamPartition.label
    return lambda partition: f"Partition {partition.partition}"


def require_known_grouping(config: Config) -> None:
    """Raise `ConfigError` for groupers and mappers that are not supported, and for elasticity."""
    _require_one_of(config, GROUPER_FACTORY, BY_PARTITION, BY_SYSTEM_STREAM_PARTITION)
    _require_one_of(config, MAPPER_FACTORY, BY_HASH)
    _require_one_of(config, TASK_GROUPER, BY_CONTAINER_COUNT)
    factor = positive_number(config, ELASTICITY) if ELASTICITY in config else 1
    if factor > 1:  # Samza then makes several tasks of each partition, each with its own key bucket
        raise ConfigError(
            f"{ELASTICITY} is {factor}, but elastic tasks are not supported. Set it to 1, or let Samza build the job "
            "model."
        )


def positive_number(config: Config, key: str) -> int:
    """The value of a key that must be a positive 32-bit integer, as Java reads it. Raises `ConfigError`."""
    try:
        number = parse_int32(config[key], "bad_number", key)
    except WireError:
        number = 0
    if number < 1:
        raise ConfigError(f"{key} is {config[key]!r}. Expected a positive integer.")
    return number


def keeps_tasks(config: Config) -> bool:
    """Whether partitions stay with their previous tasks: the job has durable state, and input expansion is enabled."""
    has_state = any(_STORE_FACTORY.fullmatch(key) and config[key] != _IN_MEMORY for key in config)
    return has_state and boolean(config, INPUT_EXPANSION, default=True)


def group_partitions(
    partitions: Iterable[SystemStreamPartition], broadcast: Collection[SystemStreamPartition], name_of: TaskNamer
) -> Groups:
    groups: dict[str, set[SystemStreamPartition]] = {}
    for partition in partitions:
        if partition not in broadcast:
            groups.setdefault(name_of(partition), set()).add(partition)
    return {task_name: frozenset(found.union(broadcast)) for task_name, found in groups.items()}


def keep_tasks(groups: Groups, previous: Groups, broadcast: Collection[SystemStreamPartition]) -> Groups:
    """Keep partitions with their previous tasks, so that the state of a key stays with the key (SSPGrouperProxy).

    If a stream has been expanded, a new partition goes to the task of the partition that had its keys before: its
    number modulo the previous count. Raises `ConfigError` if the new count is not a multiple of the previous one.
    """
    if not previous:
        return groups
    owners = {each: task_name for task_name, had in previous.items() for each in had if each not in broadcast}
    before, now = _counts(previous), _counts(groups)
    kept: dict[str, set[SystemStreamPartition]] = {task_name: set(found) for task_name, found in groups.items()}
    for task_name, found in groups.items():
        for partition in found.difference(broadcast):
            stream = (partition.system, partition.stream)
            owner = owners.get(_former(partition, before[stream], now[stream]), task_name)
            if owner != task_name:
                kept[task_name].remove(partition)
                kept.setdefault(owner, set()).add(partition)
    return {task_name: frozenset(found) for task_name, found in kept.items() if found}


def _require_one_of(config: Config, key: str, default: str, *others: str) -> None:
    factory = config.get(key, default)
    if factory not in (default, *others):
        known = " or ".join((default, *others))
        raise ConfigError(f"{key} is {factory}, which is not supported. Set {known}, or let Samza build the job model.")


def _former(partition: SystemStreamPartition, before: int, now: int) -> SystemStreamPartition:
    """The partition that had the keys of this one when the stream had ``before`` partitions (0: no input then)."""
    if before in (0, now):
        return partition
    if now % before:
        raise ConfigError(
            f"{partition.system}.{partition.stream} has {now} partitions, which is not a multiple of the previous "
            f"{before}: keys would be separated from their state. Use a multiple of {before}, or set {INPUT_EXPANSION} "
            "to false to accept this."
        )
    return SystemStreamPartition(partition.system, partition.stream, partition.partition % before)


def _counts(groups: Groups) -> Counter[tuple[str, str]]:
    return Counter((each.system, each.stream) for found in groups.values() for each in found)


def group_by_container_count(
    tasks: Collection[TaskModel], count: int, previous: Mapping[str, str]
) -> list[ContainerModel]:
    """Assign tasks to containers ``0`` to ``count`` - 1, so that few tasks move. Raises `ConfigError`.

    ``previous`` is the container of each task in the last run. If it is empty, has different tasks or gaps in its
    container ids, or if there was or is only one container, tasks are assigned round-robin.
    """
    _require_enough(tasks, count)
    named = {task.task_name: task for task in tasks}
    before = _containers(previous) if previous.keys() == named.keys() else []
    if len(before) <= 1 or count == 1:
        ordered = _ordered(named)
        names = [ordered[number::count] for number in range(count)]
    else:
        names = before if len(before) == count else _balance(before, count)
    return [ContainerModel(str(number), {name: named[name] for name in listed}) for number, listed in enumerate(names)]


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


def _standby_tasks(container: ContainerModel, copy: int) -> dict[str, TaskModel]:
    copies = (
        replace(task, task_name=f"Standby-{name}-{copy}", task_mode=STANDBY) for name, task in container.tasks.items()
    )
    return {task.task_name: task for task in copies}


def _ordered(names: Iterable[str]) -> list[str]:
    return sorted(names, key=text_order)
