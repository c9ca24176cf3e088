"""JobFacts: a job's config, tasks and changelogs, read from its coordinator stream."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from eventlog.frozen_dict import frozen
from eventlog.log import EventLog
from eventlog.messages import (
    Message,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import is_changelog_offset
from managers.changelogs import changelogs
from managers.job_names import STANDBY
from managers.stores.keyed_state import KeyedState, decode_value

_TASK_MESSAGES: Final = (SetTaskContainerMapping, SetTaskModeMapping, SetChangelogMapping, SetCheckpoint)


@dataclass(frozen=True)
class JobFacts:
    """A job as its coordinator stream describes it now. ``task_names`` are those of active tasks."""

    config: Mapping[str, str]
    task_names: frozenset[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", frozen(self.config))
        object.__setattr__(self, "task_names", frozenset(self.task_names))

    @classmethod
    def read(cls, log: EventLog) -> "JobFacts":
        """Read the whole log. An unreadable value is ignored: the last readable value of its key counts."""
        state: KeyedState[Message] = KeyedState(decode_value)
        for event in log.read(log.start_offset()):
            state.apply(event)
        return cls.of([message for _, message in state.items()])

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "JobFacts":
        config = {each.config_key: each.config_value for each in messages if isinstance(each, SetConfig)}
        return cls(config, frozenset(_tasks(messages)))

    def is_state(self, partition: SystemStreamPartition, offset: str | None) -> bool:
        is_marked = offset is not None and is_changelog_offset(offset)
        return is_marked or f"{partition.system}.{partition.stream}" in self.changelogs

    @cached_property
    def changelogs(self) -> frozenset[str]:
        """The changelogs of the job's stores, as ``system.stream``, without those whose system is not configured."""
        named = changelogs(self.config)
        return frozenset(f"{each.system}.{each.stream}" for each in named if each.system is not None)


def _tasks(messages: Sequence[Message]) -> set[str]:
    named = {each.task_name for each in messages if isinstance(each, _TASK_MESSAGES)}
    for each in messages:
        if isinstance(each, SetTaskPartitionMapping):
            named.update(each.task_names)
    return named - standby_tasks(messages)


def standby_tasks(messages: Iterable[Message]) -> set[str]:
    return {each.task_name for each in messages if isinstance(each, SetTaskModeMapping) and each.task_mode == STANDBY}
