"""A job model as the JSON that Samza's job coordinator serves (SamzaObjectMapper), also in older forms."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from eventlog.errors import WireError
from eventlog.json_type import json_type
from eventlog.partition import SystemStreamPartition
from eventlog.wire.jackson import dumps, loads
from eventlog.wire.partition_json import partition_from_json, partition_to_json
from managers.job_model import ACTIVE, STANDBY, ContainerModel, JobModel, TaskMode, TaskModel
from managers.job_model_order import PartitionsOrder, config_keys, container_ids, task_names

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


def to_json(model: JobModel) -> bytes:
    """The JSON that Samza writes, its maps in the order of Java's; a model that was read and not changed, as it was."""
    if model.origin is not None and from_json(model.origin) == model:
        return model.origin
    fields = {
        _CONFIG: {key: model.config[key] for key in config_keys(model.config)},
        _CONTAINERS: _containers_fields(model),
        _MAX_PARTITIONS: model.max_changelog_stream_partitions,
    }
    return dumps(fields, ascii_surrogates=True)


def containers_json(model: JobModel) -> bytes:
    """The JSON of the containers alone, of which the id of a job model is made; equal models give equal bytes."""
    return dumps(_containers_fields(model), ascii_surrogates=True)


def from_json(data: bytes) -> JobModel:
    """Read a job model; fields that are not known don't matter.

    Older forms: a container by its ``container-id``, a task without its mode, and that of seed 000, where a task has
    its partitions with their offsets. The last is written in the later form.

    Raises:
        WireError: something that is needed is missing, or of another type.
    """
    fields = _object(loads(data), "the job model")
    config = _object(fields.get(_CONFIG, {}), _CONFIG)
    containers = _object(_present(fields, _CONTAINERS, "the job model"), _CONTAINERS)
    model = JobModel(
        {key: _text(value, f"{key} of {_CONFIG}") for key, value in config.items()},
        {key: _container(key, container) for key, container in containers.items()},
        _number(fields.get(_MAX_PARTITIONS, 0), _MAX_PARTITIONS),
    )
    is_legacy = any(task.offsets for task in model.tasks.values())
    return model if is_legacy else replace(model, origin=data)


def _containers_fields(model: JobModel) -> Fields:
    order = PartitionsOrder.of(model)
    return {key: _container_fields(model.containers[key], order) for key in container_ids(model)}


def _container_fields(container: ContainerModel, order: PartitionsOrder) -> Fields:
    tasks = {name: _task_fields(container.tasks[name], order) for name in task_names(container)}
    return {_PROCESSOR_ID: container.processor_id, _TASKS: tasks}


def _task_fields(task: TaskModel, order: PartitionsOrder) -> Fields:
    return {
        _TASK_NAME: task.task_name,
        _PARTITIONS: [partition_to_json(partition) for partition in order(task)],
        _CHANGELOG_PARTITION: task.changelog_partition,
        _TASK_MODE: task.task_mode,
    }


def _container(key: str, said: Any) -> ContainerModel:
    what = f"container {key!r}"
    fields = _object(said, what)
    tasks = _object(_present(fields, _TASKS, what), f"{_TASKS} of {what}")
    return ContainerModel(_processor_id(fields, what), {name: _task(name, task) for name, task in tasks.items()})


def _processor_id(fields: Fields, what: str) -> str:
    """The id as text; before Samza 0.13 it was a number under another name."""
    said = fields.get(_PROCESSOR_ID)
    if said is None:
        return str(_number(_present(fields, _CONTAINER_ID, what), f"{_CONTAINER_ID} of {what}"))
    return _text(said, f"{_PROCESSOR_ID} of {what}")


def _task(key: str, said: Any) -> TaskModel:
    what = f"task {key!r}"
    fields = _object(said, what)
    offsets = _offsets(fields, what) if _OFFSETS in fields else {}
    return TaskModel(
        _text(_present(fields, _TASK_NAME, what), f"{_TASK_NAME} of {what}"),
        frozenset(offsets) if _OFFSETS in fields else _partitions(fields, what),
        _number(_present(fields, _CHANGELOG_PARTITION, what), f"{_CHANGELOG_PARTITION} of {what}"),
        _mode(fields.get(_TASK_MODE), what),
        offsets,
    )


def _partitions(fields: Fields, what: str) -> frozenset[SystemStreamPartition]:
    listed = _present(fields, _PARTITIONS, what)
    if not isinstance(listed, list):
        raise WireError("wrong_type", f"{_PARTITIONS} of {what} is {json_type(listed)}, not a list")
    return frozenset(partition_from_json(each) for each in listed)


def _offsets(fields: Fields, what: str) -> Mapping[SystemStreamPartition, str | None]:
    """Seed 000: each partition with its last processed offset, or null (SAMZA-728)."""
    said = _object(fields[_OFFSETS], f"{_OFFSETS} of {what}")
    return {
        SystemStreamPartition.parse(name): None if offset is None else _text(offset, f"an offset of {what}")
        for name, offset in said.items()
    }


def _mode(said: Any, what: str) -> TaskMode:
    if not isinstance(said, str | None) or said not in _MODES:
        raise WireError("wrong_type", f"{_TASK_MODE} of {what} is neither {ACTIVE} nor {STANDBY}")
    return _MODES[said]


def _object(said: Any, what: str) -> Fields:
    if not isinstance(said, dict):
        raise WireError("wrong_type", f"{what} is {json_type(said)}, not an object")
    return said


def _present(fields: Fields, name: str, what: str) -> Any:
    if fields.get(name) is None:
        raise WireError("missing_field", f"{what} has no {name}")
    return fields[name]


def _text(said: Any, what: str) -> str:
    if not isinstance(said, str):
        raise WireError("wrong_type", f"{what} is {json_type(said)}, not a text")
    return said


def _number(said: Any, what: str) -> int:
    if type(said) is not int:
        raise WireError("wrong_type", f"{what} is {json_type(said)}, not an integer")
    return said


job_model_to_json: Final = to_json
job_model_from_json: Final = from_json
"""The same two under the names that they have in `coordstream`."""
