"""The order of a job model's parts in Samza's JSON: that of Java's hash maps, which its ids depend on.

Of parts that share a bucket the one that was put in first comes first. `put_in` follows Samza's groupers there, as far
as the model itself can tell, and never a Python mapping.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from eventlog.errors import ConfigError
from eventlog.inputs import broadcast_partitions, task_inputs
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from managers.job_models.java_hash_order import buckets_of_copy, hash_order
from managers.job_models.java_text import hash_of, text_hash, text_order
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.partition_grouping import task_namer
from managers.job_models.scala_hash_order import immutable_map_order, mutable_map_order

Key = TypeVar("Key")
Part = TypeVar("Part")
OrderedTasks = Sequence[tuple[str, Sequence[SystemStreamPartition]]]
"""Names of a container's tasks, each with its partitions."""
OrderedContainers = Sequence[tuple[str, OrderedTasks]]
"""Ids of containers, each with its tasks."""

_START: Final = 1
_STANDBY: Final = re.compile(r"Standby-(.*)-[0-9]+", re.DOTALL)


def config_keys(keys: Iterable[str]) -> list[str]:
    """Keys of a config, which is a copy of another map."""
    return hash_order(sorted(keys, key=text_order), text_hash, buckets_of_copy)


def in_hash_order(containers: OrderedContainers) -> OrderedContainers:
    """What was put into Java's maps and sets in an order, in the order in which they give it.

    Tasks that read nothing stay as they were put in: those are made by hand, and by no grouper.
    """
    return _by_name((key, list(_tasks_in_hash_order(tasks))) for key, tasks in containers)


def put_in(model: JobModel) -> OrderedContainers:
    """The order in which a model's parts are put in: containers as they are counted, tasks as texts sort.

    Samza puts containers in by a hash that differs from process to process, and tasks that have changed their container
    last until the next start: the ids of one and the same model then differ. These don't.
    """
    order = PartitionsOrder.of(model)
    keys = sorted(model.containers, key=lambda text: (len(text), text_order(text)))
    return [(key, _tasks_put_in(model.containers[key], order)) for key in keys]


def partition_hash(partition: SystemStreamPartition) -> int:
    """``SystemStreamPartition.hashCode`` of Samza 1.8.0."""
    bucket = 0 if partition.key_bucket == NO_KEY_BUCKET else partition.key_bucket
    return hash_of((text_hash(partition.stream), text_hash(partition.system), partition.partition, bucket), _START)


@dataclass(frozen=True, slots=True)
class PartitionsOrder:
    """The order in which a task is given its partitions.

    First those that its grouper names it for, in the order that all inputs have together (of a bucket, as
    `streams_as_asked`), then the broadcast ones, then those that came to it since their stream has more partitions, by
    the tasks that they left.
    """

    place: dict[SystemStreamPartition, int]
    place_of_task: dict[str, int]
    name_of: Callable[[SystemStreamPartition], str]
    broadcast: frozenset[SystemStreamPartition]

    @classmethod
    def of(cls, model: JobModel) -> "PartitionsOrder":
        """The order for the tasks of a model."""
        name_of = task_namer(model.config)
        broadcast, shared = _named_in_config(model)
        tasks = (task for container in model.containers.values() for task in container.tasks.values())
        read = {partition for task in tasks for partition in task.partitions}
        of_inputs = {each for each in read if each not in broadcast or (each.system, each.stream) in shared}
        inputs = [each for each in hash_order(_as_asked(of_inputs), partition_hash) if each not in broadcast]
        names = hash_order(dict.fromkeys(map(name_of, inputs)), text_hash)
        together = [*inputs, *hash_order(sorted(broadcast), partition_hash)]
        return cls(_places(together), _places(names), name_of, broadcast)

    def __call__(self, task: TaskModel) -> list[SystemStreamPartition]:
        standby = _STANDBY.fullmatch(task.task_name)
        name = standby[1] if standby else task.task_name
        return sorted(task.partitions, key=lambda each: self._turn(name, each))

    def _turn(self, task_name: str, partition: SystemStreamPartition) -> tuple[int, int]:
        named_for = self.name_of(partition)
        came_from = named_for if partition not in self.broadcast and named_for != task_name else None
        return (-1 if came_from is None else self.place_of_task[came_from], self.place[partition])


def streams_as_asked(streams: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Systems with their streams in the order in which Samza's cache of metadata gives them (StreamMetadataCache)."""
    of_systems: dict[str, list[str]] = {}
    for system, stream in sorted(streams):
        of_systems.setdefault(system, []).append(stream)
    found: list[tuple[str, str]] = []
    for system in immutable_map_order(mutable_map_order(of_systems, text_hash), text_hash):
        told = [(system, stream) for stream in hash_order(of_systems[system], text_hash)]
        found += mutable_map_order(told, _stream_hash)
    return immutable_map_order(found, _stream_hash)


def _as_asked(partitions: Collection[SystemStreamPartition]) -> list[SystemStreamPartition]:
    """Partitions of inputs as they are put into one set: stream by stream."""
    places = _places(streams_as_asked({(each.system, each.stream) for each in partitions}))
    return sorted(partitions, key=lambda each: (places[each.system, each.stream], each))


def _stream_hash(stream: tuple[str, str]) -> int:
    """``SystemStream.hashCode`` of Samza 1.8.0."""
    return hash_of((text_hash(stream[1]), text_hash(stream[0])), _START)


def _tasks_put_in(container: ContainerModel, order: PartitionsOrder) -> OrderedTasks:
    return [(name, order(container.tasks[name])) for name in sorted(container.tasks, key=text_order)]


def _tasks_in_hash_order(tasks: OrderedTasks) -> Iterator[tuple[str, Sequence[SystemStreamPartition]]]:
    reads = any(partitions for _, partitions in tasks)
    for name, partitions in _by_name(tasks) if reads else tasks:
        yield name, hash_order(partitions, partition_hash)


def _by_name(named: Iterable[tuple[str, Part]]) -> list[tuple[str, Part]]:
    return hash_order(named, lambda pair: text_hash(pair[0]))


def _named_in_config(model: JobModel) -> tuple[frozenset[SystemStreamPartition], set[tuple[str, str]]]:
    """Broadcast partitions and shared inputs; none, where Samza would have made no model of such a config."""
    try:
        return broadcast_partitions(model.config), task_inputs(model.config)
    except ConfigError:
        return frozenset(), set()


def _places(listed: Sequence[Key]) -> dict[Key, int]:
    return {each: at for at, each in enumerate(listed)}
