"""The settings of changelogs' topics, from a job's config (KafkaConfig, StorageConfig, TaskConfig of Samza 1.8.0)."""

from typing import Final

from eventlog.config_values import boolean, integer
from eventlog.errors import ConfigError
from managers.assignments.changelogs import StoreChangelog
from managers.job_names import Config
from managers.streams.stream_settings import setting_key

TRANSACTIONAL_RESTORE: Final = "task.transactional.state.restore.enabled"

_ASYNC_COMMIT: Final = "task.async.commit"
_REPLICAS: Final = "job.standbytasks.replication.factor"
_REPLICATION_FACTOR: Final = "replication.factor"
_MAX_MESSAGE_BYTES: Final = "max.message.bytes"
_MIN_COMPACTION_LAG_MS: Final = "min.compaction.lag.ms"
_DELETE_RETENTION_MS: Final = "delete.retention.ms"
_COPIES: Final = 2
_MESSAGE_BYTES: Final = "1000012"
_SEGMENT_BYTES: Final = "536870912"
_DAY_MS: Final = 86_400_000
_FOUR_HOURS_MS: Final = 14_400_000


def replication_factor(config: Config, changelog: StoreChangelog) -> int:
    """The replication factor of a changelog: the store's setting, the default of stores, that of the system, or 2.

    Raises:
        ConfigError: the setting is not an integer.
    """
    own_keys = (f"stores.{store}.changelog.{_REPLICATION_FACTOR}" for store in (changelog.store, "default"))
    return integer(config, setting_key(config, changelog.system, _REPLICATION_FACTOR, *own_keys), _COPIES)


def topic_settings(config: Config, changelog: StoreChangelog) -> dict[str, str]:
    """The settings with which a changelog's topic is created.

    A store with a TTL gets ``cleanup.policy=delete``, any other store a compacted topic, with a compaction lag that
    transactional state needs. ``stores.<store>.changelog.kafka.*`` overrides all others.

    Raises:
        ConfigError: a number is not an integer, or the compaction lag has a key that Samza refuses.
    """
    prefix = _overrides(changelog.store)
    own = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
    return {
        **_cleanup(config, changelog, own),
        "segment.bytes": _SEGMENT_BYTES,
        **_compaction_lag(config, changelog.store),
        **own,
        _DELETE_RETENTION_MS: str(delete_retention_ms(config, changelog.store)),
    }


def delete_retention_ms(config: Config, store: str) -> int:
    """How long the changelog keeps tombstones, and so how old a local store may be. Raises `ConfigError`.

    Samza ignores an override of the topic's setting when it reads a local store, which may then lack deletions.
    """
    of_store = integer(config, f"stores.{store}.changelog.{_DELETE_RETENTION_MS}", _DAY_MS)
    return integer(config, f"{_overrides(store)}{_DELETE_RETENTION_MS}", of_store)


def min_compaction_lag_ms(config: Config, store: str) -> int:
    """How long no change of the changelog is compacted. Raises `ConfigError`."""
    key = f"stores.{store}.changelog.{_MIN_COMPACTION_LAG_MS}"
    refused = f"{_overrides(store)}{_MIN_COMPACTION_LAG_MS}"
    if refused in config:
        raise ConfigError(f"{refused} is not supported, as in Samza. Use {key}.")
    of_all = integer(config, f"stores.default.changelog.{_MIN_COMPACTION_LAG_MS}", _FOUR_HOURS_MS)
    return integer(config, key, of_all)


def is_transactional(config: Config) -> bool:
    """Whether a restore reverts uncommitted changes; as in Samza not with standby tasks or ``task.async.commit``."""
    has_replicas = integer(config, _REPLICAS, 1) > 1
    is_asynchronous = boolean(config, _ASYNC_COMMIT, default=False)
    return not has_replicas and not is_asynchronous and boolean(config, TRANSACTIONAL_RESTORE, default=True)


def _overrides(store: str) -> str:
    return f"stores.{store}.changelog.kafka."


def _cleanup(config: Config, changelog: StoreChangelog, own: Config) -> dict[str, str]:
    key = f"stores.{changelog.store}.rocksdb.ttl.ms"
    ttl_ms = integer(config, key, -1)
    if ttl_ms < 0:
        return {"cleanup.policy": "compact", _MAX_MESSAGE_BYTES: _max_message_bytes(config, changelog)}
    return {} if "cleanup.policy" in own else {"cleanup.policy": "delete", "retention.ms": config[key]}


def _max_message_bytes(config: Config, changelog: StoreChangelog) -> str:
    own_key = f"stores.{changelog.store}.changelog.{_MAX_MESSAGE_BYTES}"
    return config.get(setting_key(config, changelog.system, _MAX_MESSAGE_BYTES, own_key), _MESSAGE_BYTES)


def _compaction_lag(config: Config, store: str) -> dict[str, str]:
    if not is_transactional(config):
        return {}
    return {_MIN_COMPACTION_LAG_MS: str(min_compaction_lag_ms(config, store))}
