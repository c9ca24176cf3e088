"""State checkpoint markers, which tie a task's state to its checkpoint: how far its changelog was written."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from eventlog.checkpoint import CheckpointId, StateMarkers
from eventlog.errors import WireError
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition, parse_int32
from eventlog.wire.jackson import dumps_text, loads, partition_from_json, partition_to_json, text_or_none

KAFKA_STATE_BACKEND_FACTORY: Final = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"

_MARKER_VERSION: Final = 1
_NULL: Final = "null"
_IS_LINE: Final = re.compile(r"[0-9]+:").match
_CHANGELOG_OFFSET: Final = re.compile(r"[0-9]+-[0-9]+:.+")


@dataclass(frozen=True, slots=True)
class KafkaStateCheckpointMarker:
    """The newest offset of a store's changelog partition at a commit; None if the changelog is empty."""

    changelog: SystemStreamPartition
    offset: str | None

    @classmethod
    def parse(cls, text: str) -> "KafkaStateCheckpointMarker":
        """Read JSON (Samza 1.8.0) or ``1;system;stream;partition;offset`` (older Samza). Raises `WireError`.

        Each may be the payload of a `StateMarkerLine`.
        """
        payload = StateMarkerLine.parse(text).payload if _IS_LINE(text) else text
        return _from_json(payload) if payload.lstrip().startswith("{") else _from_fields(payload)

    def serialise(self) -> str:
        """The JSON text that Samza 1.8.0 writes into a V2 checkpoint."""
        fields = {
            "version": _MARKER_VERSION,
            "changelog-ssp": partition_to_json(self.changelog),
            "changelog-offset": self.offset,
        }
        return dumps_text(fields)

    def serialise_fields(self) -> str:
        """The text of older Samza, ``1;system;stream;partition;offset``.

        Raises `WireError`: a name contains a semicolon, or the changelog has a key bucket.
        """
        changelog = self.changelog
        offset = _NULL if self.offset is None else self.offset
        parts = (changelog.system, changelog.stream, str(changelog.partition), offset)
        if any(";" in part for part in parts) or changelog.key_bucket != NO_KEY_BUCKET:
            raise WireError("wrong_type", f"{changelog} cannot be written as version;system;stream;partition;offset")
        return ";".join((str(_MARKER_VERSION), *parts))


class StateMarkerLine(NamedTuple):
    """A marker with the class that reads it (Samza's StateCheckpointMarkerSerde)."""

    factory: str
    payload: str

    @classmethod
    def parse(cls, text: str) -> "StateMarkerLine":
        """Read ``1:factory:payload``; the payload may contain colons. Raises `WireError`."""
        parts = text.split(":", 2)
        if len(parts) != 3:
            raise WireError("missing_field", "a state marker is not written as version:factory:payload")
        _refuse_other_version(parts[0])
        return cls(parts[1], parts[2])

    def __str__(self) -> str:
        return f"{_MARKER_VERSION}:{self.factory}:{self.payload}"


@dataclass(frozen=True, slots=True)
class KafkaChangelogOffset:
    """The value of a changelog partition in a V1 checkpoint: the commit's id and the offset (None: empty)."""

    checkpoint_id: CheckpointId
    offset: str | None

    @classmethod
    def parse(cls, text: str) -> "KafkaChangelogOffset":
        """Read ``<checkpoint id>:<offset or null>`` (Samza's KafkaChangelogSSPOffset). Raises `WireError`."""
        parts = text.rstrip(":").split(":")
        if len(parts) != 2:
            raise WireError("bad_checkpoint_id", "a changelog offset is not written as <checkpoint id>:<offset>")
        return cls(CheckpointId.parse(parts[0]), _null_or(parts[1]))

    def __str__(self) -> str:
        return f"{self.checkpoint_id}:{_NULL if self.offset is None else self.offset}"


def is_changelog_offset(text: str) -> bool:
    """Whether an offset in a V1 checkpoint is that of a changelog partition (`KafkaChangelogOffset`)."""
    if not _CHANGELOG_OFFSET.fullmatch(text):
        return False
    try:
        KafkaChangelogOffset.parse(text)
    except WireError:
        return False
    return True


def scms_to_ssp_offset_map(markers: StateMarkers) -> dict[SystemStreamPartition, str | None]:
    """The newest offset of each changelog partition in the markers of a commit; None: the changelog is empty.

    Markers of backends other than the Kafka changelog are ignored. Raises `WireError`, which names the store.
    """
    found = {}
    for store, text in markers.get(KAFKA_STATE_BACKEND_FACTORY, {}).items():
        try:
            marker = KafkaStateCheckpointMarker.parse(text)
        except WireError as error:
            raise WireError(error.reason, f"the marker of store {store!r} cannot be read: {error.detail}") from error
        found[marker.changelog] = marker.offset
    return found


def _from_json(text: str) -> KafkaStateCheckpointMarker:
    fields = loads(text)
    for name in ("changelog-ssp", "changelog-offset"):
        if name not in fields:
            raise WireError("missing_field", f"a state marker has no {name}")
    offset = text_or_none(fields["changelog-offset"], "a state marker's changelog-offset")
    return KafkaStateCheckpointMarker(partition_from_json(fields["changelog-ssp"]), offset)


def _from_fields(text: str) -> KafkaStateCheckpointMarker:
    parts = text.rstrip(";").split(";")  # as in Java: an offset that was cut off is missing, not empty
    if len(parts) != 5:
        raise WireError("missing_field", "a state marker is not written as version;system;stream;partition;offset")
    version, system, stream, partition, offset = parts
    _refuse_other_version(version)
    number = parse_int32(partition, "bad_partition", "a state marker's partition")
    return KafkaStateCheckpointMarker(SystemStreamPartition(system, stream, number), _null_or(offset))


def _refuse_other_version(text: str) -> None:
    if parse_int32(text, "bad_number", "a state marker's version") != _MARKER_VERSION:
        raise WireError("bad_number", "a state marker is of another version than 1")


def _null_or(text: str) -> str | None:
    return None if text == _NULL else text
