"""Settings that may be set only once: a change would give a job's state to other tasks (seed 001, benefit 3)."""

import re
from collections.abc import Iterator
from typing import Final

from eventlog.inputs import DEFAULT_SYSTEM
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.errors import SettingChange
from managers.job_names import JOB_NAME, Config

CHANGELOG_SYSTEM: Final = "job.changelog.system"
DEFAULTS: Final = {
    "job.systemstreampartition.grouper.factory": DEFAULT_GROUPER_FACTORY,
    "task.name.grouper.factory": "org.apache.samza.container.grouper.task.GroupByContainerCountFactory",
    "job.system.stream.partition.mapper.factory": (
        "org.apache.samza.container.grouper.stream.HashSystemStreamPartitionMapperFactory"
    ),
    "job.elasticity.factor": "1",
}
"""Keys that decide which task reads which partition, with what Samza takes where they are not set."""

_CHANGELOG: Final = re.compile(r"stores\.(.+)\.changelog")


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
        match = _CHANGELOG.fullmatch(key)
        if match is None or not _has_store(new, match[1]):
            continue
        before, after = _changelog(old, key), _changelog(new, key)
        if before != after:
            yield SettingChange(key, before, after)


def _has_store(config: Config, store: str) -> bool:
    return any(key.startswith(f"stores.{store}.") for key in config)


def _changelog(config: Config, key: str) -> str | None:
    """The system and the stream of a changelog (StorageConfig of Samza); the system may stand in a key of its own."""
    stream = config.get(key)
    if not stream or "." in stream:
        return stream or None
    system = config.get(CHANGELOG_SYSTEM, config.get(DEFAULT_SYSTEM))
    return stream if system is None else f"{system}.{stream}"
