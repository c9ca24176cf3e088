"""Writes startpoint requests unless another writer has changed the same startpoints since they were read."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from eventlog.log import EventLog, end_after
from eventlog.partition import SystemStreamPartition, TaskName, startpoint_key_readings
from managers.startpoints.startpoint_records import REQUESTS, StartpointsChanged
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey, read_name

RequestValues = Mapping[str, bytes | None]
"""The values to write, by the texts of their keys; None deletes."""
_OwnKeys = Mapping[SystemStreamPartition, Sequence[tuple[str, TaskName | None]]]
"""The keys of the own requests for each partition, and the task that each means; None: every task."""


class NamedEvent(NamedTuple):
    """An event of a coordinator stream; ``value`` None: its key was deleted."""

    log_offset: int
    name: NamespacedKey
    value: bytes | None


def named_events(log: EventLog, first: int) -> Iterator[NamedEvent]:
    """The events of a coordinator stream whose keys can be read. Raises `OffsetLost` for a stream created again."""
    for event in log.read(first, end_after(log, first)):
        name = read_name(event.key)
        if name is not None:
            yield NamedEvent(event.offset, name, event.value)


def write_unless_changed(store: CoordinatorStreamStore, log: EventLog, first: int, requests: RequestValues) -> None:
    """Write requests, unless another writer has changed them since they were read, up to offset ``first``.

    All of them are written or none, unless they exceed half a megabyte. Other spellings of their keys, and requests for
    every task, count as well. A log in Postgres refuses the append if it has grown. Kafka has no such append: what
    another writer appends between the last read and the append is found afterwards. Raises `StartpointsChanged`, whose
    ``is_written`` says whether the requests are on the log, and `AppendRefused`.
    """
    is_appended = False

    def change(_current: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
        nonlocal is_appended
        _require_unchanged(log, first, requests, is_appended=is_appended)
        is_appended = True
        return {NamespacedKey(REQUESTS, key_text): value for key_text, value in requests.items()}

    if requests:
        store.update(change, REQUESTS)
        _require_unchanged(log, first, requests, is_appended=is_appended)


def _require_unchanged(log: EventLog, first: int, own: RequestValues, *, is_appended: bool) -> None:
    """Raise `StartpointsChanged` for the first change by another writer before all of the own ones are on the log.

    Later changes were made to the written requests.
    """
    missing, own_keys = set(own), _keys_of_partitions(own)
    other: NamedEvent | None = None
    for event in named_events(log, first):
        if not missing:
            break
        if event.name.namespace != REQUESTS:
            continue
        key_text = event.name.key
        if is_appended and key_text in own and event.value == own[key_text]:
            missing.discard(key_text)
        elif other is None and _overlaps(key_text, own_keys, missing):
            other = event
    if other is not None:
        raise StartpointsChanged(f"the startpoint request {other.name.key!r}", other.log_offset, is_written=is_appended)


def _keys_of_partitions(own: RequestValues) -> _OwnKeys:
    found: dict[SystemStreamPartition, list[tuple[str, TaskName | None]]] = {}
    for key_text in own:
        for key in startpoint_key_readings(key_text):
            found.setdefault(key.partition, []).append((key_text, key.task_name))
    return found


def _overlaps(key_text: str, own_keys: _OwnKeys, missing: Collection[str]) -> bool:
    """Whether a request concerns a partition of a request that is not written yet, in one of its tasks."""
    return any(
        own_text in missing and (None in (key.task_name, task_name) or key.task_name == task_name)
        for key in startpoint_key_readings(key_text)
        for own_text, task_name in own_keys.get(key.partition, ())
    )
