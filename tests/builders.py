"""Events with defaults, so that each test shows only what matters; their bytes are made by `eventlog.wire`."""

from collections.abc import Iterable, Mapping
from typing import Final

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2, Offsets, StateMarkers
from eventlog.events import CREATE_TIME, NewEvent, RecordedEvent
from eventlog.messages import (
    CoordinatorMessage,
    Envelope,
    Message,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.startpoint import Startpoint, StartpointFanOut
from eventlog.wire import checkpoint_topic, coordinator

#: The record time (ms since 1970) of the first event, where a test does not say another.
FIRST_TIME: Final = 1_700_000_000_000
KAFKA_BACKEND: Final = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"

OffsetTexts = Mapping[str, str | None]


def recorded(events: Iterable[NewEvent], *, first: int = 0, at: int = FIRST_TIME, step: int = 1) -> list[RecordedEvent]:
    """The events as a log holds them: offsets from ``first``, times from ``at`` in steps of ``step`` ms."""
    return [
        RecordedEvent(
            first + n,
            at + n * step if event.timestamp is None else event.timestamp,
            CREATE_TIME,
            event.key,
            event.value,
            event.headers,
        )
        for n, event in enumerate(events)
    ]


def raw(key: bytes | None, value: bytes | None, *, at: int | None = None) -> NewEvent:
    """An event of any bytes."""
    return NewEvent(key, value, at)


def tombstone(event: NewEvent) -> NewEvent:
    """The deletion of an event's very key bytes."""
    return NewEvent(event.key, None)


def coordinator_key(message_type: str, key: str) -> bytes:
    """The key of a coordinator stream's event."""
    return coordinator.encode_key(message_type, key)


def message(said: Message, *, at: int | None = None, source: str = "job-runner") -> NewEvent:
    """An event of the coordinator stream, written by ``source``."""
    wrapped: Message = said
    if isinstance(said, CoordinatorMessage):
        wrapped = said.model_copy(update={"envelope": Envelope(source, "host-1", "samza", FIRST_TIME)})
    key, value = coordinator.encode_message(wrapped)
    return NewEvent(key, value, at)


def config_set(key: str = "task.class", value: str = "demo.Task", *, at: int | None = None) -> NewEvent:
    """A config key with its value."""
    return message(SetConfig(config_key=key, config_value=value), at=at)


def config_deleted(key: str = "task.class") -> NewEvent:
    """The tombstone of a config key."""
    return tombstone(config_set(key))


def changelog_set(task: str = "Partition 0", partition: int = 0) -> NewEvent:
    """A task's changelog partition."""
    return message(SetChangelogMapping(task_name=task, changelog_partition=partition))


def container_host(container: str = "0", host: str = "host-1") -> NewEvent:
    """The host of a container."""
    return message(SetContainerHostMapping(container_id=container, host_name=host, jmx_url="", jmx_tunneling_url=""))


def container_execution(container: str = "0", given: str = "container_1_0001_01_000002") -> NewEvent:
    """The id that the cluster gave to a container."""
    return message(SetExecutionEnvContainerIdMapping(container_id=container, execution_container_id=given))


def task_mode(task: str = "Partition 0", mode: str = "Active") -> NewEvent:
    """Whether a task is active or a standby."""
    return message(SetTaskModeMapping(task_name=task, task_mode=mode))


def task_container(task: str = "Partition 0", container: str = "0") -> NewEvent:
    """The container of a task."""
    return message(SetTaskContainerMapping(task_name=task, container_id=container))


def task_partition(partition: str = "kafka.in.0", *tasks: str, key_bucket: int = -1) -> NewEvent:
    """The tasks that read a partition; one, ``Partition 0``, where none is named."""
    read = SystemStreamPartition.parse(partition)
    bucketed = SystemStreamPartition(read.system, read.stream, read.partition, key_bucket)
    return message(SetTaskPartitionMapping(partition=bucketed, task_names=tasks or ("Partition 0",)))


def startpoint(key: str, requested: Startpoint, *, at: int | None = None) -> NewEvent:
    """A request; ``key`` is ``system.stream.partition`` or that and ``.task``."""
    return message(SetStartpoint(key_text=key, startpoint=requested), at=at)


def fan_out(task: str, startpoints: Mapping[str, Startpoint], *, timestamp: int = FIRST_TIME) -> NewEvent:
    """The startpoints handed to a task, by partition text."""
    handed = {SystemStreamPartition.parse(partition): one for partition, one in startpoints.items()}
    return message(SetStartpointFanOut(task_name=task, fan_out=StartpointFanOut(timestamp, handed)))


def set_checkpoint(task: str = "Partition 0", offsets: OffsetTexts | None = None) -> NewEvent:
    """A checkpoint on the coordinator stream (SAMZA-465)."""
    return message(SetCheckpoint(task_name=task, offsets=_offsets(offsets)), source="SamzaContainer-0")


def checkpoint_v1(
    task: str = "Partition 0",
    offsets: OffsetTexts | None = None,
    *,
    grouper: str = checkpoint_topic.DEFAULT_GROUPER_FACTORY,
    at: int | None = None,
) -> NewEvent:
    """A V1 checkpoint on the checkpoint topic."""
    key = checkpoint_topic.CheckpointKey(checkpoint_topic.KEY_TYPE_V1, TaskName(task), grouper)
    value = checkpoint_topic.encode_v1(CheckpointV1(_offsets(offsets)))
    return NewEvent(checkpoint_topic.encode_key(key), value, at)


def checkpoint_v2(
    task: str = "Partition 0",
    offsets: OffsetTexts | None = None,
    *,
    checkpoint_id: str = f"{FIRST_TIME}-7",
    markers: StateMarkers | None = None,
    at: int | None = None,
) -> NewEvent:
    """A V2 checkpoint on the checkpoint topic."""
    key = checkpoint_topic.CheckpointKey(checkpoint_topic.KEY_TYPE_V2, TaskName(task))
    said = CheckpointV2(CheckpointId.parse(checkpoint_id), _offsets(offsets), markers or {})
    return NewEvent(checkpoint_topic.encode_key(key), checkpoint_topic.encode_v2(said), at)


def _offsets(texts: OffsetTexts | None) -> Offsets:
    given = {"kafka.in.0": "1"} if texts is None else texts
    return {SystemStreamPartition.parse(partition): offset for partition, offset in given.items()}
