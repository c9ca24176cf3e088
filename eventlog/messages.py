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

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)  # which may be a secret
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
    """A message whose key is one of its fields. Its class is defined with its type and the name of that field."""

    message_type: ClassVar[str]
    key_field: ClassVar[str]

    def __init_subclass__(cls, *, type: str, key: str) -> None:  # noqa: A002
        cls.message_type, cls.key_field = type, key

    @property
    def key(self) -> str:
        return str(getattr(self, self.key_field))


_NOT_COMPARED: Final = frozenset({"envelope", "origin"})


class SetConfig(NamedMessage, type="set-config", key="config_key"):
    """A key of the job's config."""

    config_key: str
    config_value: str


class SetCheckpoint(NamedMessage, type="set-checkpoint", key="task_name"):
    """A task's last processed offsets, in jobs that keep checkpoints on this stream. Replaces the task's whole set."""

    task_name: str
    offsets: Annotated[Offsets, AfterValidator(frozen)]


class SetChangelogMapping(NamedMessage, type="set-changelog", key="task_name"):
    """The changelog partition that a task writes its state to."""

    task_name: str
    changelog_partition: int


class SetContainerHostMapping(NamedMessage, type="set-container-host-assignment", key="container_id"):
    """The host that a container runs on, and its JMX addresses."""

    container_id: str
    host_name: str
    jmx_url: str | None = None
    jmx_tunneling_url: str | None = None


class SetExecutionEnvContainerIdMapping(
    NamedMessage, type="set-execution-env-container-id-mapping", key="container_id"
):
    """The id of a container in the cluster that runs it."""

    container_id: str
    execution_container_id: str


class SetTaskContainerMapping(NamedMessage, type="set-task-container-assignment", key="task_name"):
    """The container that a task runs in."""

    task_name: str
    container_id: str


class SetTaskModeMapping(NamedMessage, type="set-task-mode-assignment", key="task_name"):
    """Whether a task is ``Active`` or ``Standby``."""

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


class SetJobCoordinatorMetadata(NamedMessage, type="set-job-coordinator-metadata", key="cluster_type"):
    """What the last job coordinator of a cluster type was started with (JobCoordinatorMetadata)."""

    cluster_type: str
    epoch_id: str | None = None
    config_id: str | None = None
    job_model_id: str | None = None


class SetStartpoint(NamedMessage, type="samza-startpoint-v1", key="key_text"):
    """A requested startpoint; `eventlog.partition.startpoint_key_readings` decodes ``key_text``."""

    key_text: str
    startpoint: Startpoint


class SetStartpointFanOut(NamedMessage, type="samza-startpoint-v1-fan-out", key="task_name"):
    """The startpoints that were fanned out to a task."""

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
