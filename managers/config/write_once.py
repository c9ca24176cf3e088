"""Settings that may be set only once: a change would give a job's state to other tasks (seed 001, benefit 3)."""

from collections.abc import Iterator
from typing import Final

from managers.assignments.changelogs import changelog_of, store_of
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
"""Keys that decide which task reads which partition, with what Samza takes where they are not set."""


def write_once_changes(old: Config, new: Config) -> list[SettingChange]:
    """What a new config would change of the settings that may be set only once, sorted by key.

    A setting that was not set and gets another value than its default counts once the job has been started (its
    config names the job). A store may be added or removed as a whole, and a changelog added to a store that had none.
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
        before, after = changelog_of(old, store), changelog_of(new, store)
        if before is not None and before != after:
            yield SettingChange(key, before, after)


def _has_store(config: Config, store: str) -> bool:
    return any(key.startswith(f"stores.{store}.") for key in config)
