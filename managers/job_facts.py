"""What a job's coordinator stream says of it: its config, its tasks, and which partitions are changelogs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from eventlog.log import EventLog
from eventlog.markers import is_changelog_offset
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
from eventlog.wire.coordinator import decode_key, decode_message
from managers.stores.keyed_state import KeyedState

_STANDBY: Final = "Standby"
_STORE: Final = "stores."
_CHANGELOG: Final = ".changelog"
_CHANGELOG_SYSTEM: Final = "job.changelog.system"
_OF_TASKS: Final = (SetTaskContainerMapping, SetTaskModeMapping, SetChangelogMapping, SetCheckpoint)


@dataclass(frozen=True, slots=True)
class JobFacts:
    """A job as its coordinator stream has it now; empty where it has none. ``task_names`` are those of active tasks."""

    config: Mapping[str, str]
    task_names: frozenset[str]

    @classmethod
    def read(cls, log: EventLog) -> "JobFacts":
        """Read the whole log. What can't be read is passed over: the last readable value of its key stays."""
        state: KeyedState[Message] = KeyedState(_message)
        for event in log.read(log.start_offset()):
            state.apply(event)
        return cls.of([message for _, message in state.items()])

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "JobFacts":
        """What the living messages of a coordinator stream say."""
        config = {said.config_key: said.config_value for said in messages if isinstance(said, SetConfig)}
        return cls(config, frozenset(_tasks(messages)))

    def is_state(self, partition: SystemStreamPartition, offset: str | None) -> bool:
        """Whether an entry of a V1 checkpoint is that of a store's changelog, and no input's."""
        is_marked = offset is not None and is_changelog_offset(offset)
        return is_marked or f"{partition.system}.{partition.stream}" in self.changelogs

    @property
    def changelogs(self) -> frozenset[str]:
        """The changelogs of the job's stores, as ``system.stream``."""
        system = self.config.get(_CHANGELOG_SYSTEM, "")
        names = (
            value
            for key, value in self.config.items()
            if key.startswith(_STORE) and key.endswith(_CHANGELOG) and len(key) > len(_STORE + _CHANGELOG)
        )
        return frozenset(name if "." in name else f"{system}.{name}" for name in names)


def _message(key: bytes, value: bytes) -> Message:
    return decode_message(decode_key(key), value)


def _tasks(messages: Sequence[Message]) -> set[str]:
    named = {said.task_name for said in messages if isinstance(said, _OF_TASKS)}
    for said in messages:
        if isinstance(said, SetTaskPartitionMapping):
            named.update(said.task_names)
    standby = {
        said.task_name for said in messages if isinstance(said, SetTaskModeMapping) and said.task_mode == _STANDBY
    }
    return named - standby
