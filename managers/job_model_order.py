"""The order of a job model's parts in Samza's JSON: that of Java's hash maps, which its ids depend on.

Of parts that share a bucket the one that was put in first comes first: these orders follow Samza's groupers, as far as
the model itself can tell, and never a Python mapping's.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from eventlog.errors import ConfigError
from eventlog.inputs import broadcast_partitions
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from managers.java_hash_order import buckets_of_copy, hash_order
from managers.java_text import hash_of, text_hash, text_order
from managers.job_model import ContainerModel, JobModel, TaskModel
from managers.partition_grouping import task_namer

Key = TypeVar("Key")

_START: Final = 1
_STANDBY: Final = re.compile(r"Standby-(.*)-[0-9]+", re.DOTALL)


def config_keys(keys: Iterable[str]) -> list[str]:
    """Keys of a config, which is a copy of another map."""
    return hash_order(sorted(keys, key=text_order), text_hash, buckets_of_copy)


def container_ids(model: JobModel) -> list[str]:
    """Ids of containers, put in as the grouper counts them, or as the model was read.

    In Samza that goes by a hash of the containers that differs from process to process, so only JSON tells it.
    """
    counted = sorted(model.containers, key=lambda text: (len(text), text_order(text)))
    return hash_order(counted if model.origin is None else model.containers, text_hash)


def task_names(container: ContainerModel) -> list[str]:
    """Names of a container's tasks, put in as texts sort; left so where they read nothing, as no grouper's tasks do."""
    names = sorted(container.tasks, key=text_order)
    return hash_order(names, text_hash) if any(task.partitions for task in container.tasks.values()) else names


def partition_hash(partition: SystemStreamPartition) -> int:
    """``SystemStreamPartition.hashCode`` of Samza 1.8.0."""
    bucket = 0 if partition.key_bucket == NO_KEY_BUCKET else partition.key_bucket
    return hash_of((text_hash(partition.stream), text_hash(partition.system), partition.partition, bucket), _START)


@dataclass(frozen=True, slots=True)
class PartitionsOrder:
    """Orders the partitions that a task of a job reads.

    A task is given the partitions that its grouper names it for, in the order that all inputs have together, then the
    broadcast ones, then those that came to it since their stream has more partitions, by the tasks that they left.
    """

    place: dict[SystemStreamPartition, int]
    place_of_task: dict[str, int]
    name_of: Callable[[SystemStreamPartition], str]
    broadcast: frozenset[SystemStreamPartition]

    @classmethod
    def of(cls, model: JobModel) -> "PartitionsOrder":
        """The order for the tasks of a model."""
        name_of = task_namer(model.config)
        broadcast = _broadcast(model)
        tasks = (task for container in model.containers.values() for task in container.tasks.values())
        read = {partition for task in tasks for partition in task.partitions}
        inputs = hash_order(sorted(read - broadcast), partition_hash)
        names = hash_order(dict.fromkeys(map(name_of, inputs)), text_hash)
        together = [*inputs, *hash_order(sorted(broadcast), partition_hash)]
        return cls(_places(together), _places(names), name_of, broadcast)

    def __call__(self, task: TaskModel) -> list[SystemStreamPartition]:
        standby = _STANDBY.fullmatch(task.task_name)
        name = standby[1] if standby else task.task_name
        return hash_order(sorted(task.partitions, key=lambda each: self._put_in(name, each)), partition_hash)

    def _put_in(self, task_name: str, partition: SystemStreamPartition) -> tuple[int, int]:
        named_for = self.name_of(partition)
        came_from = named_for if partition not in self.broadcast and named_for != task_name else None
        return (-1 if came_from is None else self.place_of_task[came_from], self.place[partition])


def _broadcast(model: JobModel) -> frozenset[SystemStreamPartition]:
    """None, where config names them in a way that Samza would not have made a model of."""
    try:
        return broadcast_partitions(model.config)
    except ConfigError:
        return frozenset()


def _places(listed: Sequence[Key]) -> dict[Key, int]:
    return {each: at for at, each in enumerate(listed)}
