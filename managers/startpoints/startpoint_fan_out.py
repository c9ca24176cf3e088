"""Who gets which order: startpoints that were asked for, handed to the tasks that read the partitions (seed 004)."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.starting_offset import effective_startpoint
from eventlog.startpoint import Startpoint, is_expired

TaskPartitions = Mapping[str, Collection[SystemStreamPartition]]
FanOuts = Mapping[str, Mapping[SystemStreamPartition, Startpoint]]

_logger: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FanOutPlan:
    """What a fan-out does: what each task is handed now, and the keys of the requests that are done with it.

    The keys are in the order in which they may be deleted one by one: of those that a task could follow the one that it
    follows comes last, so that those left by a crash give the same once more, or nothing.
    """

    handed: FanOuts
    taken: tuple[str, ...]


def meanings(task_to_partitions: TaskPartitions) -> Mapping[str, frozenset[StartpointKey]]:
    """What the text of a request's key may mean with these assignments; more than one thing: it is ambiguous.

    Stream and task may hold dots, so that ``k.s.1.2`` may name a partition of ``s.1``, or one of ``s`` for task ``2``.
    Key buckets don't count: an order is for the partition, whoever reads a part of it.
    """
    found: dict[str, set[StartpointKey]] = defaultdict(set)
    for task_name, partitions in task_to_partitions.items():
        for partition in map(whole, partitions):
            for key in (StartpointKey(partition), StartpointKey(partition, TaskName(task_name))):
                found[str(key)].add(key)
    return {text: frozenset(keys) for text, keys in found.items()}


def whole(partition: SystemStreamPartition) -> SystemStreamPartition:
    """The partition without a key bucket, as fan-outs name it."""
    return SystemStreamPartition(partition.system, partition.stream, partition.partition)


def in_words(key: StartpointKey) -> str:
    """What a request is for."""
    partition = key.partition
    where = f"partition {partition.partition} of {partition.system}.{partition.stream}"
    return f"{where} in every task" if key.task_name is None else f"{where} in task {key.task_name!r}"


def plan_fan_out(
    requests: Mapping[StartpointKey, Startpoint], task_to_partitions: TaskPartitions, now_ms: int
) -> FanOutPlan:
    """Hand each task the order that counts for each of its partitions.

    Of an order for every task and one for the task the later counts, of two of the same time that for the task. One
    that has expired is handed to nobody and stays where it is. Those that lose are taken too.
    """
    living = {key: request for key, request in requests.items() if not _is_stale(key, request, now_ms)}
    handed = {task: given for task, read in task_to_partitions.items() if (given := _for_task(living, task, read))}
    taken = sorted(living.items(), key=_precedence)
    return FanOutPlan(handed, tuple(str(key) for key, _ in taken))


def merged(
    pending: Mapping[SystemStreamPartition, Startpoint], handed: Mapping[SystemStreamPartition, Startpoint]
) -> Mapping[SystemStreamPartition, Startpoint]:
    """What a task holds after a fan-out: the new orders, and those pending of partitions without a new one."""
    return {**pending, **handed}


def _for_task(
    living: Mapping[StartpointKey, Startpoint], task_name: str, partitions: Collection[SystemStreamPartition]
) -> Mapping[SystemStreamPartition, Startpoint]:
    return dict(_effective(living, task_name, partitions))


def _effective(
    living: Mapping[StartpointKey, Startpoint], task_name: str, partitions: Collection[SystemStreamPartition]
) -> Iterator[tuple[SystemStreamPartition, Startpoint]]:
    for partition in map(whole, partitions):
        for_every = living.get(StartpointKey(partition))
        startpoint = effective_startpoint(for_every, living.get(StartpointKey(partition, TaskName(task_name))))
        if startpoint is not None:
            yield partition, startpoint


def _precedence(request: tuple[StartpointKey, Startpoint]) -> tuple[int, bool, str]:
    key, startpoint = request
    return startpoint.creation_timestamp, key.task_name is not None, str(key)


def _is_stale(key: StartpointKey, startpoint: Startpoint, now_ms: int) -> bool:
    stale = is_expired(startpoint, now_ms)
    if stale:
        _logger.warning("the startpoint %s was created more than twelve hours ago and is not followed", key)
    return stale
