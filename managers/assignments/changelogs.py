"""The changelogs of a job's stores, as its config names them and as Samza makes them on Kafka (StorageConfig)."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from eventlog.errors import ConfigError
from eventlog.inputs import DEFAULT_SYSTEM
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
    """The stream that a store's changes go to; ``system`` None: config does not say which system it is on."""

    store: str
    system: str | None
    stream: str


def store_of(config_key: str) -> str | None:
    """The store whose changelog a config key names; None: it is another key."""
    match = _KEY.fullmatch(config_key)
    return None if match is None else match[1]


def changelog_of(config: Config, store: str) -> str | None:
    """A store's changelog as ``system.stream``, or the stream alone where no key tells its system; None: it has none.

    The system may stand before the stream, in ``job.changelog.system`` or in ``job.default.system``.
    """
    stream = config.get(f"stores.{store}.changelog", "").strip()
    if not stream or "." in stream:
        return stream or None
    system = config.get(CHANGELOG_SYSTEM, config.get(DEFAULT_SYSTEM))
    return stream if system is None else f"{system}.{stream}"


def changelogs(config: Config) -> Iterator[StoreChangelog]:
    """The changelogs of all stores that have one, in the order of the stores' names."""
    for store in sorted(store for key in config if (store := store_of(key)) is not None):
        name = changelog_of(config, store)
        if name is not None:
            system, dot, stream = name.partition(".")
            yield StoreChangelog(store, system, stream) if dot else StoreChangelog(store, None, name)


def access_log_of(config: Config, changelog: StoreChangelog) -> str | None:
    """The stream that tells which keys of a store are used; None: nobody asked for one."""
    is_enabled = config.get(f"stores.{changelog.store}.accesslog.enabled", "").casefold() == "true"
    return f"{changelog.stream}-access-log" if is_enabled else None


def replication_factor(config: Config, changelog: StoreChangelog) -> int:
    """How many copies a changelog's partitions have: the store's setting, all stores', the system's, else two.

    Raises:
        ConfigError: the setting is no number.
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
        raise ConfigError(f"the replication factor of {changelog.stream} is no whole number: set {keys[0]}") from None


def topic_settings(config: Config, changelog: StoreChangelog) -> dict[str, str]:
    """The settings that a changelog's topic is made with (KafkaConfig of Samza 1.8.0).

    A store whose entries expire has a topic that is deleted from; the others' are compacted, but not what transactional
    state may yet be trimmed by. ``stores.<store>.changelog.kafka.*`` goes before all of these.
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
