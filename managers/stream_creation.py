"""Creates a job's own streams: the coordinator stream, the checkpoint topic, and the changelogs of stores."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

from eventlog.config import boolean, integer
from eventlog.errors import ConfigError
from eventlog.log import StreamExists
from eventlog.source import StreamFacts
from eventlog.streams import BROKER_DEFAULT, CHECKPOINT_MESSAGE_BYTES, SEGMENT_BYTES, StreamIdentity
from managers.job_facts import (
    DELETE_RETENTION_MS,
    MIN_COMPACTION_LAG_MS,
    ChangelogError,
    StoreChangelog,
    changelog_overrides,
    changelogs,
    delete_retention_ms,
    is_transactional,
    min_compaction_lag_ms,
)
from managers.job_names import (
    CHECKPOINT_SYSTEM,
    COORDINATOR_SYSTEM,
    Config,
    checkpoint_stream,
    coordinator_stream,
    is_batch,
    stream_setting,
    system_of,
)

VALIDATION: Final = "job.checkpoint.validation.enabled"
_BATCH_RETENTION_MS: Final = "86400000"
_CHANGELOG_COPIES: Final = 2
_CHANGELOG_MESSAGE_BYTES: Final = 1_000_012
_CHANGELOG_SEGMENT_BYTES: Final = "536870912"


class StreamMaker(Protocol):
    """Creates streams, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = BROKER_DEFAULT, settings: Mapping[str, str]
    ) -> None:
        """Create a compacted stream with one partition. Raises `StreamExists` if it exists; it is not changed."""


class InputAdmin(Protocol):
    """The admin of one system of a job, like `eventlog.kafka.admin.KafkaAdmin`. Not thread-safe."""

    def create_topic(self, name: str, *, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> None:
        """Create a topic. Raises `StreamExists` if it exists; it is not changed."""

    def partition_count(self, name: str) -> int:
        """The number of partitions of a topic."""

    def describe(self, stream_name: str) -> StreamFacts:
        """Describe a stream. Raises `StreamRefused` if it cannot be followed, for example with several partitions."""

    def topic_names(self) -> Sequence[str]:
        """The names of all streams, sorted. Raises `SourceUnavailable`."""

    def close(self) -> None:
        """Close the admin's connections."""


def create_coordinator_stream(maker: StreamMaker, config: Config) -> StreamIdentity:
    """Create the coordinator stream of a job unless it exists, and return its identity.

    Config keys: ``job.coordinator.<setting>``, otherwise ``systems.<system>.default.stream.<setting>`` of
    ``job.coordinator.system`` or ``job.default.system``. Settings, with defaults: ``replication.factor`` (the brokers'
    default; Samza's 3 is refused by a cluster of fewer brokers), ``segment.bytes`` (25 MiB). Raises `MissingSetting`
    and `ConfigError`.
    """
    stream, of_job = coordinator_stream(config), (COORDINATOR_SYSTEM, "job.coordinator")
    copies = _setting(config, *of_job, "replication.factor", BROKER_DEFAULT)
    settings = {"segment.bytes": str(_setting(config, *of_job, "segment.bytes", SEGMENT_BYTES))}
    with suppress(StreamExists):
        maker.create_stream(stream, replication_factor=copies, settings=settings)
    return stream


def ensure_checkpoint_topic(admin: InputAdmin, config: Config) -> None:
    """Create the topic unless it exists, and check it unless ``job.checkpoint.validation.enabled`` is false.

    Config keys as for `create_coordinator_stream`, with ``task.checkpoint.<setting>`` and ``task.checkpoint.system``;
    also ``max.message.bytes`` (1,000,012). Raises `MissingSetting`, `ConfigError`, and `StreamRefused` for a topic that
    cannot be used.
    """
    name, settings = checkpoint_stream(config).stream_name, checkpoint_topic_settings(config)
    copies = _setting(config, CHECKPOINT_SYSTEM, "task.checkpoint", "replication.factor", BROKER_DEFAULT)
    with suppress(StreamExists):
        admin.create_topic(name, partitions=1, replication_factor=copies, settings=settings)
    if is_validated(config):
        admin.describe(name)


def checkpoint_topic_settings(config: Config) -> dict[str, str]:
    """The topic's settings: compacted, and for a batch job also deleted after a day. Raises `ConfigError`."""
    sizes = {"segment.bytes": SEGMENT_BYTES, "max.message.bytes": CHECKPOINT_MESSAGE_BYTES}
    policy = {"cleanup.policy": "compact,delete", "retention.ms": _BATCH_RETENTION_MS}
    return {
        **(policy if is_batch(config) else {"cleanup.policy": "compact"}),
        **{name: str(_setting(config, CHECKPOINT_SYSTEM, "task.checkpoint", name, sizes[name])) for name in sizes},
    }


def is_validated(config: Config) -> bool:
    """Whether a job checks its checkpoint topic: one partition, and only readable checkpoints of its grouper."""
    return boolean(config, VALIDATION, default=True)


def _setting(config: Config, system_key: str, prefix: str, setting: str, default: int) -> int:
    return stream_setting(config, system_of(config, system_key), setting, default, f"{prefix}.{setting}")


class ChangelogStream(NamedTuple):
    """A store's stream, created or existing."""

    store: str
    system: str
    stream_name: str
    is_new: bool


def create_changelog_streams(
    config: Config, partitions: int, admins: Mapping[str, InputAdmin]
) -> tuple[ChangelogStream, ...]:
    """Create the changelog of each store, and its access log if it has one, unless they exist.

    ``partitions`` is `JobModel.max_changelog_stream_partitions`. ``admins`` are by the job's names of its systems.

    Raises:
        ConfigError: a store's system has no admin, or a setting is invalid. Nothing was created.
        ChangelogError: a stream has the wrong number of partitions. Streams before it were created.
    """
    wanted: list[tuple[InputAdmin, StoreChangelog, str, int, Mapping[str, str]]] = []
    for changelog in changelogs(config):
        admin, copies = _admin_of(changelog, admins), replication_factor(config, changelog)
        wanted.append((admin, changelog, changelog.stream, copies, topic_settings(config, changelog)))
        if boolean(config, f"stores.{changelog.store}.accesslog.enabled", default=False):
            wanted.append((admin, changelog, f"{changelog.stream}-access-log", copies, {}))
    return tuple(_create(partitions, *stream) for stream in wanted)


def replication_factor(config: Config, changelog: StoreChangelog) -> int:
    """The store's setting, the default of stores, that of the system, or 2. Raises `ConfigError`."""
    own_keys = (f"stores.{store}.changelog.replication.factor" for store in (changelog.store, "default"))
    return stream_setting(config, changelog.system, "replication.factor", _CHANGELOG_COPIES, *own_keys)


def topic_settings(config: Config, changelog: StoreChangelog) -> dict[str, str]:
    """The settings with which a changelog's topic is created. Raises `ConfigError`.

    A store with a TTL gets ``cleanup.policy=delete``, any other store a compacted topic, with a compaction lag that
    transactional state needs. ``stores.<store>.changelog.kafka.*`` overrides all others.
    """
    prefix = changelog_overrides(changelog.store)
    own = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
    is_lagging = is_transactional(config)
    return {
        **_cleanup(config, changelog, own),
        "segment.bytes": _CHANGELOG_SEGMENT_BYTES,
        **({MIN_COMPACTION_LAG_MS: str(min_compaction_lag_ms(config, changelog.store))} if is_lagging else {}),
        **own,
        DELETE_RETENTION_MS: str(delete_retention_ms(config, changelog.store)),
    }


def _cleanup(config: Config, changelog: StoreChangelog, own: Config) -> dict[str, str]:
    key, size = f"stores.{changelog.store}.rocksdb.ttl.ms", "max.message.bytes"
    if integer(config, key, -1) < 0:
        own_key = f"stores.{changelog.store}.changelog.{size}"
        most = stream_setting(config, changelog.system, size, _CHANGELOG_MESSAGE_BYTES, own_key)
        return {"cleanup.policy": "compact", size: str(most)}
    return {} if "cleanup.policy" in own else {"cleanup.policy": "delete", "retention.ms": config[key]}


def _admin_of(changelog: StoreChangelog, admins: Mapping[str, InputAdmin]) -> InputAdmin:
    admin = None if changelog.system is None else admins.get(changelog.system)
    if admin is None:
        problem = "is not configured" if changelog.system is None else f"is {changelog.system!r}, which has no admin"
        raise ConfigError(
            f"The system of the changelog of store {changelog.store!r} {problem}. Set "
            f"stores.{changelog.store}.changelog to <system>.<stream>, and pass an admin of that system."
        )
    return admin


def _create(
    partitions: int, admin: InputAdmin, changelog: StoreChangelog, name: str, copies: int, settings: Mapping[str, str]
) -> ChangelogStream:
    is_new = False
    with suppress(StreamExists):
        admin.create_topic(name, partitions=partitions, replication_factor=copies, settings=settings)
        is_new = True
    actual = admin.partition_count(name)
    if actual != partitions:
        raise ChangelogError(
            f"Changelog {name} of store {changelog.store!r} has {actual} partitions, but the tasks need {partitions}. "
            "Configure another changelog for the store, or add the missing partitions."
        )
    return ChangelogStream(changelog.store, changelog.system or "", name, is_new)
