"""The changelogs of a job's stores: their names in config, and the partition of each task."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from eventlog.config_values import boolean
from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import TaskModel
from managers.job_models.jvm_order import text_order
from managers.job_names import Config, system_of, unique_name_for_batch

CHANGELOG_SYSTEM: Final = "job.changelog.system"

_KEY: Final = re.compile(r"stores\.(.+)\.changelog")


class StoreChangelog(NamedTuple):
    """A store's changelog stream. ``system`` None: config does not name its system."""

    store: str
    system: str | None
    stream: str


def store_of(config_key: str) -> str | None:
    """The store whose changelog a config key sets; None for any other key."""
    match = _KEY.fullmatch(config_key)
    return None if match is None else match[1]


def changelog_of(config: Config, store: str) -> str | None:
    """A store's changelog as ``system.stream`` (StorageConfig of Samza); None if it has none.

    Each run of a batch job has its own, with ``-<app.run.id>``.
    """
    name = configured_changelog(config, store)
    return None if name is None else unique_name_for_batch(name, config)


def configured_changelog(config: Config, store: str) -> str | None:
    """A store's changelog without the run id of a batch job; None if it has none.

    The system comes from the key itself, ``job.changelog.system`` or ``job.default.system``; without any of them, only
    the stream is returned.
    """
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


def changelog_ssps(config: Config, tasks: Iterable[TaskModel]) -> frozenset[SystemStreamPartition]:
    """The changelog partitions of these tasks, in all changelogs whose system is known."""
    partitions = {task.changelog_partition for task in tasks}
    named = [(each.system, each.stream) for each in changelogs(config) if each.system is not None]
    return frozenset(SystemStreamPartition(*stream, partition) for stream in named for partition in partitions)


def assign_changelog_partitions(task_names: Iterable[str], previous: Mapping[str, int]) -> dict[str, int]:
    """The changelog partition of each task (JobModelManager of Samza): its previous one, or the next unused number.

    New tasks are numbered in the order of their names (``Partition 10`` before ``Partition 2``), after the greatest
    number that any task ever had (SAMZA-1012), from 0. The number of a removed task is not reused, because its state
    is still in the changelog.
    """
    following = max(previous.values(), default=-1) + 1
    numbers: dict[str, int] = {}
    for task_name in sorted(set(task_names), key=text_order):
        known = previous.get(task_name)
        numbers[task_name] = following if known is None else known
        following += known is None
    return numbers


def access_log_of(config: Config, changelog: StoreChangelog) -> str | None:
    """The stream of a store's access log; None if it is not enabled."""
    is_enabled = boolean(config, f"stores.{changelog.store}.accesslog.enabled", default=False)
    return f"{changelog.stream}-access-log" if is_enabled else None
