"""What a fan-out and a removal write, made of what a store holds."""

import logging
from collections.abc import Collection, Mapping
from typing import Final

from eventlog.partition import StartpointKey, SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointFanOut
from managers.startpoints.startpoint_fan_out import (
    FanOutPlan,
    FanOuts,
    TaskPartitions,
    in_words,
    meanings,
    merged,
    plan_fan_out,
)
from managers.startpoints.startpoint_records import REQUESTS, fan_out_key, fan_out_value, read_fan_out, read_request
from managers.stores.namespaced_key import NamespacedKey

Stored = Mapping[NamespacedKey, bytes]
Changes = Mapping[NamespacedKey, bytes | None]

_logger: Final = logging.getLogger(__name__)
_NOTHING: Final = StartpointFanOut(None, {})


def hand_out(stored: Stored, task_to_partitions: TaskPartitions, now_ms: int) -> tuple[FanOuts, Changes]:
    """What tasks are handed now, and what is written for it: first what they hold, then the ends of the requests.

    Raises:
        StartpointUnreadable: a request that concerns a task, or what a task holds that is handed more.
    """
    plan = plan_fan_out(_requests(stored, task_to_partitions), task_to_partitions, now_ms)
    return plan.handed, {**_held_then(stored, plan, now_ms), **_ends(plan)}


def without(stored: Stored, task_name: str, partitions: Collection[SystemStreamPartition]) -> Changes:
    """What is written to take partitions from what a task holds: nothing where it holds none of them.

    Raises:
        StartpointUnreadable: what the task holds.
    """
    held = _held(stored, task_name)
    left = {partition: startpoint for partition, startpoint in held.fan_outs.items() if partition not in partitions}
    return {} if len(left) == len(held.fan_outs) else {fan_out_key(task_name): fan_out_value(held.timestamp, left)}


def without_used(stored: Stored, task_name: str, used: Mapping[SystemStreamPartition, Startpoint]) -> Changes:
    """What is written to take these very startpoints from what a task holds; another one, handed since, stays.

    Raises:
        StartpointUnreadable: what the task holds.
    """
    held = _held(stored, task_name).fan_outs
    return without(stored, task_name, {each for each, startpoint in used.items() if held.get(each) == startpoint})


def _requests(stored: Stored, task_to_partitions: TaskPartitions) -> Mapping[StartpointKey, Startpoint]:
    """The requests that a task could follow, by what their keys mean."""
    requests = {name: value for name, value in stored.items() if name.namespace == REQUESTS}
    known = meanings(task_to_partitions) if requests else {}
    found: dict[StartpointKey, Startpoint] = {}
    for name, value in requests.items():
        keys = known.get(name.key, frozenset())
        if len(keys) == 1:
            found[next(iter(keys))] = read_request(name, value)
        elif keys:
            said = " or ".join(sorted(map(in_words, keys)))
            _logger.warning("the startpoint %s is for %s: nobody gets it", name.key, said)
    return found


def _held_then(stored: Stored, plan: FanOutPlan, now_ms: int) -> Changes:
    """What the tasks hold that are handed something, unless they hold it already."""
    changes: dict[NamespacedKey, bytes | None] = {}
    for task_name, handed in plan.handed.items():
        held = _held(stored, task_name).fan_outs
        holds = merged(held, handed)
        if holds != held:
            changes[fan_out_key(task_name)] = fan_out_value(now_ms, holds)
    return changes


def _ends(plan: FanOutPlan) -> Changes:
    return {NamespacedKey(REQUESTS, key): None for key in plan.taken}


def _held(stored: Stored, task_name: str) -> StartpointFanOut:
    name = fan_out_key(task_name)
    value = stored.get(name)
    return _NOTHING if value is None else read_fan_out(name, value)
