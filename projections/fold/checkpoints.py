"""A decoded checkpoint as its layout, the names of its offsets, which is stored once, and the offsets."""

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final, NamedTuple, cast

from eventlog.errors import WireError
from eventlog.messages import Delete, Envelope, SetCheckpoint
from eventlog.partition import SystemStreamPartition
from eventlog.secret_policy import SecretPolicy
from eventlog.state_markers import KafkaChangelogOffset, KafkaStateCheckpointMarker, is_changelog_offset
from eventlog.wire.checkpoint_topic import decode_v1, decode_v2
from eventlog.wire.coordinator import CoordinatorKey, decode_message
from projections.fold.rows import require_storable

NO_OFFSETS: Final = 0
"""The layout of a checkpoint without any offset; it has no rows."""


class LayoutEntry(NamedTuple):
    """What one offset of a checkpoint belongs to: an input partition, or (``is_state``) a store's state.

    A state entry of V1 has no factory and store: the job's config knows them. Its marker, in V2, is
    ``marker_prefix``, the offset, ``marker_suffix``; system, stream and partition are None where the marker is not
    Kafka's or contains a secret, and the offset then is the marker itself, or its fingerprint.
    """

    partition_id: int | None
    key_bucket: int | None
    is_state: bool
    system_name: str | None
    stream_name: str | None
    factory_name: str | None = None
    store_name: str | None = None
    marker_prefix: str | None = None
    marker_suffix: str | None = None


Layout = tuple[LayoutEntry, ...]


def input_streams(layout: Layout) -> list[str]:
    """The stream of each input partition, as ``system.stream``."""
    return [f"{entry.system_name}.{entry.stream_name}" for entry in layout if not entry.is_state]


class LayoutDictionary:
    """All layouts of one log. New ones stand in ``new`` until they are stored.

    The number of a layout is part of its hash: it depends neither on the layouts before nor on the order of decoding.
    """

    def __init__(self) -> None:
        self._ids: dict[Layout, int] = {(): NO_OFFSETS}
        self.new: list[tuple[int, Layout]] = []

    def remember(self, layout_id: int, layout: Layout) -> None:
        """Take back a stored layout."""
        self._ids[layout] = layout_id

    def id_of(self, layout: Layout) -> int:
        layout_id = self._ids.get(layout)
        if layout_id is None:
            layout_id = int.from_bytes(sha256(json.dumps(layout).encode()).digest()[:8]) >> 1
            self._ids[layout] = layout_id
            self.new.append((layout_id, layout))
        return layout_id


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


def mask_checkpoint(decoded: DecodedCheckpoint, secrets: SecretPolicy) -> DecodedCheckpoint:
    """The checkpoint with fingerprints for offsets and markers that contain a secret: both may be any text."""
    layout, offsets = list(decoded.layout), list(decoded.offsets)
    for at, (entry, offset) in enumerate(zip(decoded.layout, decoded.offsets, strict=True)):
        text = f"{entry.marker_prefix or ''}{offset or ''}{entry.marker_suffix or ''}"
        is_kafka = bool(entry.marker_prefix)
        is_plain = KafkaStateCheckpointMarker.parse(text).serialise() == text if is_kafka else text.isdecimal()
        if not is_plain and secrets.holds_secret(text):
            offsets[at] = secrets.fingerprint(text)
            if is_kafka:
                layout[at] = LayoutEntry(None, None, True, None, None, entry.factory_name, entry.store_name, "", "")
    return decoded._replace(layout=tuple(layout), offsets=offsets)


def _decode_v0(key: CoordinatorKey | None, value: bytes) -> DecodedCheckpoint | None:
    message = decode_message(cast("CoordinatorKey", key), value)
    if isinstance(message, Delete):
        return None
    offsets = cast("SetCheckpoint", message).offsets
    return DecodedCheckpoint(tuple(map(_input, offsets)), list(offsets.values()), envelope=message.envelope)


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
    whole = LayoutEntry(None, None, True, None, None, factory, store, "", "")
    try:
        kafka = KafkaStateCheckpointMarker.parse(marker)
    except WireError:
        return whole, marker
    prefix, offset, suffix = (marker, None, "") if kafka.offset is None else _split_marker(marker)
    if offset != kafka.offset:
        return whole, marker
    entry = _input(kafka.changelog)._replace(
        is_state=True, factory_name=factory, store_name=store, marker_prefix=prefix, marker_suffix=suffix
    )
    return entry, offset


def _split_marker(marker: str) -> tuple[str, str, str]:
    """The marker around its offset, whose number may be the partition's, too."""
    found = _JSON_OFFSET.fullmatch(marker)
    if found is not None:
        return found[1], found[2], found[3]
    before, separator, offset = marker.rpartition(";")
    return before + separator, offset, ""


_DECODERS: Final[Mapping[int, Callable[[CoordinatorKey | None, bytes], DecodedCheckpoint | None]]] = {
    0: _decode_v0,
    1: _decode_v1,
    2: _decode_v2,
}
