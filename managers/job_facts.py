"""JobFacts: a job's config and tasks, read from its coordinator stream; and the changelogs of its stores."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from eventlog.config import boolean, integer
from eventlog.errors import ConfigError, list_names
from eventlog.frozen_dict import FrozenFields
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
from managers.errors import ManagerError
from managers.job_names import STANDBY, Config, system_of, unique_name_for_batch
from managers.stores.keyed_state import KeyedState, decode_value
from managers.wrapped_logs import require_kind

CHANGELOG_SYSTEM: Final = "job.changelog.system"

_KEY: Final = re.compile(r"stores\.(.+)\.changelog")
TRANSACTIONAL_CHECKPOINT: Final = "task.transactional.state.checkpoint.enabled"
TRANSACTIONAL_RESTORE: Final = "task.transactional.state.restore.enabled"
_ASYNC_COMMIT: Final = "task.async.commit"
_REPLICAS: Final = "job.standbytasks.replication.factor"
MIN_COMPACTION_LAG_MS: Final = "min.compaction.lag.ms"
DELETE_RETENTION_MS: Final = "delete.retention.ms"
_DAY_MS: Final = 86_400_000
_FOUR_HOURS_MS: Final = 14_400_000
_LISTED = 3


class StoreChangelog(NamedTuple):
    """A store's changelog stream. ``system`` None: config does not name its system."""

    store: str
    system: str | None
    stream: str


def store_of(config_key: str) -> str | None:
    match = _KEY.fullmatch(config_key)
    return None if match is None else match[1]


def changelog_of(config: Config, store: str) -> str | None:
    """A store's changelog as ``system.stream``; None if it has none. Each run of a batch job has its own."""
    name = configured_changelog(config, store)
    return None if name is None else unique_name_for_batch(name, config)


def configured_changelog(config: Config, store: str) -> str | None:
    """A store's changelog without the run id of a batch job; only the stream if config names no system for it."""
    stream = config.get(f"stores.{store}.changelog", "").strip()
    if not stream or "." in stream:
        return stream or None
    system = system_of(config, CHANGELOG_SYSTEM)
    return stream if system is None else f"{system}.{stream}"


def changelogs(config: Config) -> Iterator[StoreChangelog]:
    """The changelogs of all stores, sorted by the names of the stores."""
    for store in sorted(store for key in config if (store := store_of(key)) is not None):
        name = changelog_of(config, store)
        if name is not None:
            system, dot, stream = name.partition(".")
            yield StoreChangelog(store, system, stream) if dot else StoreChangelog(store, None, name)


def delete_retention_ms(config: Config, store: str) -> int:
    """How long the changelog keeps tombstones, and so how old a local store may be. Raises `ConfigError`.

    Samza ignores an override of the topic's setting when it reads a local store, which may then lack deletions.
    """
    of_store = integer(config, f"stores.{store}.changelog.{DELETE_RETENTION_MS}", _DAY_MS)
    return integer(config, f"{changelog_overrides(store)}{DELETE_RETENTION_MS}", of_store)


def min_compaction_lag_ms(config: Config, store: str) -> int:
    """How long no change of the changelog is compacted. Raises `ConfigError`."""
    key = f"stores.{store}.changelog.{MIN_COMPACTION_LAG_MS}"
    refused = f"{changelog_overrides(store)}{MIN_COMPACTION_LAG_MS}"
    if refused in config:
        raise ConfigError(f"{refused} is not supported, as in Samza. Use {key}.")
    of_all = integer(config, f"stores.default.changelog.{MIN_COMPACTION_LAG_MS}", _FOUR_HOURS_MS)
    return integer(config, key, of_all)


def is_transactional(config: Config) -> bool:
    """Whether a restore reverts uncommitted changes; as in Samza not with standby tasks or ``task.async.commit``."""
    has_replicas = integer(config, _REPLICAS, 1) > 1
    is_asynchronous = boolean(config, _ASYNC_COMMIT, default=False)
    return not has_replicas and not is_asynchronous and boolean(config, TRANSACTIONAL_RESTORE, default=True)


def changelog_overrides(store: str) -> str:
    """The prefix of the settings of a store's changelog that override all others."""
    return f"stores.{store}.changelog.kafka."


class ChangelogError(ManagerError):
    """The changelogs of a job's stores do not fit its tasks, for example with another number of partitions."""


class ChangelogRemap(NamedTuple):
    """A task whose changelog partition would change."""

    task_name: str
    old_partition: int
    new_partition: int


class ChangelogRemapped(ChangelogError):
    """Tasks would get different changelog partitions, and with them the state of other tasks."""

    def __init__(self, changes: Sequence[ChangelogRemap]) -> None:
        self.changes = tuple(changes)
        listed = list_names([f"{task!r} from {old} to {new}" for task, old, new in self.changes], _LISTED)
        super().__init__(
            f"This changes the changelog partition of {listed}. "
            "The task would restore the state of another task. Keep its partition, or delete its mapping first."
        )


_TASK_MESSAGES: Final = (SetTaskContainerMapping, SetTaskModeMapping, SetChangelogMapping, SetCheckpoint)


@dataclass(frozen=True)
class JobFacts(FrozenFields):
    """A job as its coordinator stream describes it now. ``task_names`` are those of active tasks."""

    config: Mapping[str, str]
    task_names: frozenset[str]

    @classmethod
    def read(cls, log: EventLog) -> "JobFacts":
        """Read the whole log. An unreadable value is ignored: the last readable value of its key counts."""
        require_kind(log, "coordinator")
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
