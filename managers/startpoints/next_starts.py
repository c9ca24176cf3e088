"""Where the next start of a job's tasks would begin, without and with a change of its startpoint requests.

`decide` is the rule: startpoint, reset, checkpoint or default, in this order (Samza's OffsetManager).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from eventlog.checkpoint import Offsets
from eventlog.config import OffsetSettings, inputs
from eventlog.log import EventLog
from eventlog.messages import Message, SetStartpoint, SetStartpointFanOut, SetTaskPartitionMapping
from eventlog.partition import StartpointKey, SystemStreamPartition
from eventlog.startpoint import StartingOffset, Startpoint, is_expired
from managers.job_facts import JobFacts, standby_tasks
from managers.startpoints.startpoint_records import (
    FanOutPlan,
    FanOuts,
    effective_request,
    key_meanings,
    keys_of,
    plan_fan_out,
    without_key_bucket,
)
from managers.stores.keyed_state import KeyedState, decode_value

Stream = tuple[str, str]
Readers = Mapping[SystemStreamPartition, frozenset[str]]
AssignedBy = Literal["assignment", "checkpoint"]
"""The source of `StartpointFacts.readers`."""
Requests = Mapping[str, Startpoint]
"""Requested startpoints by the texts of their keys."""
Checkpoints = Mapping[str, Offsets]
Reader = tuple[str, SystemStreamPartition]
"""A task and a partition that it reads."""
Starts = Mapping[Reader, StartingOffset]


class StartChange(NamedTuple):
    """Where the next start of a task would begin a partition, before and after the change."""

    task_name: str
    partition: SystemStreamPartition
    before: StartingOffset
    after: StartingOffset


@dataclass(frozen=True, slots=True)
class StartpointFacts:
    """Everything on a job's coordinator stream that decides where its tasks start.

    ``readers`` are the active tasks of every partition that was ever assigned (or see `with_checkpoints`).
    ``log_offset`` is the offset after the last event that was read.
    """

    job: JobFacts
    readers: Readers
    requests: Requests
    fanned_out: FanOuts
    assigned_by: AssignedBy = "assignment"
    log_offset: int = 0

    @classmethod
    def read(cls, log: EventLog) -> "StartpointFacts":
        """Read the whole log. An unreadable value is ignored: the last readable value of its key counts."""
        state: KeyedState[Message] = KeyedState(decode_value)
        log_offset = log.start_offset()
        for event in log.read(log_offset):
            state.apply(event)
            log_offset = event.offset + 1
        return replace(cls.of([message for _, message in state.items()]), log_offset=log_offset)

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "StartpointFacts":
        return cls(
            JobFacts.of(messages),
            _readers(messages),
            {each.key_text: each.startpoint for each in messages if isinstance(each, SetStartpoint)},
            {each.task_name: each.fan_out.fan_outs for each in messages if isinstance(each, SetStartpointFanOut)},
        )

    def with_checkpoints(self, partitions: Mapping[str, Collection[SystemStreamPartition]]) -> "StartpointFacts":
        """The same facts, with readers taken from the tasks' checkpoints if the job has no assignments at all.

        ``partitions`` are those in each task's checkpoint, without changelogs. As in the relation ``starting_offset``.
        """
        if any(self.readers.values()):
            return self
        found: dict[SystemStreamPartition, frozenset[str]] = {}
        for task_name, read in partitions.items():
            for partition in read:
                found[partition] = found.get(partition, frozenset()) | {task_name}
        return replace(self, readers=found, assigned_by="checkpoint") if found else self

    @property
    def task_names(self) -> frozenset[str]:
        return self.job.task_names.union(*self.readers.values())

    @property
    def streams(self) -> frozenset[Stream]:
        """The job's input streams: those in its config, or if it names none, those that tasks read."""
        configured = inputs(self.job.config)
        return frozenset(map(stream_of, self.readers)) if configured is None else frozenset(configured)

    def reads(self) -> dict[str, set[SystemStreamPartition]]:
        """The input partitions of each task, without assignments of streams that are no longer inputs."""
        streams, found = self.streams, dict[str, set[SystemStreamPartition]]()
        for partition, tasks in self.readers.items():
            for task_name in tasks if stream_of(partition) in streams else ():
                found.setdefault(task_name, set()).add(partition)
        return found


def stream_of(partition: SystemStreamPartition) -> Stream:
    return partition.system, partition.stream


def changed_starts(
    facts: StartpointFacts, checkpoints: Checkpoints, after: Requests, now_ms: int
) -> tuple[StartChange, ...]:
    """The starts that the changed requests are for or move, sorted by task and partition.

    ``after`` are all requests after the change; expiry is judged at ``now_ms``. Raises `ConfigError`.
    """
    meanings = key_meanings(facts.reads())
    changed = {text for text in {*facts.requests, *after} if facts.requests.get(text) != after.get(text)}
    named = {key for text in changed for key in meanings.get(text, ())}
    old, new = (next_starts(facts, checkpoints, requests, now_ms) for requests in (facts.requests, after))
    shown = (each for each in old if old[each] != new[each] or not named.isdisjoint(keys_of(*each)))
    return tuple(StartChange(*reader, old[reader], new[reader]) for reader in shown)


def next_starts(facts: StartpointFacts, checkpoints: Checkpoints, requests: Requests, now_ms: int) -> Starts:
    """Where the next start of every task would begin with these requests, sorted by task and partition.

    A task with a live request loses its previous fan-out, also that of other partitions, as in Samza's job coordinator.
    Expiry is judged at ``now_ms``. Raises `ConfigError`.
    """
    reads, settings = facts.reads(), OffsetSettings(facts.job.config)
    effective = _by_key(requests, key_meanings(reads))
    starts: dict[Reader, StartingOffset] = {}
    for task_name, partitions in sorted(reads.items()):
        requested = {each: effective_request(effective, task_name, each) for each in sorted(partitions)}
        is_replaced = any(each is not None and not is_expired(each, now_ms) for each in requested.values())
        for partition, request in requested.items():
            old = facts.fanned_out.get(task_name, {}).get(without_key_bucket(partition))
            starts[task_name, partition] = decide(
                settings,
                partition,
                requested=request,
                fanned_out=None if is_replaced else old,
                checkpoint_offset=checkpoints.get(task_name, {}).get(partition),
                now_ms=now_ms,
            )
    return starts


def plan_next_fan_out(facts: StartpointFacts, now_ms: int) -> FanOutPlan:
    reads = facts.reads()
    live = {text: each for text, each in facts.requests.items() if not is_expired(each, now_ms)}
    return plan_fan_out(_by_key(live, key_meanings(reads)), reads, now_ms)


def _by_key(requests: Requests, meanings: Mapping[str, Collection[StartpointKey]]) -> dict[StartpointKey, Startpoint]:
    """Requests by the meaning of their keys, without those that no task reads or whose key is ambiguous."""
    return {
        next(iter(keys)): startpoint
        for text, startpoint in requests.items()
        if len(keys := meanings.get(text, ())) == 1
    }


def _readers(messages: Sequence[Message]) -> dict[SystemStreamPartition, frozenset[str]]:
    standby = standby_tasks(messages)
    mappings = [each for each in messages if isinstance(each, SetTaskPartitionMapping)]
    return {each.partition: frozenset(each.task_names) - standby for each in mappings}


def decide(
    settings: OffsetSettings,
    partition: SystemStreamPartition,
    *,
    requested: Startpoint | None,
    fanned_out: Startpoint | None,
    checkpoint_offset: str | None,
    now_ms: int,
) -> StartingOffset:
    """Where the next start of the job, at ``now_ms``, reads a partition from.

    ``requested`` is the effective startpoint that is not fanned out yet, and may have expired; ``fanned_out`` is that
    of the task, which does not expire. ``checkpoint_offset`` is the last processed offset. Raises `ConfigError`.
    """
    live = requested if requested is not None and not is_expired(requested, now_ms) else None
    startpoint = live or fanned_out
    reset = settings.is_reset(partition.system, partition.stream)
    if startpoint is not None and (startpoint.value or startpoint.kind in ("oldest", "upcoming")):
        return StartingOffset(
            "startpoint",
            startpoint.kind,
            startpoint.value,
            startpoint.value if startpoint.kind == "specific" else None,
        )
    if reset or checkpoint_offset is None:
        default = settings.default_offset(partition.system, partition.stream)
        return StartingOffset("reset" if reset else "default", default)
    return StartingOffset("checkpoint", starting_offset=settings.next_offset(partition.system, checkpoint_offset))
