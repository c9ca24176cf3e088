"""Where the changelogs of a task's stores ended at a checkpoint, of version 1 or 2."""

from collections.abc import Mapping
from typing import NamedTuple

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaChangelogOffset, KafkaStateCheckpointMarker
from managers.state.state_errors import InvalidMarker


class CommittedOffset(NamedTuple):
    """The newest offset of a changelog at a commit, None if it was empty; ``checkpoint_id`` None: it is unknown."""

    offset: int | None
    checkpoint_id: CheckpointId | None


def committed_offsets(
    checkpoint: Checkpoint | None, task_name: str, changelogs: Mapping[str, SystemStreamPartition]
) -> dict[str, CommittedOffset]:
    """The offsets of these stores; without stores that have none. Markers of other stores are ignored.

    Raises:
        InvalidMarker: a store's marker cannot be read, or is that of another changelog.
    """
    found = {}
    for store, changelog in changelogs.items():
        try:
            committed = _committed_offset(checkpoint, store, changelog)
        except WireError as error:
            raise InvalidMarker(task_name, store, str(error)) from error
        if committed is not None:
            found[store] = committed
    return found


def _committed_offset(
    checkpoint: Checkpoint | None, store: str, changelog: SystemStreamPartition
) -> CommittedOffset | None:
    if checkpoint is None:
        return None
    if isinstance(checkpoint, CheckpointV2):
        text = checkpoint.state_markers.get(KAFKA_STATE_BACKEND_FACTORY, {}).get(store)
        return None if text is None else CommittedOffset(marked_offset(text, changelog), checkpoint.checkpoint_id)
    text = checkpoint.offsets.get(changelog)
    return _of_version_1(text) if text else None


def marked_offset(marker: str, changelog: SystemStreamPartition) -> int | None:
    """The offset in a marker of a changelog. Raises `WireError`."""
    parsed = KafkaStateCheckpointMarker.parse(marker)
    if parsed.changelog != changelog:
        raise WireError("bad_partition", f"it is that of {parsed.changelog}, but the store's changelog is {changelog}")
    return _number(parsed.offset)


def _of_version_1(text: str) -> CommittedOffset:
    """``<checkpoint id>:<offset>``, or the bare offset of older releases."""
    if ":" not in text:
        return CommittedOffset(_number(text), None)
    parsed = KafkaChangelogOffset.parse(text)
    return CommittedOffset(_number(parsed.offset), parsed.checkpoint_id)


def _number(offset: str | None) -> int | None:
    if offset is None or not offset.strip():
        return None
    if not (offset.isascii() and offset.isdigit()):
        raise WireError("bad_number", f"its offset {offset!r} is not one of Kafka")
    return int(offset)
