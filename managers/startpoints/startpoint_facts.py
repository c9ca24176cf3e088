"""What a job's coordinator stream says of where its tasks start: who reads what, what was requested and handed out."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from eventlog.inputs import inputs
from eventlog.log import EventLog
from eventlog.messages import (
    Message,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from managers.job_facts import JobFacts
from managers.job_models.job_model import STANDBY
from managers.stores.coordinator_store import said
from managers.stores.keyed_state import KeyedState

Stream = tuple[str, str]
"""System and stream."""
Readers = Mapping[SystemStreamPartition, frozenset[str]]
"""The tasks that read a partition."""
AssignedBy = Literal["assignment", "checkpoint"]
"""What says which task reads what."""


@dataclass(frozen=True, slots=True)
class StartpointFacts:
    """A job's coordinator stream, as far as it decides where tasks start.

    ``readers`` are the active tasks of each partition that was ever assigned, or see `with_checkpoints`; ``requests``
    are by the text of their keys; ``newest_record_ms`` is the latest time of any record, None where there is none.
    """

    job: JobFacts
    readers: Readers
    requests: Mapping[str, Startpoint]
    handed_out: Mapping[str, Mapping[SystemStreamPartition, Startpoint]]
    newest_record_ms: int | None = None
    assigned_by: AssignedBy = "assignment"

    @classmethod
    def read(cls, log: EventLog) -> "StartpointFacts":
        """Read the whole log. What can't be read is passed over: the last readable value of its key stays."""
        state: KeyedState[Message] = KeyedState(said)
        newest: int | None = None
        for event in log.read(log.start_offset()):
            state.apply(event)
            newest = max(event.timestamp, newest or event.timestamp)
        return cls.of([message for _, message in state.items()], newest)

    @classmethod
    def of(cls, messages: Sequence[Message], newest_record_ms: int | None = None) -> "StartpointFacts":
        """What the living messages of a coordinator stream say."""
        return cls(
            JobFacts.of(messages),
            _readers(messages),
            {each.key_text: each.startpoint for each in messages if isinstance(each, SetStartpoint)},
            {each.task_name: each.fan_out.fan_outs for each in messages if isinstance(each, SetStartpointFanOut)},
            newest_record_ms,
        )

    def with_checkpoints(self, named: Mapping[str, Collection[SystemStreamPartition]]) -> "StartpointFacts":
        """The same, with what the checkpoints name as what their tasks read, if the job has no assignments at all.

        Jobs as in seed 000 have none, nor have programs that only use the managers. ``named`` is by task, without
        changelogs. The relation ``starting_offset`` has the same rule.
        """
        if any(self.readers.values()):
            return self
        found: dict[SystemStreamPartition, frozenset[str]] = {}
        for task_name, partitions in named.items():
            for partition in partitions:
                found[partition] = found.get(partition, frozenset()) | {task_name}
        return replace(self, readers=found, assigned_by="checkpoint") if found else self

    @property
    def task_names(self) -> frozenset[str]:
        """The active tasks that the job is known to have."""
        return self.job.task_names.union(*self.readers.values())

    @property
    def streams(self) -> frozenset[Stream]:
        """The streams that the job reads, as far as the log tells; also those that no task was assigned yet."""
        named = inputs(self.job.config)
        return frozenset(stream_of(partition) for partition in self.readers) if named is None else frozenset(named)

    def reads(self) -> dict[str, set[SystemStreamPartition]]:
        """What each task reads of the job's inputs; assignments of streams that are inputs no more are left out."""
        streams, found = self.streams, dict[str, set[SystemStreamPartition]]()
        for partition, tasks in self.readers.items():
            for task_name in tasks if stream_of(partition) in streams else ():
                found.setdefault(task_name, set()).add(partition)
        return found


def stream_of(partition: SystemStreamPartition) -> Stream:
    """The system and the stream of a partition."""
    return partition.system, partition.stream


def _readers(messages: Iterable[Message]) -> dict[SystemStreamPartition, frozenset[str]]:
    listed = list(messages)
    standby = {each.task_name for each in listed if isinstance(each, SetTaskModeMapping) and each.task_mode == STANDBY}
    return {
        each.partition: frozenset(each.task_names) - standby
        for each in listed
        if isinstance(each, SetTaskPartitionMapping)
    }
