"""The changelogs of a job's stores: their names and topic settings in config, and the partition of each task."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from eventlog.errors import ConfigError
from eventlog.inputs import DEFAULT_SYSTEM
from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import TaskModel
from managers.job_models.jvm_order import text_order
from managers.job_names import Config

CHANGELOG_SYSTEM: Final = "job.changelog.system"

_KEY: Final = re.compile(r"stores\.(.+)\.changelog")
_REPLICATION_FACTOR: Final = "replication.factor"
_MAX_MESSAGE_BYTES: Final = "max.message.bytes"
_COPIES: Final = "2"
_MESSAGE_BYTES: Final = "1000012"
_SEGMENT_BYTES: Final = "536870912"
_DELETE_RETENTION_MS: Final = "86400000"
_COMPACTION_LAG_MS: Final = "14400000"


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

    The system comes from the key itself, ``job.changelog.system`` or ``job.default.system``; without any of them, only
    the stream is returned.
    """
    stream = config.get(f"stores.{store}.changelog", "").strip()
    if not stream or "." in stream:
        return stream or None
    system = config.get(CHANGELOG_SYSTEM, config.get(DEFAULT_SYSTEM))
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
    is_enabled = config.get(f"stores.{changelog.store}.accesslog.enabled", "").casefold() == "true"
    return f"{changelog.stream}-access-log" if is_enabled else None


def replication_factor(config: Config, changelog: StoreChangelog) -> int:
    """The replication factor of a changelog: the store's setting, the default of stores, that of the system, or 2.

    Raises:
        ConfigError: the setting is not an integer.
    """
    keys = (
        f"stores.{changelog.store}.changelog.{_REPLICATION_FACTOR}",
        f"stores.default.changelog.{_REPLICATION_FACTOR}",
        f"systems.{changelog.system}.default.stream.{_REPLICATION_FACTOR}",
    )
    text = next((config[key] for key in keys if key in config), _COPIES)
    try:
        return int(text)
    except ValueError:
        raise ConfigError(
            f"The replication factor of {changelog.stream} is {text!r}, not an integer. Set {keys[0]}."
        ) from None


def topic_settings(config: Config, changelog: StoreChangelog) -> dict[str, str]:
    """The settings with which a changelog's topic is created (KafkaConfig of Samza 1.8.0).

    A store with a TTL gets ``cleanup.policy=delete``, any other store a compacted topic, with a compaction lag that
    transactional state needs. ``stores.<store>.changelog.kafka.*`` overrides all of these.
    """
    of_store = f"stores.{changelog.store}.changelog."
    own = {key.removeprefix(f"{of_store}kafka."): config[key] for key in config if key.startswith(f"{of_store}kafka.")}
    return {
        **_cleanup(config, changelog, own),
        "segment.bytes": _SEGMENT_BYTES,
        "delete.retention.ms": config.get(f"{of_store}delete.retention.ms", _DELETE_RETENTION_MS),
        **_compaction_lag(config, of_store),
        **own,
    }


def _cleanup(config: Config, changelog: StoreChangelog, own: Config) -> dict[str, str]:
    expires_after = config.get(f"stores.{changelog.store}.rocksdb.ttl.ms")
    if expires_after is None:
        return {"cleanup.policy": "compact", _MAX_MESSAGE_BYTES: _max_message_bytes(config, changelog)}
    return {} if "cleanup.policy" in own else {"cleanup.policy": "delete", "retention.ms": expires_after}


def _max_message_bytes(config: Config, changelog: StoreChangelog) -> str:
    of_system = config.get(f"systems.{changelog.system}.default.stream.{_MAX_MESSAGE_BYTES}", _MESSAGE_BYTES)
    return config.get(f"stores.{changelog.store}.changelog.{_MAX_MESSAGE_BYTES}", of_system)


def _compaction_lag(config: Config, of_store: str) -> dict[str, str]:
    if config.get("task.transactional.state.restore.enabled", "true").casefold() != "true":
        return {}
    of_all = config.get("stores.default.changelog.min.compaction.lag.ms", _COMPACTION_LAG_MS)
    return {"min.compaction.lag.ms": config.get(f"{of_store}min.compaction.lag.ms", of_all)}
