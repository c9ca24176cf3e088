"""CheckpointManager and KafkaCheckpointManager: checkpoints on either stream of a job; and which of them a job uses."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Final, Protocol

from eventlog.checkpoint import (
    LIVE_MAX_AGE,
    READ_VERSIONS,
    WRITE_VERSIONS,
    Candidate,
    Checkpoint,
    CheckpointV1,
    choose,
    parse_max_age,
    parse_read_versions,
    write_versions,
)
from eventlog.config import boolean, integer
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import Clock, StreamExists, system_clock
from eventlog.source import StreamFacts
from eventlog.streams import BROKER_DEFAULT, CHECKPOINT_MESSAGE_BYTES, SEGMENT_BYTES, StreamIdentity, StreamKind
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager, Entry
from managers.checkpoints.checkpoint_events import (
    TopicReader,
    coordinator_event,
    read_coordinator_event,
    topic_event,
    version_of,
)
from managers.errors import CheckpointError, NotReady
from managers.job_names import (
    CHECKPOINT_SYSTEM,
    GROUPER_FACTORY,
    checkpoint_stream,
    is_batch,
    setting_key,
    system_of,
)
from managers.stored_messages import CHECKPOINT_TOOL, UNKNOWN, make_envelope
from managers.wrapped_logs import LogOrOpener, Retry

BATCH_RETENTION_MS: Final = 86_400_000
VALIDATION: Final = "job.checkpoint.validation.enabled"
STOP_AFTER_FIRST_READ: Final = "samza.internal.task.checkpoint.consumer.stop.after.first.read"


class StreamAdmin(Protocol):
    """Creates and describes streams, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = BROKER_DEFAULT, settings: Mapping[str, str]
    ) -> None:
        """Create a stream with one partition. Raises `StreamExists` if it exists; it is not changed."""

    def describe(self, stream_name: str) -> StreamFacts:
        """Describe a stream. Raises `StreamRefused` if it cannot be followed, for example with several partitions."""

    def close(self) -> None:
        """Close the admin's connections."""


OpenAdmin = Callable[[], StreamAdmin]


def ensure_checkpoint_topic(admin: StreamAdmin, config: Mapping[str, str]) -> None:
    """Create the topic unless it exists, and check it unless ``job.checkpoint.validation.enabled`` is false.

    Config keys: ``task.checkpoint.<setting>``, otherwise ``systems.<system>.default.stream.<setting>`` of
    ``task.checkpoint.system`` or ``job.default.system``. Settings, with defaults: ``replication.factor`` (the brokers'
    default; Samza's 3 is refused by a cluster of fewer brokers), ``segment.bytes`` (25 MiB), ``max.message.bytes``
    (1,000,012). Raises `MissingSetting`, `ConfigError`, and `StreamRefused` for a topic that cannot be used.
    """
    stream = checkpoint_stream(config)
    copies, settings = _setting(config, "replication.factor", BROKER_DEFAULT), checkpoint_topic_settings(config)
    with suppress(StreamExists):
        admin.create_stream(stream, replication_factor=copies, settings=settings)
    if is_validated(config):
        admin.describe(stream.stream_name)


def checkpoint_topic_settings(config: Mapping[str, str]) -> dict[str, str]:
    """The topic's settings: compacted, and for a batch job also deleted after a day. Raises `ConfigError`."""
    policy = {"cleanup.policy": "compact,delete", "retention.ms": str(BATCH_RETENTION_MS)}
    return {
        **(policy if is_batch(config) else {"cleanup.policy": "compact"}),
        "segment.bytes": str(_setting(config, "segment.bytes", SEGMENT_BYTES)),
        "max.message.bytes": str(_setting(config, "max.message.bytes", CHECKPOINT_MESSAGE_BYTES)),
    }


def _setting(config: Mapping[str, str], setting: str, default: int) -> int:
    system = system_of(config, CHECKPOINT_SYSTEM)
    return integer(config, setting_key(config, system, setting, f"task.checkpoint.{setting}"), default)


class KafkaCheckpointManager(AbstractCheckpointManager):
    """Checkpoints V1 and V2 on a job's checkpoint topic, over any event log (Samza's class).

    The first read reads the whole topic, for all tasks; by default the topic is not read again.
    `eventlog.checkpoint.choose` decides which version of a task's checkpoint counts.

    Config keys, with defaults: ``task.checkpoint.read.versions`` (1), ``task.checkpoint.write.versions`` (any version),
    ``task.live.checkpoint.max.age`` (10 minutes), ``job.systemstreampartition.grouper.factory`` (GroupByPartition),
    ``job.checkpoint.validation.enabled`` (true),
    ``samza.internal.task.checkpoint.consumer.stop.after.first.read`` (true).
    """

    def __init__(
        self,
        log: LogOrOpener,
        *,
        config: Mapping[str, str] | None = None,
        retry: Retry | None = None,
        open_admin: OpenAdmin | None = None,
        writes_any_version: bool = False,
    ) -> None:
        """``log``: the topic, or a function that opens it. ``open_admin`` is needed for `create_resources`.

        ``writes_any_version`` ignores the versions to write in config. Raises `ConfigError`.
        """
        self._config: Final = dict(config or {})
        super().__init__(log, retry, reads_once=boolean(self._config, STOP_AFTER_FIRST_READ, default=True))
        self._open_admin = open_admin
        self.read_versions: Final = parse_read_versions(self._config.get(READ_VERSIONS))
        versions = write_versions(self._config)
        self._write_versions = None if writes_any_version else versions
        self._max_age_ms = parse_max_age(self._config.get(LIVE_MAX_AGE))
        self._grouper_factory = self._config.get(GROUPER_FACTORY) or DEFAULT_GROUPER_FACTORY
        self._reader: Final = TopicReader(self.read_versions, self._grouper_factory, is_validated(self._config))

    def create_resources(self) -> None:
        """Create the topic as `ensure_checkpoint_topic` does; `NotReady` if the manager has no ``open_admin``."""
        if self._open_admin is None:
            raise NotReady(type(self).__name__, "cannot create its topic", "pass open_admin")
        with closing(self._open_admin()) as admin:
            ensure_checkpoint_topic(admin, self._config)

    def _decode(self, event: RecordedEvent) -> Entry | None:
        return self._reader(self.stream_name, event)

    def _choose(self, candidates: Sequence[Candidate[Checkpoint]]) -> Candidate[Checkpoint] | None:
        return choose(candidates, self.read_versions, self._max_age_ms)

    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        version = version_of(checkpoint)
        if self._write_versions is not None and version not in self._write_versions:
            raise CheckpointError(
                f"The checkpoint of task {task_name!r} has version {version}, but {WRITE_VERSIONS} is "
                f"{self._config[WRITE_VERSIONS]}. Write one of these versions, or change the key."
            )
        return topic_event(task_name, checkpoint, self._grouper_factory)


def is_validated(config: Mapping[str, str]) -> bool:
    """Whether a job checks its checkpoint topic: one partition, and only readable checkpoints of its grouper."""
    return boolean(config, VALIDATION, default=True)


CHECKPOINT_FACTORY: Final = "task.checkpoint.factory"
KAFKA_CHECKPOINT_FACTORY: Final = "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory"
TOOL_RETRY_SECONDS: Final = 15


class CheckpointManager(AbstractCheckpointManager):
    """Checkpoints as ``set-checkpoint`` on a job's coordinator stream, over any event log.

    Samza's first design of the coordinator stream; released versions use the checkpoint topic. Every read first catches
    up with the stream. Only a `CheckpointV1` can be written.
    """

    def __init__(
        self,
        log: LogOrOpener,
        *,
        source: str = UNKNOWN,
        retry: Retry | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """``log``: the stream, or a function that opens it. ``source`` is the writer that messages name."""
        super().__init__(log, retry)
        self._source = source
        self._clock = clock

    def _decode(self, event: RecordedEvent) -> Entry | None:
        return read_coordinator_event(self.stream_name, event)

    def _choose(self, candidates: Sequence[Candidate[Checkpoint]]) -> Candidate[Checkpoint] | None:
        return max(candidates, key=lambda one: one.log_offset, default=None)

    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        if not isinstance(checkpoint, CheckpointV1):
            kind = type(checkpoint).__name__
            raise TypeError(
                f"the checkpoint of task {task_name!r} must be a CheckpointV1 on the coordinator stream, not a {kind}"
            )
        return coordinator_event(task_name, checkpoint, make_envelope(self._source, clock=self._clock))


JobCheckpoints = CheckpointManager | KafkaCheckpointManager


def checkpoint_place(config: Mapping[str, str], *, has_checkpoint_topic: bool) -> StreamKind:
    """The stream that a job's checkpoints are written to.

    The checkpoint topic if config sets Kafka's factory or versions to write, or if the topic exists; else the
    coordinator stream. Raises `CheckpointError` if config sets a factory other than Kafka's.
    """
    factory = config.get(CHECKPOINT_FACTORY, "").strip()
    if factory not in ("", KAFKA_CHECKPOINT_FACTORY):
        raise CheckpointError(
            f"{CHECKPOINT_FACTORY} is {factory}, whose checkpoints are not in Kafka. "
            f"Set {KAFKA_CHECKPOINT_FACTORY}, or use that factory's own tool."
        )
    is_on_topic = bool(factory) or bool(config.get(WRITE_VERSIONS, "").strip())
    return "checkpoint" if is_on_topic or has_checkpoint_topic else "coordinator"


def checkpoint_manager(
    config: Mapping[str, str],
    *,
    coordinator: LogOrOpener | None,
    checkpoint: LogOrOpener | None,
    source: str = UNKNOWN,
    retry: Retry | None = None,
    open_admin: OpenAdmin | None = None,
    writes_any_version: bool = False,
) -> JobCheckpoints:
    """Create the manager of a job's checkpoints, not yet started.

    ``coordinator`` and ``checkpoint`` are the job's streams: a log, a function that opens it, or None if it does not
    exist. Raises `CheckpointError` if the location in config is not supported or does not exist, and `ConfigError`.
    """
    place = checkpoint_place(config, has_checkpoint_topic=checkpoint is not None)
    if place == "checkpoint" and checkpoint is not None:
        return KafkaCheckpointManager(
            checkpoint, config=config, retry=retry, open_admin=open_admin, writes_any_version=writes_any_version
        )
    if place == "coordinator" and coordinator is not None:
        return CheckpointManager(coordinator, source=source, retry=retry)
    missing = "checkpoint topic" if place == "checkpoint" else "coordinator stream"
    raise CheckpointError(f"The job keeps its checkpoints on its {missing}, which does not exist. Create it first.")


def writing_manager(
    config: Mapping[str, str], *, coordinator: LogOrOpener | None, checkpoint: LogOrOpener | None, job_name: str
) -> JobCheckpoints:
    """Create the manager with which a tool changes the checkpoints of a stopped job, in the version that it reads.

    Raises as `checkpoint_manager`, also if config names no place and the job has no checkpoints.
    """
    manager = checkpoint_manager(
        config,
        coordinator=coordinator,
        checkpoint=checkpoint,
        source=CHECKPOINT_TOOL,
        retry=Retry(longest=TOOL_RETRY_SECONDS),
        writes_any_version=True,
    )
    if isinstance(manager, CheckpointManager):
        with manager:
            has_checkpoints = bool(manager.task_names())
        if not has_checkpoints:
            raise CheckpointError(
                f"Job {job_name} has no checkpoints: no checkpoint topic, none on its coordinator stream, and no "
                f"{CHECKPOINT_FACTORY}. Set that key, and create the topic with `coordstream log create`."
            )
    return manager
