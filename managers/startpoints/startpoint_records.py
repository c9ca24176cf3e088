"""Startpoint requests and fan-outs on a coordinator stream: their keys and values, and what a fan-out writes."""

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from eventlog.config import boolean
from eventlog.errors import WireError
from eventlog.messages import SetStartpoint, SetStartpointFanOut, SetTaskPartitionMapping
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, startpoint_key_readings
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointFanOut, effective_startpoint, is_expired
from eventlog.wire.startpoints import decode_fan_out, decode_startpoint, encode_fan_out
from managers.errors import ManagerError
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey

TaskPartitions = Mapping[str, Collection[SystemStreamPartition]]
"""The partitions that each task reads."""
REQUESTS: Final = SetStartpoint.message_type
FAN_OUTS: Final = SetStartpointFanOut.message_type
_TYPE: Final = re.compile(rb'"@type"\s*:\s*"([A-Za-z0-9_.$]{1,100})"')
_logger: Final = logging.getLogger(__name__)
Value = TypeVar("Value")


class StartpointError(ManagerError):
    """A startpoint could not be read or written."""


class InvalidStartpointRequest(StartpointError):
    """The job does not read the stream or partition, or does not have the task. Nothing was written."""


class StartpointUnreadable(StartpointError):
    """The value of a request or a fan-out cannot be decoded; those of other keys can be read."""

    def __init__(self, namespace: str, key: str, startpoint_type: str | None, error: WireError) -> None:
        self.namespace = namespace
        self.key = key
        self.startpoint_type = startpoint_type
        self.reason = error.reason
        kind = "no @type" if startpoint_type is None else f"@type {startpoint_type}"
        super().__init__(
            f"Cannot read the value of {key!r} in {namespace}, with {kind}: {error}. "
            "Write the startpoint again, or delete it."
        )


class StartpointNotWritten(StartpointError):
    """A request was not written or deleted; ``task_name`` None: it is for every task. The cause says why."""

    def __init__(self, partition: SystemStreamPartition, task_name: str | None, cause: BaseException) -> None:
        self.partition = partition
        self.task_name = task_name
        task = "every task" if task_name is None else f"task {task_name!r}"
        super().__init__(f"Cannot confirm that the startpoint of {partition} for {task} was written: {cause}")


class StartpointsChanged(StartpointError):
    """Another writer has changed startpoints since they were read. ``is_written``: ours were written after that."""

    def __init__(self, what: str, *, is_written: bool) -> None:
        self.is_written = is_written
        then = "The new startpoints were written after that." if is_written else "Nothing was written."
        super().__init__(f"Another writer changed {what}. {then} Look at the startpoints before you write again.")


def request_key(partition: SystemStreamPartition, task_name: str | None) -> NamespacedKey:
    """The key of a request for a partition, for every task (None) or for one. It has no key bucket."""
    return NamespacedKey(REQUESTS, str(key_of(partition, task_name)))


def fan_out_key(task_name: str) -> NamespacedKey:
    return NamespacedKey(FAN_OUTS, task_name)


def without_key_bucket(partition: SystemStreamPartition) -> SystemStreamPartition:
    return SystemStreamPartition(partition.system, partition.stream, partition.partition)


def key_meanings(task_to_partitions: TaskPartitions) -> Mapping[str, frozenset[StartpointKey]]:
    """What the text of each possible request key means, given these assignments; several meanings: it is ambiguous.

    Streams and tasks may contain dots: ``k.s.1.2`` is partition 2 of ``s.1``, or partition 1 of ``s`` in task ``2``.
    """
    found: dict[str, set[StartpointKey]] = defaultdict(set)
    for task_name, partitions in task_to_partitions.items():
        for key in (key for partition in partitions for key in keys_of(task_name, partition)):
            found[str(key)].add(key)
    return {text: frozenset(keys) for text, keys in found.items()}


def assigned_partitions(store: CoordinatorStreamStore) -> TaskPartitions:
    found: dict[str, set[SystemStreamPartition]] = defaultdict(set)
    for each in store.messages(SetTaskPartitionMapping.message_type).values():
        if isinstance(each, SetTaskPartitionMapping):
            for reader in each.task_names:
                found[reader].add(each.partition)
    return found


def is_key_of(
    text: str, partition: SystemStreamPartition, task_name: str | None, store: CoordinatorStreamStore
) -> bool:
    """Whether the text of a request's key means this partition and task only, as in the relation ``startpoint``.

    Of several readings, the one in the store's assignments counts; else the key is ambiguous, which is logged.
    """
    readings = startpoint_key_readings(text)
    if len(readings) < 2:
        return True
    found = key_meanings(assigned_partitions(store)).get(text, frozenset())
    if len(found) != 1:
        log_ambiguous_key(text, found or readings)
    return found == {key_of(partition, task_name)}


def key_of(partition: SystemStreamPartition, task_name: str | None) -> StartpointKey:
    return StartpointKey(without_key_bucket(partition), None if task_name is None else TaskName(task_name))


def keys_of(task_name: str, partition: SystemStreamPartition) -> tuple[StartpointKey, StartpointKey]:
    """The keys of requests for every task and for this task only."""
    return key_of(partition, None), key_of(partition, task_name)


def describe_key(key: StartpointKey) -> str:
    partition = key.partition
    where = f"partition {partition.partition} of {partition.system}.{partition.stream}"
    return f"{where} in every task" if key.task_name is None else f"{where} in task {key.task_name!r}"


def log_ambiguous_key(text: str, readings: Iterable[StartpointKey]) -> None:
    meanings = " or ".join(sorted(map(describe_key, readings)))
    _logger.warning("Ignoring startpoint request %r: its key can mean %s.", text, meanings)


def read_request(name: NamespacedKey, value: bytes) -> Startpoint:
    return _read(name, value, decode_startpoint)


def read_fan_out(name: NamespacedKey, value: bytes) -> StartpointFanOut:
    return _read(name, value, decode_fan_out)


def fan_out_value(timestamp: int | None, fan_outs: Mapping[SystemStreamPartition, Startpoint]) -> bytes | None:
    """The bytes of a task's fan-out, sorted by partition; None if it is empty. ``timestamp`` is in ms since 1970."""
    return encode_fan_out(StartpointFanOut(timestamp, dict(sorted(fan_outs.items())))) if fan_outs else None


def request_values(store: CoordinatorStreamStore) -> dict[str, bytes]:
    """The values of all requests by the texts of their keys, sorted, including those that cannot be read."""
    return {name.key: value for name, value in sorted(store.all(REQUESTS).items())}


def _read(name: NamespacedKey, value: bytes, decode: Callable[[bytes], Value]) -> Value:
    try:
        return decode(value)
    except WireError as error:
        raise StartpointUnreadable(*name, _type_of(value), error) from error


def _type_of(value: bytes) -> str | None:
    """The ``@type`` of a record, but only if it looks like a class name: an error must not reveal a secret."""
    found = _TYPE.search(value)
    return None if found is None else found[1].decode()


FanOuts = Mapping[str, Mapping[SystemStreamPartition, Startpoint]]
"""Startpoints by task and partition."""
Stored = Mapping[NamespacedKey, bytes]
Changes = Mapping[NamespacedKey, bytes | None]
"""Values to write, in order; None deletes the key."""

STARTPOINTS_ENABLED: Final = "job.startpoint.enabled"
HIGH_AVAILABILITY: Final = "yarn.am.high-availability.enabled"


@dataclass(frozen=True, slots=True)
class FanOutPlan:
    """The startpoints that are fanned out to each task, and the keys of the requests that are then deleted.

    A crash may delete only the first keys; in this order the next fan-out has the same result.
    """

    fanned_out: FanOuts
    deleted_keys: tuple[str, ...]


def should_fan_out_startpoints(config: Mapping[str, str], metadata_changes: Collection[object]) -> bool:
    """Whether a starting job coordinator calls `StartpointManager.fan_out` (ClusterBasedJobCoordinator of Samza).

    With high availability and no difference from the last start, the containers keep running, and none would read it.
    """
    return startpoints_enabled(config) and (not is_highly_available(config) or bool(metadata_changes))


def startpoints_enabled(config: Mapping[str, str]) -> bool:
    return boolean(config, STARTPOINTS_ENABLED, default=True)


def is_highly_available(config: Mapping[str, str]) -> bool:
    """Whether containers keep running while the job's coordinator restarts. False by default."""
    return boolean(config, HIGH_AVAILABILITY, default=False)


def plan_fan_out(
    requests: Mapping[StartpointKey, Startpoint], task_to_partitions: TaskPartitions, now_ms: int
) -> FanOutPlan:
    """Choose the startpoint of each task and partition; see `StartpointManager.fan_out`."""
    live = {key: request for key, request in requests.items() if not is_expired(request, now_ms)}
    for key in (each for each in requests if each not in live):
        _logger.warning("Ignoring startpoint request %s: it is more than %d hours old.", key, EXPIRY_MS // 3_600_000)
    fanned_out: dict[str, dict[SystemStreamPartition, Startpoint]] = {}
    for task_name, partitions in task_to_partitions.items():
        for partition in map(without_key_bucket, partitions):
            startpoint = effective_request(live, task_name, partition)
            if startpoint is not None:
                fanned_out.setdefault(task_name, {})[partition] = startpoint
    return FanOutPlan(fanned_out, tuple(str(key) for key, _ in sorted(live.items(), key=_precedence)))


def fan_out_requests(stored: Stored, task_to_partitions: TaskPartitions, now_ms: int) -> tuple[FanOuts, Changes]:
    """What is fanned out now, and the changes to write: first the fan-outs, then the deleted requests."""
    plan = plan_fan_out(_read_requests(stored, task_to_partitions), task_to_partitions, now_ms)
    changes: dict[NamespacedKey, bytes | None] = {}
    for task_name, fanned_out in plan.fanned_out.items():
        previous = _fan_out_of(stored, task_name).fan_outs
        merged = {**previous, **fanned_out}
        if merged != previous:
            changes[fan_out_key(task_name)] = fan_out_value(now_ms, merged)
    return plan.fanned_out, changes | {NamespacedKey(REQUESTS, key): None for key in plan.deleted_keys}


def remove_partitions(stored: Stored, task_name: str, partitions: Collection[SystemStreamPartition]) -> Changes:
    """The change that removes partitions from a task's fan-out; empty if it has none of them."""
    previous = _fan_out_of(stored, task_name)
    left = {partition: startpoint for partition, startpoint in previous.fan_outs.items() if partition not in partitions}
    unchanged = len(left) == len(previous.fan_outs)
    return {} if unchanged else {fan_out_key(task_name): fan_out_value(previous.timestamp, left)}


def remove_consumed(stored: Stored, task_name: str, consumed: Mapping[SystemStreamPartition, Startpoint]) -> Changes:
    """The change that removes exactly these startpoints; one that was fanned out since for a partition stays."""
    current = _fan_out_of(stored, task_name).fan_outs
    return remove_partitions(stored, task_name, {each for each, one in consumed.items() if current.get(each) == one})


def _read_requests(stored: Stored, task_to_partitions: TaskPartitions) -> Mapping[StartpointKey, Startpoint]:
    requests = {name: value for name, value in stored.items() if name.namespace == REQUESTS and value}
    meanings = key_meanings(task_to_partitions) if requests else {}
    found: dict[StartpointKey, Startpoint] = {}
    for name, value in requests.items():
        keys = meanings.get(name.key, frozenset())
        if len(keys) == 1:
            found[next(iter(keys))] = read_request(name, value)
        elif keys:
            log_ambiguous_key(name.key, keys)
    return found


def _fan_out_of(stored: Stored, task_name: str) -> StartpointFanOut:
    name = fan_out_key(task_name)
    value = stored.get(name)
    return read_fan_out(name, value) if value else StartpointFanOut(None, {})


def effective_request(
    requests: Mapping[StartpointKey, Startpoint], task_name: str, partition: SystemStreamPartition
) -> Startpoint | None:
    return effective_startpoint(*map(requests.get, keys_of(task_name, partition)))


def _precedence(request: tuple[StartpointKey, Startpoint]) -> tuple[int, bool, str]:
    key, startpoint = request
    return startpoint.creation_timestamp, key.task_name is not None, str(key)
