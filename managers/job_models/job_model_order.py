"""The order of a job model's parts in Samza's JSON: that of Java's hash maps, on which its ids depend.

Parts in the same bucket keep the order of insertion. `insertion_order` reproduces that of Samza's groupers as far as
the model determines it. The order of Python mappings never matters.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from eventlog.config import broadcast_partitions, task_inputs
from eventlog.errors import ConfigError
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from managers.job_models.grouping import task_namer
from managers.job_models.job_model import JobModel, TaskModel
from managers.job_models.jvm_order import (
    bucket_count_of_copy,
    combine_hashes,
    java_map_order,
    scala_immutable_map_order,
    scala_mutable_map_order,
    text_hash,
    text_order,
)

Key = TypeVar("Key")
Part = TypeVar("Part")
OrderedTasks = Sequence[tuple[str, Sequence[SystemStreamPartition]]]
"""The names of a container's tasks, each with its partitions."""
OrderedContainers = Sequence[tuple[str, OrderedTasks]]
"""The ids of containers, each with its tasks."""

_INITIAL_HASH: Final = 1
_STANDBY: Final = re.compile(r"Standby-(.*)-[0-9]+", re.DOTALL)


def config_order(keys: Iterable[str]) -> list[str]:
    """The keys of a config in the order of Samza's map, which is a copy of another map."""
    return java_map_order(sorted(keys, key=text_order), text_hash, bucket_count_of_copy)


def json_order(containers: OrderedContainers) -> OrderedContainers:
    """Parts in the iteration order of Java's maps and sets, given their order of insertion.

    Tasks stay in the order of insertion if none reads a partition: Samza's groupers do not make such containers.
    """
    return _order_by_name((key, list(_order_tasks(tasks))) for key, tasks in containers)


def insertion_order(model: JobModel) -> OrderedContainers:
    """The order in which a model's parts are inserted: containers by number, tasks by name.

    In Samza it depends on a hash that differs between processes, and after tasks have moved on the previous assignment.
    Here it only depends on the model.
    """
    order = _partition_order(model)
    keys = sorted(model.containers, key=lambda text: (len(text), text_order(text)))
    tasks = {key: model.containers[key].tasks for key in keys}
    return [(key, [(name, order(of[name])) for name in sorted(of, key=text_order)]) for key, of in tasks.items()]


def partition_hash(partition: SystemStreamPartition) -> int:
    bucket = 0 if partition.key_bucket == NO_KEY_BUCKET else partition.key_bucket
    hashes = (text_hash(partition.stream), text_hash(partition.system), partition.partition, bucket)
    return combine_hashes(hashes, _INITIAL_HASH)


def _partition_order(model: JobModel) -> Callable[[TaskModel], list[SystemStreamPartition]]:
    """The order in which the partitions of a task are inserted.

    First the partitions that its grouper assigns to it, in the common order of all inputs (within a bucket, that of
    `metadata_order`). Then the broadcast partitions. Then partitions that it got when a stream was expanded, ordered by
    the task that the grouper alone would have chosen.
    """
    name_of = task_namer(model.config)
    broadcast, inputs = _configured_inputs(model)
    read = {partition for task in model.tasks.values() for partition in task.partitions}
    of_inputs = {each for each in read if each not in broadcast or (each.system, each.stream) in inputs}
    ordered = java_map_order(_order_by_metadata(of_inputs), partition_hash)
    assigned = [each for each in ordered if each not in broadcast]
    task_positions = _positions(java_map_order(dict.fromkeys(map(name_of, assigned)), text_hash))
    positions = _positions([*assigned, *java_map_order(sorted(broadcast), partition_hash)])

    def order(task: TaskModel) -> list[SystemStreamPartition]:
        standby = _STANDBY.fullmatch(task.task_name)
        own = standby[1] if standby else task.task_name

        def sort_key(each: SystemStreamPartition) -> tuple[int, int]:
            is_own = each in broadcast or name_of(each) == own
            return -1 if is_own else task_positions[name_of(each)], positions[each]

        return sorted(task.partitions, key=sort_key)

    return order


def metadata_order(streams: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Streams (system, stream) in the order of Samza's StreamMetadataCache."""
    by_system: dict[str, list[str]] = {}
    for system, stream in sorted(streams):
        by_system.setdefault(system, []).append(stream)
    found: list[tuple[str, str]] = []
    for system in scala_immutable_map_order(scala_mutable_map_order(by_system, text_hash), text_hash):
        queried = [(system, stream) for stream in java_map_order(by_system[system], text_hash)]
        found += scala_mutable_map_order(queried, _stream_hash)
    return scala_immutable_map_order(found, _stream_hash)


def _order_by_metadata(partitions: Collection[SystemStreamPartition]) -> list[SystemStreamPartition]:
    """Input partitions in the order in which Samza inserts them into a set: stream by stream."""
    positions = _positions(metadata_order({(each.system, each.stream) for each in partitions}))
    return sorted(partitions, key=lambda each: (positions[each.system, each.stream], each))


def _stream_hash(stream: tuple[str, str]) -> int:
    return combine_hashes((text_hash(stream[1]), text_hash(stream[0])), _INITIAL_HASH)


def _order_tasks(tasks: OrderedTasks) -> Iterator[tuple[str, Sequence[SystemStreamPartition]]]:
    reads = any(partitions for _, partitions in tasks)
    for name, partitions in _order_by_name(tasks) if reads else tasks:
        yield name, java_map_order(partitions, partition_hash)


def _order_by_name(named: Iterable[tuple[str, Part]]) -> list[tuple[str, Part]]:
    return java_map_order(named, lambda pair: text_hash(pair[0]))


def _configured_inputs(model: JobModel) -> tuple[frozenset[SystemStreamPartition], set[tuple[str, str]]]:
    """Broadcast partitions and input streams; none if the config is invalid (Samza makes no model of such a config)."""
    try:
        return broadcast_partitions(model.config), task_inputs(model.config)
    except ConfigError:
        return frozenset(), set()


def _positions(listed: Sequence[Key]) -> dict[Key, int]:
    return {each: at for at, each in enumerate(listed)}
