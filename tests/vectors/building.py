"""Models built from what a vector says that it was made from."""

from collections.abc import Callable, Mapping
from typing import Any

from eventlog.messages import (
    Delete,
    Envelope,
    Message,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)

Vector = dict[str, Any]


def message_of(said: Vector) -> Message:
    """The message that a vector of the coordinator stream was made from."""
    if said["delete"]:
        return Delete(message_type=said["type"], key=said["key"], version=said["version"])
    envelope = Envelope(said["source"], said["host"], said["username"], said["timestamp"])
    made = _BUILDERS[said["type"]](said)
    return made.model_copy(update={"envelope": envelope, "version": said["version"]})


def _metadata(said: Vector) -> Message:
    ids = said["metadata"]
    return SetJobCoordinatorMetadata(
        cluster_type=said["key"], epoch_id=ids["epoch-id"], config_id=ids["config-id"], job_model_id=ids["job-model-id"]
    )


def _host(said: Vector) -> Message:
    values = said["values"]
    return SetContainerHostMapping(
        container_id=said["key"],
        host_name=values["host"],
        jmx_url=values["jmx-url"],
        jmx_tunneling_url=values["jmx-tunneling-url"],
    )


def _execution(said: Vector) -> Message:
    values = said["values"]
    return SetExecutionEnvContainerIdMapping(
        container_id=said["key"], execution_container_id=values["execution-env-container-id"]
    )


def _task_partition(said: Vector) -> Message:
    return SetTaskPartitionMapping(partition=partition_of(said["ssp"]), task_names=tuple(said["task_names"]))


def _changelog(said: Vector) -> Message:
    return SetChangelogMapping(task_name=said["key"], changelog_partition=int(said["values"]["Partition"]))


def _task_container(said: Vector) -> Message:
    return SetTaskContainerMapping(task_name=said["key"], container_id=said["values"]["containerId"])


def partition_of(said: Vector) -> SystemStreamPartition:
    return SystemStreamPartition(said["system"], said["stream"], said["partition"], said.get("keyBucket", -1))


def offsets_of(said: list[Vector]) -> dict[SystemStreamPartition, str | None]:
    return {partition_of(one.get("ssp", one)): one["offset"] for one in said}


def startpoint_of(said: Vector) -> Startpoint:
    argument = said.get("specificOffset", said.get("timestampOffset"))
    return startpoint_of_kind(said["kind"], said["creationTimestamp"], argument)


def startpoint_of_kind(kind: str, created: int, argument: Any) -> Startpoint:
    match kind:
        case "StartpointSpecific":
            return StartpointSpecific(argument, created)
        case "StartpointTimestamp":
            return StartpointTimestamp(argument, created)
        case "StartpointOldest":
            return StartpointOldest(created)
        case "StartpointUpcoming":
            return StartpointUpcoming(created)
    raise AssertionError(kind)


_BUILDERS: Mapping[str, Callable[[Vector], Message]] = {
    "set-config": lambda said: SetConfig(config_key=said["key"], config_value=said["values"]["value"]),
    "set-checkpoint": lambda said: SetCheckpoint(task_name=said["key"], offsets=offsets_of(said["offsets"])),
    "set-changelog": _changelog,
    "set-container-host-assignment": _host,
    "set-execution-env-container-id-mapping": _execution,
    "set-task-container-assignment": _task_container,
    "set-task-mode-assignment": lambda said: SetTaskModeMapping(
        task_name=said["key"], task_mode=said["values"]["taskMode"]
    ),
    "set-task-partition-assignment": _task_partition,
    "set-job-coordinator-metadata": _metadata,
}


def text_of_utf16(hexadecimal: str) -> str:
    return bytes.fromhex(hexadecimal).decode("utf-16-be", "surrogatepass")
