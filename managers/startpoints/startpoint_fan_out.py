"""The fan-out: which requested startpoint each task gets, what is written for it, and whether a start does it."""

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eventlog.config import boolean
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.starting_offset import effective_startpoint
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointFanOut, is_expired
from managers.startpoints.startpoint_records import (
    REQUESTS,
    TaskPartitions,
    fan_out_key,
    fan_out_value,
    key_meanings,
    log_ambiguous_key,
    read_fan_out,
    read_request,
    without_key_bucket,
)
from managers.stores.namespaced_key import NamespacedKey

FanOuts = Mapping[str, Mapping[SystemStreamPartition, Startpoint]]
"""Startpoints by task and partition."""
Stored = Mapping[NamespacedKey, bytes]
Changes = Mapping[NamespacedKey, bytes | None]
"""Values to write, in order; None deletes the key."""

STARTPOINTS_ENABLED: Final = "job.startpoint.enabled"
HIGH_AVAILABILITY: Final = "yarn.am.high-availability.enabled"

_logger: Final = logging.getLogger(__name__)
_NO_FAN_OUT: Final = StartpointFanOut(None, {})


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
    """Choose the startpoint of each task and partition (StartpointManager.fanOut of Samza).

    Of a request for every task and one for a single task, the later wins; with equal times, the one for the task. The
    superseded request is deleted, too. An expired request is ignored and stays.
    """
    live = {key: request for key, request in requests.items() if not _is_expired(key, request, now_ms)}
    chosen = {task: dict(_choose(live, task, partitions)) for task, partitions in task_to_partitions.items()}
    fanned_out = {task: startpoints for task, startpoints in chosen.items() if startpoints}
    return FanOutPlan(fanned_out, tuple(str(key) for key, _ in sorted(live.items(), key=_precedence)))


def merge_fan_out(
    previous: Mapping[SystemStreamPartition, Startpoint], fanned_out: Mapping[SystemStreamPartition, Startpoint]
) -> Mapping[SystemStreamPartition, Startpoint]:
    """A task's startpoints after a fan-out: a new one replaces the previous one of the same partition."""
    return {**previous, **fanned_out}


def fan_out_requests(stored: Stored, task_to_partitions: TaskPartitions, now_ms: int) -> tuple[FanOuts, Changes]:
    """What is fanned out now, and the changes to write: first the fan-outs, then the deleted requests."""
    plan = plan_fan_out(_read_requests(stored, task_to_partitions), task_to_partitions, now_ms)
    deletes = {NamespacedKey(REQUESTS, key): None for key in plan.deleted_keys}
    return plan.fanned_out, {**_changed_fan_outs(stored, plan, now_ms), **deletes}


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


def _changed_fan_outs(stored: Stored, plan: FanOutPlan, now_ms: int) -> Changes:
    changes: dict[NamespacedKey, bytes | None] = {}
    for task_name, fanned_out in plan.fanned_out.items():
        previous = _fan_out_of(stored, task_name).fan_outs
        merged = merge_fan_out(previous, fanned_out)
        if merged != previous:
            changes[fan_out_key(task_name)] = fan_out_value(now_ms, merged)
    return changes


def _fan_out_of(stored: Stored, task_name: str) -> StartpointFanOut:
    name = fan_out_key(task_name)
    value = stored.get(name)
    return read_fan_out(name, value) if value else _NO_FAN_OUT


def _choose(
    live: Mapping[StartpointKey, Startpoint], task_name: str, partitions: Collection[SystemStreamPartition]
) -> Iterator[tuple[SystemStreamPartition, Startpoint]]:
    for partition in map(without_key_bucket, partitions):
        for_every_task = live.get(StartpointKey(partition))
        startpoint = effective_startpoint(for_every_task, live.get(StartpointKey(partition, TaskName(task_name))))
        if startpoint is not None:
            yield partition, startpoint


def _precedence(request: tuple[StartpointKey, Startpoint]) -> tuple[int, bool, str]:
    key, startpoint = request
    return startpoint.creation_timestamp, key.task_name is not None, str(key)


def _is_expired(key: StartpointKey, startpoint: Startpoint, now_ms: int) -> bool:
    expired = is_expired(startpoint, now_ms)
    if expired:
        _logger.warning("Ignoring startpoint request %s: it is more than %d hours old.", key, EXPIRY_MS // 3_600_000)
    return expired
