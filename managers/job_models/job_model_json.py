"""The JSON of a job model, as Samza's job coordinator serves it (SamzaObjectMapper), also in older forms.

The order of its parts is that of Java's hash maps, on which the ids of job models depend. Parts in the same bucket keep
the order of insertion. `insertion_order` reproduces that of Samza's groupers as far as the model determines it. The
order of Python mappings never matters.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from eventlog.config import broadcast_partitions, task_inputs
from eventlog.errors import ConfigError, WireError, json_type
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from eventlog.wire.jackson import (
    as_integer,
    as_object,
    as_text,
    dumps,
    loads,
    partition_from_json,
    partition_to_json,
    present,
    text_field,
)
from managers.job_models.grouping import task_namer
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.jvm_order import (
    bucket_count_of_copy,
    combine_hashes,
    java_map_order,
    scala_immutable_map_order,
    scala_mutable_map_order,
    text_hash,
    text_order,
)
from managers.job_names import ACTIVE, STANDBY, TaskMode

_CONFIG: Final = "config"
_CONTAINERS: Final = "containers"
_MAX_PARTITIONS: Final = "max-change-log-stream-partitions"
_PROCESSOR_ID: Final = "processor-id"
_CONTAINER_ID: Final = "container-id"
_TASKS: Final = "tasks"
_TASK_NAME: Final = "task-name"
_PARTITIONS: Final = "system-stream-partitions"
_OFFSETS: Final = "system-stream-partitions-offsets"
_CHANGELOG_PARTITION: Final = "changelog-partition"
_TASK_MODE: Final = "task-mode"
_MODES: Final[dict[Any, TaskMode]] = {None: ACTIVE, "": ACTIVE, ACTIVE: ACTIVE, STANDBY: STANDBY}

Fields = dict[str, Any]
Key = TypeVar("Key")
Part = TypeVar("Part")
OrderedTasks = Sequence[tuple[str, Sequence[SystemStreamPartition]]]
"""The names of a container's tasks, each with its partitions."""
OrderedContainers = Sequence[tuple[str, OrderedTasks]]
"""The ids of containers, each with its tasks."""

_INITIAL_HASH: Final = 1
_STANDBY: Final = re.compile(r"Standby-(.*)-[0-9]+", re.DOTALL)


def job_model_to_json(model: JobModel, *, oldest_form: bool = False) -> bytes:
    """The JSON that Samza writes, with its maps in Java's order. An unchanged model is written as it was read.

    With ``oldest_form``, as in SAMZA-465: a container has a number as its id (ValueError for another one), and a
    task has partitions with offsets and no mode.
    """
    if oldest_form:
        containers = {key: _oldest_container_fields(each) for key, each in sorted(model.containers.items())}
        return dumps({_CONFIG: dict(sorted(model.config.items())), _CONTAINERS: containers}, ascii_surrogates=True)
    if model.origin is not None and job_model_from_json(model.origin) == model:
        return model.origin
    fields = {
        _CONFIG: {key: model.config[key] for key in config_order(model.config)},
        _CONTAINERS: _containers_fields(model, insertion_order(model)),
        _MAX_PARTITIONS: model.max_changelog_stream_partitions,
    }
    return dumps(fields, ascii_surrogates=True)


def containers_json(model: JobModel) -> bytes:
    """The JSON of the containers only, from which the id of a job model is computed.

    Equal for equal models, unless one was read from Samza's JSON, whose order then counts.
    """
    return dumps(_containers_fields(model, _as_read(model) or insertion_order(model)), ascii_surrogates=True)


def job_model_from_json(data: bytes) -> JobModel:
    """Parse a job model, also in older forms; unknown fields are ignored. Raises `WireError`.

    Older: a container with a ``container-id``, a task without a mode, and the oldest one, in which a task has
    partitions with offsets. `job_model_to_json` writes the current form by default.
    """
    fields = as_object(loads(data), "the job model")
    config = as_object(fields.get(_CONFIG, {}), _CONFIG)
    containers = as_object(present(fields, _CONTAINERS, "the job model"), _CONTAINERS)
    model = JobModel(
        {key: as_text(value, f"{key} of {_CONFIG}") for key, value in config.items()},
        {key: _container(key, container) for key, container in containers.items()},
        as_integer(fields[_MAX_PARTITIONS], _MAX_PARTITIONS) if _MAX_PARTITIONS in fields else None,
    )
    is_oldest_form = any(_OFFSETS in task for container in containers.values() for task in container[_TASKS].values())
    return model if is_oldest_form else replace(model, origin=data)


def _as_read(model: JobModel) -> OrderedContainers | None:
    """The order of the JSON from which the model was read; None if it was not read, or has changed."""
    if model.origin is None or job_model_from_json(model.origin) != model:
        return None
    containers = loads(model.origin)[_CONTAINERS]
    return [
        (key, [(name, _listed(task)) for name, task in container[_TASKS].items()])
        for key, container in containers.items()
    ]


def _listed(task: Fields) -> list[SystemStreamPartition]:
    return list(dict.fromkeys(map(partition_from_json, task[_PARTITIONS])))


def _containers_fields(model: JobModel, order: OrderedContainers) -> Fields:
    return {key: _container_fields(model.containers[key], tasks) for key, tasks in json_order(order)}


def _container_fields(container: ContainerModel, order: OrderedTasks) -> Fields:
    tasks = {name: _task_fields(container.tasks[name], partitions) for name, partitions in order}
    return {_PROCESSOR_ID: container.processor_id, _TASKS: tasks}


def _task_fields(task: TaskModel, partitions: Sequence[SystemStreamPartition]) -> Fields:
    return {
        _TASK_NAME: task.task_name,
        _PARTITIONS: [partition_to_json(partition) for partition in partitions],
        _CHANGELOG_PARTITION: task.changelog_partition,
        _TASK_MODE: task.task_mode,
    }


def _oldest_container_fields(container: ContainerModel) -> Fields:
    tasks = {
        name: {
            _TASK_NAME: task.task_name,
            _OFFSETS: {str(partition): task.offsets.get(partition) for partition in sorted(task.partitions)},
            _CHANGELOG_PARTITION: task.changelog_partition,
        }
        for name, task in sorted(container.tasks.items())
    }
    return {_CONTAINER_ID: int(container.processor_id), _TASKS: tasks}


def _container(key: str, value: Any) -> ContainerModel:
    what = f"container {key!r}"
    fields = as_object(value, what)
    tasks = as_object(present(fields, _TASKS, what), f"{_TASKS} of {what}")
    return ContainerModel(_processor_id(fields, what), {name: _task(name, task) for name, task in tasks.items()})


def _processor_id(fields: Fields, what: str) -> str:
    """The id as a string. Before Samza 0.13 it was a number, ``container-id``."""
    value = fields.get(_PROCESSOR_ID)
    if value is None:
        return str(as_integer(present(fields, _CONTAINER_ID, what), f"{_CONTAINER_ID} of {what}"))
    return as_text(value, f"{_PROCESSOR_ID} of {what}")


def _task(key: str, value: Any) -> TaskModel:
    what = f"task {key!r}"
    fields = as_object(value, what)
    offsets = _offsets(fields, what) if _OFFSETS in fields else {}
    return TaskModel(
        text_field(fields, _TASK_NAME, what),
        frozenset(offsets) if _OFFSETS in fields else _partitions(fields, what),
        as_integer(present(fields, _CHANGELOG_PARTITION, what), f"{_CHANGELOG_PARTITION} of {what}"),
        _mode(fields.get(_TASK_MODE), what),
        offsets,
    )


def _partitions(fields: Fields, what: str) -> frozenset[SystemStreamPartition]:
    listed = present(fields, _PARTITIONS, what)
    if not isinstance(listed, list):
        raise WireError("wrong_type", f"{_PARTITIONS} of {what} is {json_type(listed)}, not a list")
    return frozenset(partition_from_json(each) for each in listed)


def _offsets(fields: Fields, what: str) -> Mapping[SystemStreamPartition, str | None]:
    """The oldest form: the last processed offset of each partition, or null (SAMZA-728)."""
    value = as_object(fields[_OFFSETS], f"{_OFFSETS} of {what}")
    return {
        SystemStreamPartition.parse(name): None if offset is None else as_text(offset, f"an offset of {what}")
        for name, offset in value.items()
    }


def _mode(value: Any, what: str) -> TaskMode:
    if not isinstance(value, str | None) or value not in _MODES:
        raise WireError("wrong_type", f"{_TASK_MODE} of {what} is neither {ACTIVE} nor {STANDBY}")
    return _MODES[value]


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
