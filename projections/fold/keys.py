"""The key dictionary of a log: each distinct key is read once, gets a number, and is known by it in every table."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.messages import (
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import StartpointKey, SystemStreamPartition, startpoint_key_readings
from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.wire import checkpoint_topic, coordinator
from eventlog.wire.partition_json import decode_partition_key, encode_partition_key
from projections.fold.checkpoint_template import Template
from projections.fold.rows import CheckpointRow
from projections.fold.storable_text import require_storable
from projections.fold.task_checkpoints import TaskCheckpoints

CHECKPOINT_VERSIONS: Final = {
    SetCheckpoint.message_type: 0,
    checkpoint_topic.KEY_TYPE_V1: 1,
    checkpoint_topic.KEY_TYPE_V2: 2,
}
_RELATED_TYPES: Final = frozenset(
    related.message_type
    for related in (
        SetConfig,
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
"""Types of the coordinator stream with a relation of their own, besides set-checkpoint.

The relation other_message shows all others.
"""


class KeyMeaning(NamedTuple):
    """What a key's bytes say; ``message_type`` None where they cannot be read (then ``error`` says why).

    ``message_key`` is one text for every spelling of the key. ``checkpoint_version`` is set only for checkpoints.
    """

    message_type: str | None = None
    message_key: str | None = None
    checkpoint_version: int | None = None
    grouper_factory: str | None = None
    partition: SystemStreamPartition | None = None
    readings: tuple[StartpointKey, ...] = ()
    is_other: bool = False
    is_sensitive: bool = False
    error: WireError | None = None


@dataclass(slots=True, eq=False)
class KeyEntry:
    """A key of the dictionary, and what the fold remembers about it from event to event."""

    key_id: int
    meaning: KeyMeaning
    coordinator_key: coordinator.CoordinatorKey | None
    is_quarantined: bool = False
    template: Template | None = field(default=None, repr=False)
    task: TaskCheckpoints | None = field(default=None, repr=False)
    """What it shares with the task's other checkpoint keys; None for other messages."""
    version: int = 0
    """Of checkpoints."""
    newest: CheckpointRow | None = field(default=None, repr=False)
    """Of checkpoints: the key's newest row; None before its first one."""


class KeyDictionary:
    """All keys of one log. New ones get the next number and stand in ``new`` until they are stored."""

    def __init__(self, kind: StreamKind, secrets: SecretPolicy) -> None:
        self._read: Callable[[bytes, SecretPolicy], tuple[KeyMeaning, coordinator.CoordinatorKey | None]]
        self._read = _read_coordinator_key if kind == "coordinator" else _read_checkpoint_key
        self._secrets = secrets
        self._ids: dict[bytes, int] = {}
        self._quarantined: set[int] = set()
        self._newest: dict[int, CheckpointRow] = {}
        self.entries: dict[bytes, KeyEntry] = {}
        self.new: list[tuple[KeyEntry, bytes]] = []
        self._tasks: dict[tuple[str | None, str | None], TaskCheckpoints] = {}

    def remember(self, key_sha256: bytes, key_id: int) -> None:
        """Take back a stored number; the key's meaning is read again when its bytes come by."""
        self._ids[key_sha256] = key_id

    def remember_quarantined(self, key_id: int) -> None:
        """Take back that the key's last value could not be read."""
        self._quarantined.add(key_id)

    def remember_newest(self, row: CheckpointRow) -> None:
        """Restore the newest checkpoint of a key. A delete need not be restored."""
        self._newest[row.key_id] = row

    def add(self, key: bytes) -> KeyEntry:
        """The entry of a key that is not among ``entries`` yet."""
        meaning, coordinator_key = self._meaning(key)
        key_sha256 = hashlib.sha256(key).digest()
        key_id = self._ids.get(key_sha256)
        entry = KeyEntry(key_id or len(self._ids) + 1, meaning, coordinator_key)
        entry.is_quarantined = entry.key_id in self._quarantined
        entry.newest = self._newest.pop(entry.key_id, None)
        if meaning.checkpoint_version is not None:
            entry.task = self.task(meaning.message_key, meaning.grouper_factory)
            entry.task.key_id = entry.task.key_id or entry.key_id
            entry.version = meaning.checkpoint_version
        if key_id is None:
            self._ids[key_sha256] = entry.key_id
            self.new.append((entry, key_sha256))
        self.entries[key] = entry
        return entry

    def task(self, name: str | None, grouper_factory: str | None) -> TaskCheckpoints:
        """The checkpoints of a task and grouper."""
        return self._tasks.setdefault((name, grouper_factory), TaskCheckpoints())

    def _meaning(self, key: bytes) -> tuple[KeyMeaning, coordinator.CoordinatorKey | None]:
        try:
            return self._read(key, self._secrets)
        except WireError as error:
            return KeyMeaning(error=error), None


def _read_checkpoint_key(key: bytes, secrets: SecretPolicy) -> tuple[KeyMeaning, coordinator.CoordinatorKey | None]:
    decoded = checkpoint_topic.decode_key(key)
    require_storable(key, decoded)
    version = CHECKPOINT_VERSIONS.get(decoded.key_type)
    if not version:  # unknown here, and so is `set-checkpoint`: that type belongs to the coordinator stream
        stand_in = coordinator.CoordinatorKey(None, decoded.key_type, decoded.task_name)
        return _other_meaning(stand_in, secrets), stand_in
    return KeyMeaning(decoded.key_type, decoded.task_name, version, decoded.grouper_factory), None


def _read_coordinator_key(key: bytes, secrets: SecretPolicy) -> tuple[KeyMeaning, coordinator.CoordinatorKey | None]:
    decoded = coordinator.decode_key(key)
    require_storable(key, decoded)
    return _coordinator_meaning(decoded, secrets), decoded


def _coordinator_meaning(key: coordinator.CoordinatorKey, secrets: SecretPolicy) -> KeyMeaning:
    message_type, name = key.message_type, key.key
    if message_type == SetConfig.message_type:
        return KeyMeaning(message_type, secrets.mask_text(name), is_sensitive=secrets.is_secret_name(name))
    if message_type == SetCheckpoint.message_type:
        return KeyMeaning(message_type, name, checkpoint_version=0)
    if message_type == SetTaskPartitionMapping.message_type:
        partition = decode_partition_key(name)
        return KeyMeaning(message_type, encode_partition_key(partition), partition=partition)
    if message_type == SetStartpoint.message_type:
        return KeyMeaning(message_type, name, readings=_readings(name))
    if message_type in _RELATED_TYPES:
        return KeyMeaning(message_type, name)
    return _other_meaning(key, secrets)


def _other_meaning(key: coordinator.CoordinatorKey, secrets: SecretPolicy) -> KeyMeaning:
    return KeyMeaning(
        secrets.mask_text(key.message_type),
        secrets.mask_text(key.key),
        is_other=True,
        is_sensitive=secrets.is_secret_name(key.key) or secrets.is_secret_name(key.message_type),
    )


def _readings(text: str) -> tuple[StartpointKey, ...]:
    readings = startpoint_key_readings(text)
    if not readings:
        raise WireError("bad_partition", "a startpoint's key is not written as system.stream.partition[.task]")
    return readings
