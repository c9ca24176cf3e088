"""CheckpointManager and KafkaCheckpointManager: checkpoints on either stream of a job; and which of them a job uses."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

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
from eventlog.config import boolean
from eventlog.errors import WireError
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import Clock, system_clock
from eventlog.messages import SetCheckpoint
from eventlog.partition import TaskName
from eventlog.wire import coordinator
from eventlog.wire.checkpoint_topic import (
    DEFAULT_GROUPER_FACTORY,
    KEY_TYPE_V1,
    KEY_TYPE_V2,
    CheckpointKey,
    decode_key,
    decode_v1,
    decode_v2,
    encode_key,
    encode_v1,
    encode_v2,
)
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager, Entry
from managers.checkpoints.checkpoint_events import require_readable, sort_entries, version_of
from managers.errors import CheckpointError, CheckpointUnreadable, NotReady
from managers.job_names import GROUPER_FACTORY, checkpoint_stream, coordinator_stream
from managers.stored_messages import CHECKPOINT_TOOL, UNKNOWN, make_envelope
from managers.stream_creation import VALIDATION, InputAdmin, ensure_checkpoint_topic, is_validated
from managers.wrapped_logs import LogOrOpener, Retry, written_event

STOP_AFTER_FIRST_READ: Final = "samza.internal.task.checkpoint.consumer.stop.after.first.read"
_VERSIONS: Final = {KEY_TYPE_V1: 1, KEY_TYPE_V2: 2}
_COORDINATOR_VERSION: Final = 0
"""The version of a checkpoint on the coordinator stream, as in the relation ``checkpoint``."""
_logger: Final = logging.getLogger(__name__)


OpenAdmin = Callable[[], InputAdmin]


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
        super().__init__(
            log, retry, "checkpoint", reads_once=boolean(self._config, STOP_AFTER_FIRST_READ, default=True)
        )
        self._open_admin = open_admin
        self.read_versions: Final = parse_read_versions(self._config.get(READ_VERSIONS))
        versions = write_versions(self._config)
        self._write_versions = None if writes_any_version else versions
        self._max_age_ms = parse_max_age(self._config.get(LIVE_MAX_AGE))
        self._grouper_factory = self._config.get(GROUPER_FACTORY) or DEFAULT_GROUPER_FACTORY
        self._is_validating: Final = is_validated(self._config)

    def create_resources(self) -> None:
        """Create the topic as `ensure_checkpoint_topic` does; `NotReady` if the manager has no ``open_admin``."""
        if self._open_admin is None:
            raise NotReady(type(self).__name__, "cannot create its topic", "pass open_admin")
        with closing(self._open_admin()) as admin:
            ensure_checkpoint_topic(admin, self._config)

    def _decode(self, event: RecordedEvent) -> Entry | None:
        """Unknown key types are ignored. Only values of the versions to read are decoded."""
        try:
            key = decode_key(event.key)
        except WireError as error:
            self._ignore(event, error)
            return None
        version = _VERSIONS.get(key.key_type)
        if version is None:
            return None
        if key.grouper_factory != self._grouper_factory:
            problem = f"it has grouper {key.grouper_factory}, but the job is configured with {self._grouper_factory}"
            remedy = f"Restore {GROUPER_FACTORY}, or use a new checkpoint topic"
            self._report("Using", event, problem, remedy)
        if event.value is not None and version not in self.read_versions:
            return Entry(key.task_name, version, None, is_ignored=True)
        try:
            decode = decode_v1 if version == 1 else decode_v2
            return Entry(key.task_name, version, None if event.value is None else decode(event.value))
        except WireError as error:
            self._ignore(event, error)
            return Entry(key.task_name, version, None, is_ignored=True)

    def _report(
        self, how: str, event: RecordedEvent, problem: str, remedy: str, cause: WireError | None = None
    ) -> None:
        if self._is_validating:
            raise CheckpointUnreadable(self.stream_name, event.offset, f"{problem}. {remedy}") from cause
        _logger.warning("%s the event at offset %d of %s: %s", how, event.offset, self.stream_name, problem)

    def _ignore(self, event: RecordedEvent, error: WireError) -> None:
        self._report("Ignoring", event, str(error).rstrip("."), f"Set {VALIDATION}=false to ignore it", error)

    def _choose(self, candidates: Sequence[Candidate[Checkpoint]]) -> Candidate[Checkpoint] | None:
        return choose(candidates, self.read_versions, self._max_age_ms)

    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        version = version_of(checkpoint)
        if self._write_versions is not None and version not in self._write_versions:
            raise CheckpointError(
                f"The checkpoint of task {task_name!r} has version {version}, but {WRITE_VERSIONS} is "
                f"{self._config[WRITE_VERSIONS]}. Write one of these versions, or change the key."
            )
        require_readable(task_name, checkpoint)
        key_type = KEY_TYPE_V1 if version == 1 else KEY_TYPE_V2
        key = CheckpointKey(key_type, TaskName(task_name), self._grouper_factory)
        written = sort_entries(checkpoint)
        value = encode_v1(written) if isinstance(written, CheckpointV1) else encode_v2(written)
        return written_event(key_type, encode_key(key), value)


CHECKPOINT_FACTORY: Final = "task.checkpoint.factory"
KAFKA_CHECKPOINT_FACTORY: Final = "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory"
TOOL_RETRY_SECONDS: Final = 15


class CheckpointManager(AbstractCheckpointManager):
    """Checkpoints as ``set-checkpoint`` on a job's coordinator stream, over any event log.

    Samza's first design of the coordinator stream; released versions use the checkpoint topic. Every read first catches
    up with the stream. Only a `CheckpointV1` can be written.
    """

    def __init__(
        self, log: LogOrOpener, *, source: str = UNKNOWN, retry: Retry | None = None, clock: Clock = system_clock
    ) -> None:
        """``log``: the stream, or a function that opens it. ``source`` is the writer that messages name."""
        super().__init__(log, retry)
        self._source = source
        self._clock = clock

    def _decode(self, event: RecordedEvent) -> Entry | None:
        try:
            key = coordinator.decode_key(event.key)
        except WireError:  # without a task there is no checkpoint to miss
            return None
        if key.message_type != SetCheckpoint.message_type:
            return None
        try:
            message = coordinator.decode_message(key, event.value)
        except WireError as error:
            _logger.warning("Ignoring the event at offset %d of %s: %s", event.offset, self.stream_name, error)
            return Entry(key.key, _COORDINATOR_VERSION, None, is_ignored=True)
        checkpoint = CheckpointV1(message.offsets) if isinstance(message, SetCheckpoint) else None  # else a Delete
        return Entry(key.key, _COORDINATOR_VERSION, checkpoint)

    def _choose(self, candidates: Sequence[Candidate[Checkpoint]]) -> Candidate[Checkpoint] | None:
        return max(candidates, key=lambda one: one.log_offset, default=None)

    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        if not isinstance(checkpoint, CheckpointV1):
            kind = type(checkpoint).__name__
            raise TypeError(
                f"the checkpoint of task {task_name!r} must be a CheckpointV1 on the coordinator stream, not a {kind}"
            )
        require_readable(task_name, checkpoint, is_message=True)
        envelope = make_envelope(self._source, clock=self._clock)
        offsets = sort_entries(checkpoint).offsets
        return NewEvent(
            *coordinator.encode_message(SetCheckpoint(task_name=task_name, offsets=offsets, envelope=envelope))
        )


JobCheckpoints = CheckpointManager | KafkaCheckpointManager


def checkpoint_manager(
    config: Mapping[str, str],
    *,
    coordinator: LogOrOpener | None,
    checkpoint: LogOrOpener | None,
    source: str = UNKNOWN,
    retry: Retry | None = None,
    writes_any_version: bool = False,
) -> JobCheckpoints:
    """Create the manager of a job's checkpoints, not yet started.

    They are on the checkpoint topic if config sets Kafka's factory or versions to write, or if the topic exists; else
    on the coordinator stream. ``coordinator`` and ``checkpoint`` are the job's streams: a log, a function that opens
    it, or None if it does not exist. Raises `CheckpointError` if config sets another factory or the stream does not
    exist, `MissingSetting` if config does not name that stream either, and `ConfigError`.
    """
    factory = config.get(CHECKPOINT_FACTORY, "").strip()
    if factory not in ("", KAFKA_CHECKPOINT_FACTORY):
        raise CheckpointError(
            f"{CHECKPOINT_FACTORY} is {factory}, whose checkpoints are not in Kafka. "
            f"Set {KAFKA_CHECKPOINT_FACTORY}, or use that factory's own tool."
        )
    if checkpoint is not None:
        return KafkaCheckpointManager(checkpoint, config=config, retry=retry, writes_any_version=writes_any_version)
    is_on_topic = bool(factory or config.get(WRITE_VERSIONS, "").strip())
    if not is_on_topic and coordinator is not None:
        return CheckpointManager(coordinator, source=source, retry=retry)
    missing = (checkpoint_stream if is_on_topic else coordinator_stream)(config).stream_name
    raise CheckpointError(
        f"The job keeps its checkpoints on {missing}, which does not exist. Run `coordstream log create {missing}`."
    )


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
