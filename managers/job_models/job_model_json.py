"""A job model as the JSON that Samza's job coordinator serves (SamzaObjectMapper), also in older forms."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from eventlog.error_text import json_type
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.jackson import dumps, loads
from eventlog.wire.partition_json import partition_from_json, partition_to_json
from managers.job_models.job_model import ACTIVE, STANDBY, ContainerModel, JobModel, TaskMode, TaskModel
from managers.job_models.job_model_order import (
    OrderedContainers,
    OrderedTasks,
    config_order,
    insertion_order,
    json_order,
)

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
        _CONFIG: {key: model.config[key] for key in config_order(model.config)},
        _CONTAINERS: _containers_fields(model, insertion_order(model)),
        _MAX_PARTITIONS: model.max_changelog_stream_partitions,
    }
    return dumps(fields, ascii_surrogates=True)


def containers_json(model: JobModel) -> bytes:
    """The JSON of the containers alone, of which the id of a job model is made.

    Equal models give equal bytes; but one that was read from what Samza has written gives Samza's, which may have parts
    of one bucket in another order.
    """
    return dumps(_containers_fields(model, _as_read(model) or insertion_order(model)), ascii_surrogates=True)


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
    is_first_form = any(_OFFSETS in task for container in containers.values() for task in container[_TASKS].values())
    return model if is_first_form else replace(model, origin=data)


def _as_read(model: JobModel) -> OrderedContainers | None:
    """The order that the JSON had from which the model was read; None: there was none, or it has been changed since."""
    if model.origin is None or from_json(model.origin) != model:
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
