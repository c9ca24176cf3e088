"""Creates a job's checkpoint topic, with the settings of KafkaCheckpointManagerFactory of Samza."""

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import Final, Protocol

from eventlog.config_values import integer
from eventlog.log import LogExists
from eventlog.source import StreamFacts
from eventlog.streams import BROKER_DEFAULT, CHECKPOINT_MESSAGE_BYTES, SEGMENT_BYTES, StreamIdentity
from managers.job_names import CHECKPOINT_SYSTEM, checkpoint_stream, is_batch, system_of
from managers.streams.stream_settings import setting_key

BATCH_RETENTION_MS: Final = 86_400_000


class StreamAdmin(Protocol):
    """Creates and describes streams, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = BROKER_DEFAULT, settings: Mapping[str, str]
    ) -> None:
        """Create a stream with one partition. Raises `LogExists` if it exists; it is not changed."""

    def describe(self, stream_name: str) -> StreamFacts:
        """Describe a stream. Raises `StreamRefused` if it cannot be followed, for example with several partitions."""

    def close(self) -> None:
        """Close the admin's connections."""


OpenAdmin = Callable[[], StreamAdmin]


def create_checkpoint_topic(open_admin: OpenAdmin, config: Mapping[str, str], *, is_validating: bool) -> None:
    """Create the topic unless it exists, and with ``is_validating`` check it. Always closes the admin.

    Config keys: ``task.checkpoint.<setting>``, otherwise ``systems.<system>.default.stream.<setting>`` of
    ``task.checkpoint.system`` or ``job.default.system``. Settings, with defaults: ``replication.factor`` (the brokers'
    default; Samza's 3 is refused by a cluster of fewer brokers), ``segment.bytes`` (25 MiB), ``max.message.bytes``
    (1,000,012).

    Raises:
        MissingSetting: config has no ``job.name``.
        ConfigError: a number in config is invalid.
        StreamRefused: the topic has several partitions, or is not compacted.
        EventLogError: the topic cannot be created.
    """
    with closing(open_admin()) as admin:
        ensure_checkpoint_topic(admin, config, is_validating=is_validating)


def ensure_checkpoint_topic(admin: StreamAdmin, config: Mapping[str, str], *, is_validating: bool) -> None:
    """Do what `create_checkpoint_topic` does, with an admin that stays open. Raises the same errors."""
    stream = checkpoint_stream(config)
    copies, settings = _setting(config, "replication.factor", BROKER_DEFAULT), checkpoint_topic_settings(config)
    with suppress(LogExists):
        admin.create_stream(stream, replication_factor=copies, settings=settings)
    if is_validating:
        admin.describe(stream.stream_name)


def checkpoint_topic_settings(config: Mapping[str, str]) -> dict[str, str]:
    """The topic's settings: compacted, and for a batch job also deleted after a day.

    Raises `ConfigError` if a size is not an integer.
    """
    policy = {"cleanup.policy": "compact,delete", "retention.ms": str(BATCH_RETENTION_MS)}
    return {
        **(policy if is_batch(config) else {"cleanup.policy": "compact"}),
        "segment.bytes": str(_setting(config, "segment.bytes", SEGMENT_BYTES)),
        "max.message.bytes": str(_setting(config, "max.message.bytes", CHECKPOINT_MESSAGE_BYTES)),
    }


def _setting(config: Mapping[str, str], setting: str, default: int) -> int:
    system = system_of(config, CHECKPOINT_SYSTEM)
    return integer(config, setting_key(config, system, setting, f"task.checkpoint.{setting}"), default)
