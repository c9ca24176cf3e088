"""Versions of checkpoints, and their events on a checkpoint topic or a coordinator stream."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eventlog.checkpoint import (
    DEFAULT_WRITE_VERSIONS,
    WRITE_VERSIONS,
    Checkpoint,
    CheckpointId,
    CheckpointV1,
    CheckpointV2,
    Offsets,
    StateMarkers,
    write_versions,
)
from eventlog.errors import WireError
from eventlog.events import NewEvent, RecordedEvent
from eventlog.messages import Envelope, SetCheckpoint
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.state_markers import KafkaChangelogOffset, scms_to_ssp_offset_map
from eventlog.wire import checkpoint_topic, coordinator
from eventlog.wire.checkpoint_topic import CheckpointKey
from managers.checkpoints.abstract_checkpoint_manager import Entry
from managers.errors import CheckpointError, CheckpointUnreadable
from managers.job_facts import JobFacts
from managers.wrapped_logs import written_event

COORDINATOR_VERSION: Final = 0
"""The version of a checkpoint on the coordinator stream, as in the relation ``checkpoint``."""
_KEY_TYPES: Final = {1: checkpoint_topic.KEY_TYPE_V1, 2: checkpoint_topic.KEY_TYPE_V2}
_VERSIONS: Final = {key_type: version for version, key_type in _KEY_TYPES.items()}
_logger: Final = logging.getLogger(__name__)


def version_of(checkpoint: Checkpoint) -> int:
    return 1 if isinstance(checkpoint, CheckpointV1) else 2


def build_checkpoints(
    config: Mapping[str, str], checkpoint_id: CheckpointId, offsets: Offsets, markers: StateMarkers
) -> tuple[Checkpoint, ...]:
    """The checkpoints of a commit with state, one of each version in config; by default 1 and 2, as in Samza.

    Version 1 has the offsets of changelogs among its offsets, and no markers of other backends.
    """
    newest = scms_to_ssp_offset_map(markers)
    state = {changelog: str(KafkaChangelogOffset(checkpoint_id, offset)) for changelog, offset in newest.items()}
    built = (CheckpointV1({**offsets, **state}), CheckpointV2(checkpoint_id, offsets, markers))
    return tuple(built[version - 1] for version in write_versions(config) or DEFAULT_WRITE_VERSIONS)


def convert_to_versions(
    checkpoints: Sequence[Checkpoint],
    versions: Sequence[int],
    config: Mapping[str, str],
    new_id: Callable[[], CheckpointId],
) -> list[Checkpoint]:
    """The checkpoints that a commit writes, one of each version; a missing one is converted if it has no state."""
    by_version = {version_of(each): each for each in checkpoints}
    return [by_version.get(version) or _convert(checkpoints[0], config, new_id) for version in versions]


def _convert(checkpoint: Checkpoint, config: Mapping[str, str], new_id: Callable[[], CheckpointId]) -> Checkpoint:
    if _has_state(checkpoint, config):
        raise ValueError(
            f"{WRITE_VERSIONS} is {config[WRITE_VERSIONS]}, but a checkpoint of version {version_of(checkpoint)} with "
            "state of stores cannot be converted to the other version: pass a checkpoint of each version"
        )
    if isinstance(checkpoint, CheckpointV2):
        return CheckpointV1(checkpoint.offsets)
    processed = {partition: offset for partition, offset in checkpoint.offsets.items() if offset is not None}
    return CheckpointV2(new_id(), processed, {})


def _has_state(checkpoint: Checkpoint, config: Mapping[str, str]) -> bool:
    if isinstance(checkpoint, CheckpointV2):
        return bool(checkpoint.state_markers)
    facts = JobFacts(config, frozenset())
    return any(facts.is_state(partition, offset) for partition, offset in checkpoint.offsets.items())


@dataclass(frozen=True, slots=True)
class TopicReader:
    """Decodes events of a checkpoint topic, like KafkaCheckpointManager of Samza.

    Unknown key types are ignored. With ``is_validating``, an unreadable event or one with a different grouper is an
    error; without, the unreadable event is ignored and the other one is used, each with a warning. Only values of the
    versions to read are decoded.
    """

    read_versions: Sequence[int]
    grouper_factory: str
    is_validating: bool

    def __call__(self, stream_name: str, event: RecordedEvent) -> Entry | None:
        try:
            key = checkpoint_topic.decode_key(event.key)
        except WireError as error:
            self._ignore(stream_name, event, error)
            return None
        version = _VERSIONS.get(key.key_type)
        if version is None:
            return None
        if key.grouper_factory != self.grouper_factory:
            self._report_grouper(stream_name, event, key)
        if event.value is None:
            return Entry(key.task_name, version, None)
        return Entry(key.task_name, version, *self._value(stream_name, event, event.value, version))

    def _value(
        self, stream_name: str, event: RecordedEvent, value: bytes, version: int
    ) -> tuple[Checkpoint | None, bool]:
        if version not in self.read_versions:
            return None, True
        try:
            decode = checkpoint_topic.decode_v1 if version == 1 else checkpoint_topic.decode_v2
            return decode(value), False
        except WireError as error:
            self._ignore(stream_name, event, error)
            return None, True

    def _ignore(self, stream_name: str, event: RecordedEvent, error: WireError) -> None:
        if self.is_validating:
            remedy = "Write its key again, or set job.checkpoint.validation.enabled=false to ignore it"
            problem = f"{str(error).rstrip('.')}. {remedy}"
            raise CheckpointUnreadable(stream_name, event.offset, problem) from error
        _logger.warning("Ignoring the event at offset %d of %s: %s", event.offset, stream_name, error)

    def _report_grouper(self, stream_name: str, event: RecordedEvent, key: CheckpointKey) -> None:
        problem = f"it has grouper {key.grouper_factory}, but the job is configured with {self.grouper_factory}"
        if self.is_validating:
            remedy = "Restore job.systemstreampartition.grouper.factory, or use a new checkpoint topic"
            raise CheckpointUnreadable(stream_name, event.offset, f"{problem}. {remedy}")
        text = "Using the event at offset %d of %s, because validation is disabled: %s"
        _logger.warning(text, event.offset, stream_name, problem)


def read_coordinator_event(stream_name: str, event: RecordedEvent) -> Entry | None:
    """Decode set-checkpoint of a coordinator stream. An unreadable event is ignored, with a warning."""
    task_name = ""
    try:
        key = coordinator.decode_key(event.key)
        if key.message_type != SetCheckpoint.message_type:
            return None
        task_name = key.key
        message = coordinator.decode_message(key, event.value)
    except WireError as error:
        if not task_name:  # without a task there is no checkpoint to miss
            return None
        _logger.warning("Ignoring the event at offset %d of %s: %s", event.offset, stream_name, error)
        return Entry(task_name, COORDINATOR_VERSION, None, is_ignored=True)
    checkpoint = CheckpointV1(message.offsets) if isinstance(message, SetCheckpoint) else None  # else a Delete
    return Entry(task_name, COORDINATOR_VERSION, checkpoint)


def topic_event(task_name: str, checkpoint: Checkpoint, grouper_factory: str) -> NewEvent:
    """The event of a checkpoint on the checkpoint topic. Raises as `require_readable`."""
    require_readable(task_name, checkpoint)
    key = CheckpointKey(_KEY_TYPES[version_of(checkpoint)], TaskName(task_name), grouper_factory)
    return written_event(key.key_type, checkpoint_topic.encode_key(key), _topic_value(checkpoint))


def coordinator_event(task_name: str, checkpoint: CheckpointV1, envelope: Envelope) -> NewEvent:
    """The event of a checkpoint on the coordinator stream. Raises as `require_readable`."""
    require_readable(task_name, checkpoint)
    offsets = _sorted(checkpoint.offsets)
    message = SetCheckpoint(task_name=task_name, offsets=offsets, envelope=envelope)
    return NewEvent(*coordinator.encode_message(message))


def require_readable(task_name: str, checkpoint: Checkpoint) -> None:
    """Raise TypeError or `CheckpointError` for a checkpoint that Samza could not read back."""
    for partition, offset in checkpoint.offsets.items():
        require_offset(partition, offset)
    if isinstance(checkpoint, CheckpointV2):
        without = checkpoint.without_offset()
        if without is not None:
            raise CheckpointError(
                f"The V2 checkpoint of task {task_name!r} has no offset for {without}, which Samza cannot read. "
                "Omit the partition, or write version 1."
            )


def _topic_value(checkpoint: Checkpoint) -> bytes:
    if isinstance(checkpoint, CheckpointV1):
        return checkpoint_topic.encode_v1(CheckpointV1(_sorted(checkpoint.offsets)))
    markers = {factory: dict(sorted(of.items())) for factory, of in sorted(checkpoint.state_markers.items())}
    offsets = _sorted(checkpoint.offsets)
    return checkpoint_topic.encode_v2(CheckpointV2(checkpoint.checkpoint_id, offsets, markers))


def _sorted(offsets: Offsets) -> Offsets:
    return dict(sorted(offsets.items()))


def require_offset(partition: SystemStreamPartition, offset: Any) -> None:
    """Raise TypeError if an offset is neither a string nor None: it could not be read back from a checkpoint."""
    if offset is not None and not isinstance(offset, str):
        raise TypeError(f"the offset of {partition} must be a string, not {offset!r}")
