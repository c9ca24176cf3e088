"""Which task reads which partitions: Samza's groupers of partitions, and what they leave as it was.

GroupByPartition (the default), GroupBySystemStreamPartition and SSPGrouperProxy of Samza 1.8.0.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.job_names import Config

Groups = Mapping[str, frozenset[SystemStreamPartition]]
"""The partitions of each task, by the tasks' names."""
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
    """What names the task that reads a partition, by the job's grouper; by the default one if that is not Samza's."""
    if config.get(GROUPER_FACTORY) == BY_SYSTEM_STREAM_PARTITION:
        return SystemStreamPartition.label
    return lambda partition: f"Partition {partition.partition}"


def require_known_grouper(config: Config) -> None:
    """Raise `ConfigError` where the job shares out partitions, or those that came, in a way that is not known here."""
    _require_one_of(config, GROUPER_FACTORY, BY_PARTITION, BY_SYSTEM_STREAM_PARTITION)
    _require_one_of(config, MAPPER_FACTORY, BY_HASH)


def keeps_tasks(config: Config) -> bool:
    """Whether partitions stay with the tasks that had them: the job keeps state on disk, and nothing was switched off.

    Where it keeps none, a key may go to another task.
    """
    has_state = any(_STORE_FACTORY.fullmatch(key) and config[key] != _IN_MEMORY for key in config)
    return has_state and config.get(INPUT_EXPANSION, "true").casefold() == "true"


def group_partitions(
    partitions: Iterable[SystemStreamPartition], broadcast: Collection[SystemStreamPartition], name_of: TaskNamer
) -> Groups:
    """Give each partition to the task named for it, and the broadcast ones to every task that there is then."""
    groups: dict[str, set[SystemStreamPartition]] = {}
    for partition in partitions:
        if partition not in broadcast:
            groups.setdefault(name_of(partition), set()).add(partition)
    return {task_name: frozenset(found.union(broadcast)) for task_name, found in groups.items()}


def keep_tasks(groups: Groups, previous: Groups, broadcast: Collection[SystemStreamPartition]) -> Groups:
    """Leave partitions with the tasks that had them, so that a key's state stays where the key is (SSPGrouperProxy).

    If a stream has more partitions than it had, a new one goes to the task of the partition that its keys were on:
    that of its number modulo the former count. A task that is left without partitions is none any more.

    Raises:
        ConfigError: a stream's partitions are not a multiple of what they were.
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
    """The partition that the keys of this one were on, when the stream had ``before`` partitions (0: it was none)."""
    if before in (0, now):
        return partition
    if now % before:
        raise ConfigError(
            f"{partition.system}.{partition.stream} has {now} partitions and had {before}, which is no part of that: "
            "the keys of the tasks' state would be mixed up, so give it a multiple, "
            f"or set {INPUT_EXPANSION} to false if that does not matter"
        )
    return SystemStreamPartition(partition.system, partition.stream, partition.partition % before)


def _counts(groups: Groups) -> Counter[tuple[str, str]]:
    """How many partitions of each stream the tasks read, each task counted."""
    return Counter((each.system, each.stream) for found in groups.values() for each in found)
