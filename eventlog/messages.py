"""The messages of the coordinator stream: a class for each type, as in Samza's ``coordinator.stream.messages``."""

from typing import Annotated, ClassVar, Final, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SkipValidation

from eventlog.checkpoint import Offsets
from eventlog.frozen_dict import frozen
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointFanOut
from eventlog.wire.jackson import encode_partition_key

KeyVersion = int | str | None
PROTOCOL_VERSION: Final = 1


class Envelope(NamedTuple):
    """Who wrote a message and when (``timestamp`` in ms since 1970). None: missing, or of another JSON type."""

    source: str | None = None
    host: str | None = None
    username: str | None = None
    timestamp: int | None = None


class Origin(NamedTuple):
    """What a message was decoded from, so that an unchanged message is encoded as the same bytes."""

    key: str
    value: bytes


class CoordinatorMessage(BaseModel):
    """The base class of messages, which all have a ``message_type`` and a ``key`` too.

    ``envelope`` is None for types without one. Two messages are equal if they have the same type, key (with its
    version) and values, whoever wrote them and whenever (SAMZA-731).
    """

    model_config = ConfigDict(frozen=True)
    is_delete: ClassVar[bool] = False
    envelope: SkipValidation[Envelope | None] = None
    version: KeyVersion = PROTOCOL_VERSION
    origin: SkipValidation[Origin | None] = Field(default=None, repr=False, exclude=True)

    def content(self) -> dict[str, object]:
        """The fields that are compared: all but the envelope and the origin."""
        return {name: value for name, value in self.__dict__.items() if name not in _NOT_COMPARED}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoordinatorMessage) and type(self) is type(other) and self.content() == other.content()

    def __hash__(self) -> int:
        return hash((type(self), *(value for value in self.content().values() if isinstance(value, str | int))))


class NamedMessage(CoordinatorMessage):
    """A message whose key is one of its fields."""

    key_field: ClassVar[str]

    @property
    def key(self) -> str:
        return str(getattr(self, self.key_field))


_NOT_COMPARED: Final = frozenset({"envelope", "origin"})


class SetConfig(NamedMessage):
    """A key of the job's config."""

    message_type: ClassVar[str] = "set-config"
    key_field: ClassVar[str] = "config_key"
    config_key: str
    config_value: str


class SetCheckpoint(NamedMessage):
    """A task's last processed offsets, in jobs that keep checkpoints on this stream. Replaces the task's whole set."""

    message_type: ClassVar[str] = "set-checkpoint"
    key_field: ClassVar[str] = "task_name"
    task_name: str
    offsets: Annotated[Offsets, AfterValidator(frozen)]


class SetChangelogMapping(NamedMessage):
    """The changelog partition that a task writes its state to."""

    message_type: ClassVar[str] = "set-changelog"
    key_field: ClassVar[str] = "task_name"
    task_name: str
    changelog_partition: int


class SetContainerHostMapping(NamedMessage):
    """The host that a container runs on, and its JMX addresses."""

    message_type: ClassVar[str] = "set-container-host-assignment"
    key_field: ClassVar[str] = "container_id"
    container_id: str
    host_name: str
    jmx_url: str | None = None
    jmx_tunneling_url: str | None = None


class SetExecutionEnvContainerIdMapping(NamedMessage):
    """The id of a container in the cluster that runs it."""

    message_type: ClassVar[str] = "set-execution-env-container-id-mapping"
    key_field: ClassVar[str] = "container_id"
    container_id: str
    execution_container_id: str


class SetTaskContainerMapping(NamedMessage):
    """The container that a task runs in."""

    message_type: ClassVar[str] = "set-task-container-assignment"
    key_field: ClassVar[str] = "task_name"
    task_name: str
    container_id: str


class SetTaskModeMapping(NamedMessage):
    """Whether a task is ``Active`` or ``Standby``."""

    message_type: ClassVar[str] = "set-task-mode-assignment"
    key_field: ClassVar[str] = "task_name"
    task_name: str
    task_mode: str


class SetTaskPartitionMapping(CoordinatorMessage):
    """The tasks that read a partition."""

    message_type: ClassVar[str] = "set-task-partition-assignment"
    partition: SystemStreamPartition
    task_names: tuple[str, ...]

    @property
    def key(self) -> str:
        return encode_partition_key(self.partition)


class SetJobCoordinatorMetadata(NamedMessage):
    """What the last job coordinator of a cluster type was started with (JobCoordinatorMetadata)."""

    message_type: ClassVar[str] = "set-job-coordinator-metadata"
    key_field: ClassVar[str] = "cluster_type"
    cluster_type: str
    epoch_id: str | None = None
    config_id: str | None = None
    job_model_id: str | None = None


class SetStartpoint(NamedMessage):
    """A requested startpoint; `eventlog.partition.startpoint_key_readings` decodes ``key_text``."""

    message_type: ClassVar[str] = "samza-startpoint-v1"
    key_field: ClassVar[str] = "key_text"
    key_text: str
    startpoint: Startpoint


class SetStartpointFanOut(NamedMessage):
    """The startpoints that were fanned out to a task."""

    message_type: ClassVar[str] = "samza-startpoint-v1-fan-out"
    key_field: ClassVar[str] = "task_name"
    task_name: str
    fan_out: StartpointFanOut


class Delete(CoordinatorMessage):
    """The deletion of a key of any type: a tombstone, or a value without its main field (older writers)."""

    is_delete: ClassVar[bool] = True
    message_type: str
    key: str


class UnknownMessage(CoordinatorMessage):
    """A message of a type without a class, such as ``set-migration-info``; ``value`` is its text."""

    message_type: str
    key: str
    value: str | None = None


Message = (
    SetConfig
    | SetCheckpoint
    | SetChangelogMapping
    | SetContainerHostMapping
    | SetExecutionEnvContainerIdMapping
    | SetTaskContainerMapping
    | SetTaskModeMapping
    | SetTaskPartitionMapping
    | SetJobCoordinatorMetadata
    | SetStartpoint
    | SetStartpointFanOut
    | Delete
    | UnknownMessage
)

KEYED_BY_PLACE: Final = frozenset(
    kind.message_type
    for kind in (
        SetCheckpoint,
        SetChangelogMapping,
        SetContainerHostMapping,
        SetExecutionEnvContainerIdMapping,
        SetTaskContainerMapping,
        SetTaskModeMapping,
        SetTaskPartitionMapping,
        SetJobCoordinatorMetadata,
        SetStartpoint,
        SetStartpointFanOut,
    )
)
"""The types with a relation of their own, without ``set-config``. Their keys name tasks, containers, partitions or
cluster types, so a key like ``token`` makes no value secret.
"""
