"""A checkpoint event of any of the three wire forms, read into its layout and its offsets."""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.messages import Delete, Envelope, SetCheckpoint
from eventlog.partition import SystemStreamPartition
from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.state_markers import KafkaChangelogOffset, KafkaStateCheckpointMarker, is_changelog_offset
from eventlog.wire.checkpoint_topic import decode_v1, decode_v2
from eventlog.wire.coordinator import CoordinatorKey, decode_message
from projections.fold.layouts import Layout, LayoutEntry
from projections.fold.storable_text import require_storable

SEPARATOR: Final = "\x1f"
NULL: Final = "\x1e"

_JSON_OFFSET: Final = re.compile(r'(.*"changelog-offset"\s*:\s*")([^"]*)(".*)', re.DOTALL)


class DecodedCheckpoint(NamedTuple):
    """A checkpoint as the tables hold it: ``offsets`` stand in the order of ``layout``.

    ``envelope`` is None in the checkpoint topic, which has none; ``duplicates`` names partitions that stood twice.
    """

    layout: Layout
    offsets: list[str | None]
    checkpoint_id: str | None = None
    envelope: Envelope | None = None
    duplicates: tuple[str, ...] = ()


def decode_checkpoint(version: int, key: CoordinatorKey | None, value: bytes) -> DecodedCheckpoint | None:
    """Read a value; None where it says that the checkpoint is deleted. Raises `WireError`."""
    decoded = _DECODERS[version](key, value)
    if decoded is not None:
        require_storable(value, (decoded.offsets, decoded.layout, decoded.envelope))
    return decoded


def mask_opaque_markers(decoded: DecodedCheckpoint, secrets: SecretPolicy) -> DecodedCheckpoint:
    """The checkpoint with fingerprints for secrets in markers that are not Kafka's: those are any text."""
    masked = [
        secrets.mask_text(text) if text is not None and entry.is_opaque else text
        for entry, text in zip(decoded.layout, decoded.offsets, strict=True)
    ]
    return decoded if masked == decoded.offsets else decoded._replace(offsets=masked)


def _decode_v0(key: CoordinatorKey | None, value: bytes) -> DecodedCheckpoint | None:
    if key is None:
        raise ValueError("a set-checkpoint value is read with its key")
    message = decode_message(key, value)
    if isinstance(message, Delete):
        return None
    if not isinstance(message, SetCheckpoint):
        raise TypeError(f"{message.message_type} is not set-checkpoint")
    return DecodedCheckpoint(
        tuple(map(_input, message.offsets)), list(message.offsets.values()), envelope=message.envelope
    )


def _decode_v1(_key: CoordinatorKey | None, value: bytes) -> DecodedCheckpoint:
    layout: list[LayoutEntry] = []
    offsets: list[str | None] = []
    checkpoint_id = None
    for partition, text in decode_v1(value).offsets.items():
        entry, offset = _input(partition), text
        if text is not None and is_changelog_offset(text):
            changelog = KafkaChangelogOffset.parse(text)
            entry, offset = entry._replace(is_state=True), changelog.offset
            checkpoint_id = checkpoint_id or str(changelog.checkpoint_id)
        layout.append(entry)
        offsets.append(offset)
    return DecodedCheckpoint(tuple(layout), offsets, checkpoint_id)


def _decode_v2(_key: CoordinatorKey | None, value: bytes) -> DecodedCheckpoint:
    checkpoint = decode_v2(value)
    markers = [
        _state(factory, store, marker)
        for factory, stores in checkpoint.state_markers.items()
        for store, marker in stores.items()
    ]
    return DecodedCheckpoint(
        (*map(_input, checkpoint.offsets), *(entry for entry, _ in markers)),
        [*checkpoint.offsets.values(), *(offset for _, offset in markers)],
        None if checkpoint.checkpoint_id is None else str(checkpoint.checkpoint_id),
        duplicates=checkpoint.duplicates,
    )


def _input(partition: SystemStreamPartition) -> LayoutEntry:
    return LayoutEntry(partition.partition, partition.key_bucket, False, partition.system, partition.stream)


def _state(factory: str, store: str, marker: str) -> tuple[LayoutEntry, str | None]:
    """A marker, split around its offset; one that is not Kafka's, or writes its offset with escapes, stays whole."""
    try:
        kafka = KafkaStateCheckpointMarker.parse(marker)
    except WireError:
        return LayoutEntry(None, None, True, None, None, factory, store, "", ""), marker
    prefix, offset, suffix = (marker, None, "") if kafka.offset is None else _split_marker(marker)
    if offset != kafka.offset:
        return LayoutEntry(None, None, True, None, None, factory, store, "", ""), marker
    changelog = kafka.changelog
    return (
        LayoutEntry(
            changelog.partition,
            changelog.key_bucket,
            True,
            changelog.system,
            changelog.stream,
            factory,
            store,
            prefix,
            suffix,
        ),
        kafka.offset,
    )


def _split_marker(marker: str) -> tuple[str, str, str]:
    """The marker around its offset, whose number may be the partition's, too."""
    if not marker.lstrip().startswith("{"):
        before, separator, offset = marker.rpartition(";")
        return before + separator, offset, ""
    found = _JSON_OFFSET.fullmatch(marker)
    if found is None:
        return marker, "", ""
    before, offset, after = found.groups()
    return before, offset, after


_DECODERS: Final[Mapping[int, Callable[[CoordinatorKey | None, bytes], DecodedCheckpoint | None]]] = {
    0: _decode_v0,
    1: _decode_v1,
    2: _decode_v2,
}
