"""Which task reads which partitions: Samza's partition groupers, and how tasks keep their previous partitions.

GroupByPartition (the default), GroupBySystemStreamPartition and SSPGrouperProxy of Samza 1.8.0.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from eventlog.config_values import boolean
from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.job_names import Config

Groups = Mapping[str, frozenset[SystemStreamPartition]]
"""The partitions of each task, by task name."""
TaskNamer = Callable[[SystemStreamPartition], str]

GROUPER_FACTORY: Final = "job.systemstreampartition.grouper.factory"
BY_PARTITION: Final = DEFAULT_GROUPER_FACTORY
BY_SYSTEM_STREAM_PARTITION: Final = "org.apache.samza.container.grouper.stream.GroupBySystemStreamPartitionFactory"
MAPPER_FACTORY: Final = "job.system.stream.partition.mapper.factory"
BY_HASH: Final = "org.apache.samza.container.grouper.stream.HashSystemStreamPartitionMapperFactory"
ELASTICITY: Final = "job.elasticity.factor"
INPUT_EXPANSION: Final = "job.systemstreampartition.input.expansion.enabled"

_STORE_FACTORY: Final = re.compile(r"stores\..+(?<!\.side\.inputs\.processor)\.factory")
_IN_MEMORY: Final = "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory"


def task_namer(config: Config) -> TaskNamer:
    """The function that names the task of a partition, for the job's grouper; the default one if it is not Samza's."""
    if config.get(GROUPER_FACTORY) == BY_SYSTEM_STREAM_PARTITION:
        return SystemStreamPartition.label
    return lambda partition: f"Partition {partition.partition}"


def require_known_grouper(config: Config) -> None:
    """Raise `ConfigError` if the job's partition grouper or its mapper for expanded inputs is not supported."""
    _require_one_of(config, GROUPER_FACTORY, BY_PARTITION, BY_SYSTEM_STREAM_PARTITION)
    _require_one_of(config, MAPPER_FACTORY, BY_HASH)


def keeps_tasks(config: Config) -> bool:
    """Whether partitions stay with their previous tasks: the job has durable state, and input expansion is enabled.

    Without state, a key may move to another task.
    """
    has_state = any(_STORE_FACTORY.fullmatch(key) and config[key] != _IN_MEMORY for key in config)
    return has_state and boolean(config, INPUT_EXPANSION, default=True)


def group_partitions(
    partitions: Iterable[SystemStreamPartition], broadcast: Collection[SystemStreamPartition], name_of: TaskNamer
) -> Groups:
    """Assign each partition to the task named for it, and broadcast partitions to all tasks."""
    groups: dict[str, set[SystemStreamPartition]] = {}
    for partition in partitions:
        if partition not in broadcast:
            groups.setdefault(name_of(partition), set()).add(partition)
    return {task_name: frozenset(found.union(broadcast)) for task_name, found in groups.items()}


def keep_tasks(groups: Groups, previous: Groups, broadcast: Collection[SystemStreamPartition]) -> Groups:
    """Keep partitions with their previous tasks, so that the state of a key stays with the key (SSPGrouperProxy).

    If a stream has been expanded, a new partition goes to the task of the partition that had its keys before: its
    number modulo the previous count. A task that is left without partitions is removed.

    Raises:
        ConfigError: the number of a stream's partitions is not a multiple of the previous one.
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
    """The number of partitions of each stream, counted once per task."""
    return Counter((each.system, each.stream) for found in groups.values() for each in found)
