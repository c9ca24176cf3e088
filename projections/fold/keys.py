"""What the fold remembers of keys and of tasks: each distinct key is read once, and has a number in every table.

A checkpoint topic has versions 1 and 2. An event is compared with the newest event of the same task and grouper, of the
other version, at a lower offset; and with the previous event of its own version. Times are in microseconds since 2000.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from eventlog.errors import WireError
from eventlog.messages import KEYED_BY_PLACE, SetCheckpoint, SetConfig, SetStartpoint, SetTaskPartitionMapping
from eventlog.partition import StartpointKey, SystemStreamPartition, startpoint_key_readings
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.timestamps import MICROS_OF_AN_HOUR
from eventlog.wire import checkpoint_topic, coordinator
from eventlog.wire.jackson import decode_partition_key, encode_partition_key
from projections.fold.checkpoint_template import Template
from projections.fold.checkpoints import SEPARATOR
from projections.fold.rows import CheckpointRow, require_storable

NO_TIME: Final = -(2**63)
"""Postgres' ``-infinity``: there is no such event, or it is a delete."""

NOT_STORABLE: Final = 2**63 - 1
"""Postgres' ``infinity``: timestamptz cannot store its time."""

FIVE_MINUTES: Final = 300_000_000
_SEPARATOR: Final = SEPARATOR.encode()
_is_number: Final = re.compile(rb"-?[0-9]{1,19}").fullmatch
"""At least the numbers of projection.offset_number, which leaves out those beyond bigint."""

CheckpointEvent = tuple[int, int | None, bytes | None, "KeyEntry"]
"""Offset, time, value and key of an event."""

CheckpointEvents = list[Any]
"""These fields of all events, one after the other: tuples would be freed far from where they were made, and slowly."""

FIELDS: Final = 4


@dataclass(slots=True, eq=False)
class TaskCheckpoints:
    """The checkpoints of a task and grouper, in every version and spelling of their keys.

    ``newest_times[v]`` is the time of the newest event of version v, for v 1 and 2: an event of version v is compared
    with the time at 3 - v. A ``set-checkpoint`` (version 0) has no other version. ``newest[v]`` is the newest row of
    version v, None before its first one.
    """

    key_id: int = 0
    newest_times: list[int | None] = field(default_factory=lambda: [None, NO_TIME, NO_TIME, None])
    newest: list[CheckpointRow | None] = field(default_factory=lambda: [None, None, None], repr=False)


def may_be_unread(other_time: int, previous: CheckpointRow | None) -> bool:
    """Return whether an event may be the first that readers of the other version miss.

    Its time is over 5 minutes after ``other_time``. The limit is ``task.live.checkpoint.max.age``; these are the events
    for limits from 5 minutes to an hour. For others, the relation `anomaly` examines every commit.
    """
    if previous is None or previous.layout_id is None or previous.record_time is None:
        return True
    return previous.record_time - other_time <= MICROS_OF_AN_HOUR


def may_be_lower(row: CheckpointRow, previous: CheckpointRow | None) -> bool:
    """Return whether an offset in a checkpoint may be a lower number than in the previous one of its task and version.

    True as well if only the names in the layouts can tell, because they differ or an offset contains a separator; and
    after a delete, since another spelling of the key may live.
    """
    if previous is None or not row.layout_id:
        return False
    if row.offsets is None or previous.offsets is None or row.layout_id != previous.layout_id:
        return True
    pairs = zip(row.offsets.split(_SEPARATOR), previous.offsets.split(_SEPARATOR), strict=True)
    return any(_is_number(new) and _is_number(old) and int(new) < int(old) for new, old in pairs if new != old)


CHECKPOINT_VERSIONS: Final = {
    SetCheckpoint.message_type: 0,
    checkpoint_topic.KEY_TYPE_V1: 1,
    checkpoint_topic.KEY_TYPE_V2: 2,
}


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


class KeyDictionary:
    """All keys of one log. New ones get the next number and stand in ``new`` until they are stored."""

    def __init__(self, kind: StreamKind, secrets: SecretPolicy) -> None:
        self._read: Callable[[bytes, SecretPolicy], tuple[KeyMeaning, coordinator.CoordinatorKey | None]]
        self._read = _read_coordinator_key if kind == "coordinator" else _read_checkpoint_key
        self._secrets = secrets
        self._ids: dict[bytes, int] = {}
        self.quarantined: set[int] = set()  # stored keys whose last value could not be read
        self.entries: dict[bytes, KeyEntry] = {}
        self.new: list[tuple[KeyEntry, bytes]] = []
        self._tasks: dict[tuple[str | None, str | None], TaskCheckpoints] = {}

    def remember(self, key_sha256: bytes, key_id: int) -> None:
        """Take back a stored number; the key's meaning is read again when its bytes come by."""
        self._ids[key_sha256] = key_id

    def entry(self, key: bytes) -> KeyEntry:
        """The entry of a key, which is added if it is new."""
        return self.entries.get(key) or self._add(key)

    def task(self, name: str | None, grouper_factory: str | None) -> TaskCheckpoints:
        return self._tasks.setdefault((name, grouper_factory), TaskCheckpoints())

    def _add(self, key: bytes) -> KeyEntry:
        meaning, coordinator_key = self._meaning(key)
        key_sha256 = hashlib.sha256(key).digest()
        key_id = self._ids.get(key_sha256)
        entry = KeyEntry(key_id or len(self._ids) + 1, meaning, coordinator_key)
        entry.is_quarantined = entry.key_id in self.quarantined
        if meaning.checkpoint_version is not None:
            entry.task = self.task(meaning.message_key, meaning.grouper_factory)
            entry.task.key_id = entry.task.key_id or entry.key_id
            entry.version = meaning.checkpoint_version
        if key_id is None:
            self._ids[key_sha256] = entry.key_id
            self.new.append((entry, key_sha256))
        self.entries[key] = entry
        return entry

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
    if message_type == SetTaskPartitionMapping.message_type:
        partition = decode_partition_key(name)
        require_storable(name.encode(), [partition.system, partition.stream])
        return KeyMeaning(message_type, encode_partition_key(partition), partition=partition)
    if message_type == SetStartpoint.message_type:
        return KeyMeaning(message_type, name, readings=_readings(name))
    if message_type in KEYED_BY_PLACE:
        return KeyMeaning(message_type, name, CHECKPOINT_VERSIONS.get(message_type))
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
        problem = "is not written as system.stream.partition[.task], or has too many dots"
        raise WireError("bad_partition", f"a startpoint's key {problem}")
    return readings
