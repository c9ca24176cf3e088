"""The public names, for type checkers and for `coordstream/__init__.py`, which imports each when it is first used."""

# ruff: isort: skip_file

from eventlog.checkpoint import (
    Checkpoint as Checkpoint,
    CheckpointId as CheckpointId,
    CheckpointV1 as CheckpointV1,
    CheckpointV2 as CheckpointV2,
)
from eventlog.errors import (
    ConfigError as ConfigError,
    EventLogError as EventLogError,
    StreamKindError as StreamKindError,
    WireError as WireError,
)
from eventlog.events import NewEvent as NewEvent, RecordedEvent as RecordedEvent
from eventlog.kafka.changelogs import KafkaChangelogs as KafkaChangelogs
from eventlog.kafka.log import KafkaEventLog as KafkaEventLog
from eventlog.kafka.options import KafkaOptions as KafkaOptions, OptionRefused as OptionRefused
from eventlog.kafka.system_admin import KafkaSystemAdmin as KafkaSystemAdmin
from eventlog.log import (
    AppendConflict as AppendConflict,
    AppendRefused as AppendRefused,
    EventLog as EventLog,
    MemoryEventLog as MemoryEventLog,
    StreamExists as StreamExists,
)
from eventlog.messages import (
    Delete as Delete,
    Envelope as Envelope,
    Message as Message,
    SetChangelogMapping as SetChangelogMapping,
    SetCheckpoint as SetCheckpoint,
    SetConfig as SetConfig,
    SetContainerHostMapping as SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping as SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata as SetJobCoordinatorMetadata,
    SetStartpoint as SetStartpoint,
    SetStartpointFanOut as SetStartpointFanOut,
    SetTaskContainerMapping as SetTaskContainerMapping,
    SetTaskModeMapping as SetTaskModeMapping,
    SetTaskPartitionMapping as SetTaskPartitionMapping,
    UnknownMessage as UnknownMessage,
)
from eventlog.partition import SystemStreamPartition as SystemStreamPartition, TaskName as TaskName
from eventlog.postgres.log import (
    PostgresAdmin as PostgresAdmin,
    PostgresEventLog as PostgresEventLog,
    UnknownStream as UnknownStream,
)
from eventlog.startpoint import (
    Startpoint as Startpoint,
    StartpointNotSupported as StartpointNotSupported,
    StartpointOldest as StartpointOldest,
    StartpointSpecific as StartpointSpecific,
    StartpointTimestamp as StartpointTimestamp,
    StartpointUpcoming as StartpointUpcoming,
    StartpointVisitor as StartpointVisitor,
)
from eventlog.streams import (
    StreamIdentity as StreamIdentity,
    checkpoint_stream_name as checkpoint_stream_name,
    coordinator_stream_name as coordinator_stream_name,
    identify as identify,
)
from eventlog.source import (
    OffsetLost as OffsetLost,
    SourceUnavailable as SourceUnavailable,
    StreamMissing as StreamMissing,
    StreamRefused as StreamRefused,
)
from eventlog.system_admin import (
    InputMissing as InputMissing,
    ResolvedStartpoint as ResolvedStartpoint,
    SystemAdmin as SystemAdmin,
    SystemStreamMetadata as SystemStreamMetadata,
    SystemStreamPartitionMetadata as SystemStreamPartitionMetadata,
)
from managers.state.state_backend import (
    backend_factory_store_names as backend_factory_store_names,
    require_backends as require_backends,
    stores_by_backup_factory as stores_by_backup_factory,
)
from managers.state.changelog_backend import KafkaChangelogStateBackendFactory as KafkaChangelogStateBackendFactory
from managers.state.key_value_store import (
    DictStore as DictStore,
    KeyValueStore as KeyValueStore,
    LoggedStore as LoggedStore,
)
from managers.state.object_store_backend import (
    OBJECT_STORE_STATE_BACKEND_FACTORY as OBJECT_STORE_STATE_BACKEND_FACTORY,
    ObjectStoreStateBackendFactory as ObjectStoreStateBackendFactory,
)
from managers.state.key_value_store import RocksDbStore as RocksDbStore
from managers.state.state_backend import (
    RestoreProgress as RestoreProgress,
    StateBackendFactory as StateBackendFactory,
    StatefulTask as StatefulTask,
    TaskBackupManager as TaskBackupManager,
    TaskRestoreManager as TaskRestoreManager,
)
from managers.state.state_errors import (
    CommitFailed as CommitFailed,
    CommitTimedOut as CommitTimedOut,
    InvalidMarker as InvalidMarker,
    SnapshotDamaged as SnapshotDamaged,
    StateError as StateError,
    StoreNotBackedUp as StoreNotBackedUp,
    StoreNotRestored as StoreNotRestored,
    StoreUnreadable as StoreUnreadable,
)
from managers.state.state_markers import StateCheckpointMarkerSerde as StateCheckpointMarkerSerde
from managers.state.task_committer import TaskCommitter as TaskCommitter
from managers.state.task_storage import TaskRestoration as TaskRestoration
from managers.state.task_storage import TaskStorageCommitManager as TaskStorageCommitManager
from eventlog.state_markers import (
    KAFKA_STATE_BACKEND_FACTORY as KAFKA_STATE_BACKEND_FACTORY,
    KafkaStateCheckpointMarker as KafkaStateCheckpointMarker,
)
from managers.wrapped_logs import Retry as Retry
from managers.job_facts import (
    ChangelogError as ChangelogError,
    ChangelogRemap as ChangelogRemap,
    ChangelogRemapped as ChangelogRemapped,
)
from managers.assignments.changelog_partition_manager import (
    ChangelogPartitionManager as ChangelogPartitionManager,
    ChangelogStreamManager as ChangelogStreamManager,
)
from managers.assignments.job_model_assignments import (
    ExecutionContainerIdManager as ExecutionContainerIdManager,
    ContainerLocality as ContainerLocality,
    LocalityManager as LocalityManager,
)
from managers.assignments.job_model_assignments import JobModelAssignments as JobModelAssignments
from managers.assignments.job_model_assignments import (
    TaskAssignmentManager as TaskAssignmentManager,
    UnknownTaskMode as UnknownTaskMode,
    TaskPartitionAssignmentManager as TaskPartitionAssignmentManager,
)
from managers.errors import (
    CheckpointError as CheckpointError,
    CheckpointFileError as CheckpointFileError,
    CheckpointNotWritten as CheckpointNotWritten,
    CheckpointUnreadable as CheckpointUnreadable,
    CheckpointsChanged as CheckpointsChanged,
    JobAlive as JobAlive,
    TaskNotRegistered as TaskNotRegistered,
)
from managers.config.property_file import parse_offsets as parse_offsets, property_lines as property_lines
from managers.checkpoints.checkpoint_manager import CheckpointManager as CheckpointManager
from managers.checkpoints.checkpoint_manager import checkpoint_manager as checkpoint_manager
from managers.checkpoints.checkpoint_tool import (
    CheckpointChange as CheckpointChange,
    CheckpointTool as CheckpointTool,
    OffsetChange as OffsetChange,
)
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager as KafkaCheckpointManager
from managers.config.job_config import (
    delete_config as delete_config,
    read_config as read_config,
    read_launch_config as read_launch_config,
    set_config as set_config,
    write_config as write_config,
)
from managers.errors import (
    ManagerError as ManagerError,
    MissingSetting as MissingSetting,
    NotReady as NotReady,
    SettingChange as SettingChange,
    WriteOnceChange as WriteOnceChange,
)
from managers.job_facts import JobFacts as JobFacts
from managers.job_models.job_model_building import (
    count_partitions as count_partitions,
    with_matching_inputs as with_matching_inputs,
)
from managers.job_models.job_coordinator_metadata import (
    JobCoordinatorMetadata as JobCoordinatorMetadata,
    JobMetadataChange as JobMetadataChange,
    MetadataNotGenerated as MetadataNotGenerated,
    MetadataNotWritten as MetadataNotWritten,
    JobCoordinatorMetadataManager as JobCoordinatorMetadataManager,
)
from managers.job_models.job_model import (
    ContainerModel as ContainerModel,
    JobModel as JobModel,
    TaskModel as TaskModel,
    compare_container_model_for_processor as compare_container_model_for_processor,
    compare_container_models as compare_container_models,
)
from managers.job_models.job_model_building import (
    PreviousAssignment as PreviousAssignment,
    build_job_model as build_job_model,
)
from managers.job_models.job_model_json import (
    job_model_from_json as job_model_from_json,
    job_model_to_json as job_model_to_json,
)
from managers.job_names import (
    build_coordinator_stream_config as build_coordinator_stream_config,
    checkpoint_stream as checkpoint_stream,
    coordinator_stream as coordinator_stream,
    coordinator_system as coordinator_system,
)
from managers.offsets.offset_manager import (
    END_OF_STREAM_OFFSET as END_OF_STREAM_OFFSET,
    CheckpointListener as CheckpointListener,
    OffsetManager as OffsetManager,
)
from managers.offsets.resolved_starts import (
    OffsetError as OffsetError,
    UnusableOffset as UnusableOffset,
    RefusedStartpoint as RefusedStartpoint,
)
from managers.startpoints.startpoint_records import (
    StartpointError as StartpointError,
    StartpointNotWritten as StartpointNotWritten,
    StartpointUnreadable as StartpointUnreadable,
    should_fan_out_startpoints as should_fan_out_startpoints,
)
from managers.startpoints.startpoint_manager import StartpointManager as StartpointManager
from managers.stores.coordinator_store import (
    CoordinatorStreamStore as CoordinatorStreamStore,
    MetadataStore as MetadataStore,
)
from managers.stored_messages import (
    NamespaceAwareCoordinatorStreamStore as NamespaceAwareCoordinatorStreamStore,
)
from managers.stores.keyed_state import NamespacedKey as NamespacedKey
from managers.streams.coordinator_streams import (
    CoordinatorStreamConsumer as CoordinatorStreamConsumer,
    CoordinatorStreamMessage as CoordinatorStreamMessage,
    CoordinatorStreamProducer as CoordinatorStreamProducer,
    CoordinatorStreamWriter as CoordinatorStreamWriter,
)
from managers.stream_creation import (
    ChangelogStream as ChangelogStream,
    create_changelog_streams as create_changelog_streams,
    create_coordinator_stream as create_coordinator_stream,
)
from coordstream.steered import SteeredConsumer as SteeredConsumer

__version__: str
_MODULES: dict[str, str]
