"""The ``values`` of the coordinator stream's messages: the fields of each type."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from eventlog.error_text import json_type
from eventlog.errors import WireError
from eventlog.messages import (
    Message,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata,
    SetMigrationInfo,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition, parse_int32
from eventlog.wire.jackson import dumps_text, loads
from eventlog.wire.partition_json import decode_partition_key

Values = dict[str, Any]
Common = dict[str, Any]


class EnvelopedType(NamedTuple):
    """How the ``values`` in the envelope of a type are read.

    Without any of ``main_fields`` the message is a delete; the first that exists is used, so Samza's spelling is before
    that in its documentation. A type without main fields has a map, and ``empty_deletes`` says whether an empty one is
    a delete. ``blank_deletes`` says whether a main field without any text is one.
    """

    main_fields: tuple[str, ...]
    build: Callable[[str, str, Values, Common], Message]
    empty_deletes: bool = True
    blank_deletes: bool = False

    def is_delete(self, main: Any, values: Values) -> bool:
        """Whether values with this main field (None: with none) delete the key."""
        if main is None:
            return bool(self.main_fields) or (self.empty_deletes and not values)
        return self.blank_deletes and isinstance(main, str) and not main.strip()


def values_of(message: Message) -> dict[str, str | None]:
    """The ``values`` that Samza writes for a message with an envelope, in its order."""
    return _WRITERS[type(message)](message)


def _config(key: str, main: str, _values: Values, common: Common) -> Message:
    return SetConfig(config_key=key, config_value=main, **common)


def _checkpoint(key: str, _main: str, values: Values, common: Common) -> Message:
    offsets = {SystemStreamPartition.parse(text): _text_or_none(values, text, "an offset") for text in values}
    return SetCheckpoint(task_name=key, offsets=offsets, **common)


def _changelog(key: str, main: str, _values: Values, common: Common) -> Message:
    partition = parse_int32(main, "bad_number", "the changelog's partition")
    return SetChangelogMapping(task_name=key, changelog_partition=partition, **common)


def _host(key: str, main: str, values: Values, common: Common) -> Message:
    return SetContainerHostMapping(
        container_id=key,
        host_name=main,
        jmx_url=_text_or_none(values, "jmx-url", "jmx-url"),
        jmx_tunneling_url=_text_or_none(values, "jmx-tunneling-url", "jmx-tunneling-url"),
        **common,
    )


def _execution(key: str, main: str, _values: Values, common: Common) -> Message:
    return SetExecutionEnvContainerIdMapping(container_id=key, execution_container_id=main, **common)


def _task_container(key: str, main: str, _values: Values, common: Common) -> Message:
    return SetTaskContainerMapping(task_name=key, container_id=main, **common)


def _task_mode(key: str, main: str, _values: Values, common: Common) -> Message:
    return SetTaskModeMapping(task_name=key, task_mode=main, **common)


def _task_partition(key: str, main: str, _values: Values, common: Common) -> Message:
    names = loads(main)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WireError("wrong_type", "taskNames is not a list of texts")
    return SetTaskPartitionMapping(partition=decode_partition_key(key), task_names=tuple(names), **common)


def _metadata(key: str, main: str, _values: Values, common: Common) -> Message:
    fields = loads(main)
    if not isinstance(fields, dict):
        raise WireError("wrong_type", f"meta-key is {json_type(fields)}, not an object")
    return SetJobCoordinatorMetadata(
        cluster_type=key,
        epoch_id=_text_or_none(fields, "epoch-id", "epoch-id"),
        config_id=_text_or_none(fields, "config-id", "config-id"),
        job_model_id=_text_or_none(fields, "job-model-id", "job-model-id"),
        **common,
    )


def _migration(key: str, _main: str, values: Values, common: Common) -> Message:
    if not all(isinstance(value, str) for value in values.values()):
        raise WireError("wrong_type", "a migration's value is not a text")
    return SetMigrationInfo(key=key, values=values, **common)


ENVELOPED_TYPES: Final[dict[str, EnvelopedType]] = {
    SetConfig.message_type: EnvelopedType(("value",), _config),
    SetCheckpoint.message_type: EnvelopedType((), _checkpoint, empty_deletes=False),
    SetChangelogMapping.message_type: EnvelopedType(("Partition", "partition"), _changelog, blank_deletes=True),
    SetContainerHostMapping.message_type: EnvelopedType(("host", "hostname"), _host),
    SetExecutionEnvContainerIdMapping.message_type: EnvelopedType(("execution-env-container-id",), _execution),
    SetTaskContainerMapping.message_type: EnvelopedType(("containerId",), _task_container),
    SetTaskModeMapping.message_type: EnvelopedType(("taskMode",), _task_mode),
    SetTaskPartitionMapping.message_type: EnvelopedType(("taskNames",), _task_partition),
    SetJobCoordinatorMetadata.message_type: EnvelopedType(("meta-key",), _metadata),
    SetMigrationInfo.message_type: EnvelopedType((), _migration),
}
"""The types with an envelope, by name."""


def _checkpoint_values(message: SetCheckpoint) -> dict[str, str | None]:
    return {str(partition): offset for partition, offset in message.offsets.items()}


def _host_values(message: SetContainerHostMapping) -> dict[str, str | None]:
    values = {
        "jmx-url": message.jmx_url,
        "host": message.host_name,
        "jmx-tunneling-url": message.jmx_tunneling_url,
    }
    return {name: value for name, value in values.items() if value is not None}


def _metadata_fields(message: SetJobCoordinatorMetadata) -> dict[str, str]:
    fields = {"epoch-id": message.epoch_id, "config-id": message.config_id, "job-model-id": message.job_model_id}
    return {name: value for name, value in fields.items() if value is not None}


def _text_or_none(fields: Values, name: str, what: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise WireError("wrong_type", f"{what} is {json_type(value)}, not a text")
    return value


_WRITERS: Final[dict[type, Callable[[Any], dict[str, str | None]]]] = {
    SetConfig: lambda message: {"value": message.config_value},
    SetCheckpoint: _checkpoint_values,
    SetChangelogMapping: lambda message: {"Partition": str(message.changelog_partition)},
    SetContainerHostMapping: _host_values,
    SetExecutionEnvContainerIdMapping: lambda message: {"execution-env-container-id": message.execution_container_id},
    SetTaskContainerMapping: lambda message: {"containerId": message.container_id},
    SetTaskModeMapping: lambda message: {"taskMode": message.task_mode},
    SetTaskPartitionMapping: lambda message: {"taskNames": dumps_text(list(message.task_names))},
    SetJobCoordinatorMetadata: lambda message: {"meta-key": dumps_text(_metadata_fields(message))},
    SetMigrationInfo: lambda message: dict(message.values),
}
