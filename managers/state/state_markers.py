"""Markers of state in checkpoints: StateCheckpointMarkerSerde, and the changelog offsets of a checkpoint."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from eventlog.errors import WireError, known_names
from eventlog.frozen_dict import frozen
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import (
    KAFKA_STATE_BACKEND_FACTORY,
    KafkaChangelogOffset,
    KafkaStateCheckpointMarker,
    StateMarkerLine,
)
from managers.state.state_errors import InvalidMarker


class StateCheckpointPayloadSerde(Protocol):
    """Writes and reads the markers of one backend, as `KafkaStateCheckpointMarker` those of the Kafka changelog."""

    def serialise(self, payload: Any) -> str:
        """The text of a marker."""

    def parse(self, text: str) -> Any:
        """The marker with this text. Raises `WireError`."""


KNOWN_SERDES: Final[Mapping[str, StateCheckpointPayloadSerde]] = frozen(
    {KAFKA_STATE_BACKEND_FACTORY: KafkaStateCheckpointMarker}
)


class StateCheckpointMarkerSerde:
    """Writes ``1:<class>:<payload>``, and reads it with the given serde of that class (SAMZA-2591)."""

    def __init__(self, serdes: Mapping[str, StateCheckpointPayloadSerde] = KNOWN_SERDES) -> None:
        """``serdes`` are by the full name of the class that is written."""
        self._serdes: Final = dict(serdes)

    def serialise(self, class_name: str, payload: object) -> str:
        """The text of a marker. Raises ValueError if the class has no serde, or its name contains a colon."""
        if class_name not in self._serdes or ":" in class_name:
            raise ValueError(f"{class_name!r} has no serde.{known_names('classes', class_name, self._serdes)}")
        return str(StateMarkerLine(class_name, self._serdes[class_name].serialise(payload)))

    def deserialise(self, text: str, *, task_name: str, store_name: str) -> Any:
        """The payload of a store's marker. Raises `InvalidMarker`."""
        try:
            class_name, payload = StateMarkerLine.parse(text)
            if class_name in self._serdes:
                return self._serdes[class_name].parse(payload)
        except WireError as error:
            raise InvalidMarker(task_name, store_name, f"{error.detail}: {text!r}") from error
        known = known_names("classes", class_name, self._serdes)
        raise InvalidMarker(task_name, store_name, f"its class {class_name!r} has no serde.{known}")


class CommittedOffset(NamedTuple):
    """The newest offset of a changelog at a commit, None if it was empty; ``checkpoint_id`` None: it is unknown."""

    offset: int | None
    checkpoint_id: CheckpointId | None


def committed_offset(
    checkpoint: Checkpoint | None, task_name: str, store: str, changelog: SystemStreamPartition
) -> CommittedOffset:
    """The offset of a store; None and no id if the checkpoint has none. Raises `InvalidMarker`."""
    text = offset = checkpoint_id = None
    try:
        if isinstance(checkpoint, CheckpointV2):
            text = checkpoint.state_markers.get(KAFKA_STATE_BACKEND_FACTORY, {}).get(store)
            if text is not None:
                checkpoint_id, offset = checkpoint.checkpoint_id, _marked_offset(text, changelog)
        elif checkpoint is not None and (text := checkpoint.offsets.get(changelog)):
            offset = text  # alone in older releases
            if ":" in text:
                parsed = KafkaChangelogOffset.parse(text)
                checkpoint_id, offset = parsed.checkpoint_id, parsed.offset
    except WireError as error:
        raise InvalidMarker(task_name, store, f"{error}: {text!r}") from error
    if offset is not None and not (offset.isascii() and offset.isdigit()):
        raise InvalidMarker(task_name, store, f"its offset {offset!r} is not one of Kafka")
    return CommittedOffset(None if offset is None else int(offset), checkpoint_id)


def _marked_offset(marker: str, changelog: SystemStreamPartition) -> str | None:
    parsed = KafkaStateCheckpointMarker.parse(marker)
    if parsed.changelog != changelog:
        raise WireError("bad_partition", f"it names changelog {parsed.changelog}, but the store's is {changelog}")
    return parsed.offset
