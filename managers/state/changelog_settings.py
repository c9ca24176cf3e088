"""What a job's config says about the changelogs of its stores (TaskConfig and StorageConfig of Samza 1.8.0)."""

from collections.abc import Collection
from typing import Final

from eventlog.config_values import boolean
from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.assignments.changelogs import CHANGELOG_SYSTEM, changelogs
from managers.job_names import Config
from managers.state.state_errors import StoreWithoutBackend

RETAIN_EXISTING_STATE: Final = "task.transactional.state.retain.existing.state"


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


def retains_existing_state(config: Config) -> bool:
    """Whether a store without a commit keeps the changes in its changelog."""
    return boolean(config, RETAIN_EXISTING_STATE, default=True)


def is_cleaned_on_start(config: Config, store: str) -> bool:
    """Whether the local directories of a store are deleted before it is restored."""
    return boolean(config, f"stores.{store}.clean.on.container.start", default=False)
