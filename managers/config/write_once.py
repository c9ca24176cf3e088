"""Write-once settings: changing them after the first start would assign a job's state to other tasks."""

from collections.abc import Iterator
from typing import Final

from managers.assignments.changelogs import configured_changelog, store_of
from managers.errors import SettingChange
from managers.job_models.container_grouping import BY_CONTAINER_COUNT, TASK_GROUPER
from managers.job_models.partition_grouping import BY_HASH, BY_PARTITION, ELASTICITY, GROUPER_FACTORY, MAPPER_FACTORY
from managers.job_names import JOB_NAME, Config

DEFAULTS: Final = {
    GROUPER_FACTORY: BY_PARTITION,
    TASK_GROUPER: BY_CONTAINER_COUNT,
    MAPPER_FACTORY: BY_HASH,
    ELASTICITY: "1",
}
"""Keys that decide which task reads which partition, with Samza's defaults."""


def write_once_changes(old: Config, new: Config) -> list[SettingChange]:
    """The write-once settings that a new config would change, sorted by key.

    Setting a missing key to a value other than its default is a change once the job has been started, that is, once its
    config has the job's name. Adding or removing a store, and adding a changelog to a store, are not changes.
    """
    return [*_grouping_changes(old, new), *_changelog_changes(old, new)]


def _grouping_changes(old: Config, new: Config) -> Iterator[SettingChange]:
    for key, default in sorted(DEFAULTS.items()):
        before, after = old.get(key, default), new.get(key, default)
        if before != after and (key in old or JOB_NAME in old):
            yield SettingChange(key, before, after)


def _changelog_changes(old: Config, new: Config) -> Iterator[SettingChange]:
    for key in sorted(old):
        store = store_of(key)
        if store is None or not _has_store(new, store):
            continue
        before, after = configured_changelog(old, store), configured_changelog(new, store)
        if before is not None and before != after:
            yield SettingChange(key, before, after)


def _has_store(config: Config, store: str) -> bool:
    return any(key.startswith(f"stores.{store}.") for key in config)
