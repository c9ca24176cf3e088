"""Creates streams with the settings that their job's config has, and asks about input streams."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from eventlog.config import integer
from eventlog.log import StreamExists
from eventlog.streams import BROKER_DEFAULT, SEGMENT_BYTES, StreamIdentity
from managers.assignments.changelog_partition_manager import TopicMaker
from managers.checkpoints.checkpoint_manager import StreamAdmin
from managers.job_names import COORDINATOR_SYSTEM, Config, coordinator_stream, setting_key, system_of


class InputAdmin(TopicMaker, StreamAdmin, Protocol):
    """The admin of one system of a job, like `eventlog.kafka.admin.KafkaAdmin`. Not thread-safe."""

    def topic_names(self) -> Sequence[str]:
        """The names of all streams, sorted. Raises `SourceUnavailable`."""


class StreamMaker(Protocol):
    """Creates streams, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_stream(self, stream: StreamIdentity, *, replication_factor: int, segment_bytes: int) -> None:
        """Create a compacted topic with one partition. Raises `StreamExists` if it exists; it is not changed."""


def create_coordinator_stream(maker: StreamMaker, config: Config) -> StreamIdentity:
    """Create the coordinator stream of a job unless it exists, and return its identity.

    Config keys: ``job.coordinator.<setting>``, otherwise ``systems.<system>.default.stream.<setting>`` of
    ``job.coordinator.system`` or ``job.default.system``. Settings, with defaults: ``replication.factor`` (the brokers'
    default; Samza's 3 is refused by a cluster of fewer brokers), ``segment.bytes`` (25 MiB). Raises `MissingSetting`
    and `ConfigError`.
    """
    stream = coordinator_stream(config)
    copies = _setting(config, "replication.factor", BROKER_DEFAULT)
    segment_bytes = _setting(config, "segment.bytes", SEGMENT_BYTES)
    with suppress(StreamExists):
        maker.create_stream(stream, replication_factor=copies, segment_bytes=segment_bytes)
    return stream


def _setting(config: Config, setting: str, default: int) -> int:
    system = system_of(config, COORDINATOR_SYSTEM)
    return integer(config, setting_key(config, system, setting, f"job.coordinator.{setting}"), default)
