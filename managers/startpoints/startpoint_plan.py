"""What requests for other starting offsets would change, before anything is written."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from eventlog.checkpoint import Offsets
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.starting_offset import StartingOffset, decide, effective_startpoint
from eventlog.startpoint import Startpoint, is_expired
from managers.startpoints.startpoint_facts import StartpointFacts
from managers.startpoints.startpoint_fan_out import FanOutPlan, meanings, plan_fan_out, whole

Requests = Mapping[str, Startpoint]
"""Requested startpoints by the text of their keys."""
Checkpoints = Mapping[str, Offsets]
"""The offsets of the checkpoint that each task would go on from."""
ByKey = Mapping[StartpointKey, Startpoint]
"""Requested startpoints by what their keys mean."""


class Start(NamedTuple):
    """Where the next start of a task would begin a partition, without and with the change."""

    task_name: str
    partition: SystemStreamPartition
    before: StartingOffset
    after: StartingOffset


def changed_starts(facts: StartpointFacts, checkpoints: Checkpoints, after: Requests, now_ms: int) -> tuple[Start, ...]:
    """The starts of all partitions that requests are about which differ ``after`` a change, judged at ``now_ms``.

    Sorted by task and partition; a partition that no task reads has none. Raises `ConfigError`.
    """
    reads = facts.reads()
    known = meanings(reads)
    differing = {text for text in {*facts.requests, *after} if facts.requests.get(text) != after.get(text)}
    named = {key.partition for text in differing for key in known.get(text, ())}
    old, new = (_by_key(requests, known) for requests in (facts.requests, after))

    def decided(requests: ByKey, task_name: str, partition: SystemStreamPartition) -> StartingOffset:
        return decide(
            facts.job.config,
            partition,
            requested=_effective(requests, task_name, whole(partition)),
            fanned_out=facts.handed_out.get(task_name, {}).get(whole(partition)),
            checkpoint_offset=checkpoints.get(task_name, {}).get(partition),
            now_ms=now_ms,
        )

    return tuple(
        Start(task_name, partition, decided(old, task_name, partition), decided(new, task_name, partition))
        for task_name, partitions in sorted(reads.items())
        for partition in sorted(partitions)
        if whole(partition) in named
    )


def plan_hand_out(facts: StartpointFacts, now_ms: int) -> FanOutPlan:
    """What a coordinator that starts at ``now_ms`` hands to the tasks."""
    reads = facts.reads()
    living = {text: each for text, each in facts.requests.items() if not is_expired(each, now_ms)}
    return plan_fan_out(_by_key(living, meanings(reads)), reads, now_ms)


def _by_key(requests: Requests, known: Mapping[str, Collection[StartpointKey]]) -> dict[StartpointKey, Startpoint]:
    """Requests by what their keys mean; one that nobody reads, or that can be read in two ways, is left out."""
    return {
        next(iter(keys)): startpoint for text, startpoint in requests.items() if len(keys := known.get(text, ())) == 1
    }


def _effective(requests: ByKey, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
    own = requests.get(StartpointKey(partition, TaskName(task_name)))
    return effective_startpoint(requests.get(StartpointKey(partition)), own)
