"""What a job's config says about the changelogs of its stores (TaskConfig and StorageConfig of Samza 1.8.0)."""

from collections.abc import Collection
from typing import Final

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.assignments.changelogs import CHANGELOG_SYSTEM, changelogs
from managers.backup.state_errors import StoreWithoutBackend
from managers.job_names import Config

TRANSACTIONAL_RESTORE: Final = "task.transactional.state.restore.enabled"
RETAIN_EXISTING_STATE: Final = "task.transactional.state.retain.existing.state"

_ASYNC_COMMIT: Final = "task.async.commit"
_REPLICAS: Final = "job.standbytasks.replication.factor"
_DELETE_RETENTION_MS: Final = 86_400_000
_COMPACTION_LAG_MS: Final = 14_400_000


def changelog_partitions(
    config: Config, store_names: Collection[str], task_name: str, partition: int | None
) -> dict[str, SystemStreamPartition]:
    """The changelog partition of each store of a task, whose partition is the same in all changelogs.

    Raises:
        StoreWithoutBackend: a store has no changelog.
        ConfigError: the system of a changelog is not configured.
        ValueError: the task has no changelog partition.
    """
    if partition is None:
        raise ValueError(f"Task {task_name!r} has no changelog partition. Set changelog_partition.")
    named = {each.store: each for each in changelogs(config)}
    found = {}
    for store in store_names:
        changelog = named.get(store)
        if changelog is None:
            raise StoreWithoutBackend(task_name, store)
        if changelog.system is None:
            raise ConfigError(
                f"The changelog of store {store!r} of task {task_name!r} has no system. Set {CHANGELOG_SYSTEM}."
            )
        found[store] = SystemStreamPartition(changelog.system, changelog.stream, partition)
    return found


def is_transactional(config: Config) -> bool:
    """Whether a restore reverts uncommitted changes; as in Samza not with standby tasks or ``task.async.commit``."""
    has_replicas = _number(config, _REPLICAS, 1) > 1
    return (
        not has_replicas and not _flag(config, _ASYNC_COMMIT, "false") and _flag(config, TRANSACTIONAL_RESTORE, "true")
    )


def retains_existing_state(config: Config) -> bool:
    """Whether a store without a commit keeps the changes in its changelog."""
    return _flag(config, RETAIN_EXISTING_STATE, "true")


def is_cleaned_on_start(config: Config, store: str) -> bool:
    """Whether the local directories of a store are deleted before it is restored."""
    return _flag(config, f"stores.{store}.clean.on.container.start", "false")


def delete_retention_ms(config: Config, store: str) -> int:
    """How long the changelog keeps tombstones, and so how old a local store may be."""
    return _number(config, f"stores.{store}.changelog.delete.retention.ms", _DELETE_RETENTION_MS)


def min_compaction_lag_ms(config: Config, store: str) -> int:
    """How long no change of the changelog is compacted."""
    of_all = _number(config, "stores.default.changelog.min.compaction.lag.ms", _COMPACTION_LAG_MS)
    return _number(config, f"stores.{store}.changelog.min.compaction.lag.ms", of_all)


def _flag(config: Config, key: str, default: str) -> bool:
    return config.get(key, default).casefold() == "true"


def _number(config: Config, key: str, default: int) -> int:
    text = config.get(key, str(default))
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"{key} is {text!r}, not an integer.") from None
