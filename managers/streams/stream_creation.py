"""Creates a job's coordinator stream (CoordinatorStreamUtil of Samza)."""

from contextlib import suppress
from typing import Protocol

from eventlog.config_values import integer
from eventlog.log import LogExists
from eventlog.streams import BROKER_DEFAULT, SEGMENT_BYTES, StreamIdentity
from managers.job_names import COORDINATOR_SYSTEM, Config, coordinator_stream, system_of
from managers.streams.stream_settings import setting_key


class StreamMaker(Protocol):
    """Creates streams, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_stream(self, stream: StreamIdentity, *, replication_factor: int, segment_bytes: int) -> None:
        """Create a compacted topic with one partition. Raises `LogExists` if it exists; it is not changed."""


def create_coordinator_stream(maker: StreamMaker, config: Config) -> StreamIdentity:
    """Create the coordinator stream of a job unless it exists, and return its identity.

    Config keys: ``job.coordinator.<setting>``, otherwise ``systems.<system>.default.stream.<setting>`` of
    ``job.coordinator.system`` or ``job.default.system``. Settings, with defaults: ``replication.factor`` (the brokers'
    default; Samza's 3 is refused by a cluster of fewer brokers), ``segment.bytes`` (25 MiB).

    Raises:
        MissingSetting: the config lacks the job's name.
        ConfigError: a setting is not an integer.
    """
    stream = coordinator_stream(config)
    copies = _setting(config, "replication.factor", BROKER_DEFAULT)
    segment_bytes = _setting(config, "segment.bytes", SEGMENT_BYTES)
    with suppress(LogExists):
        maker.create_stream(stream, replication_factor=copies, segment_bytes=segment_bytes)
    return stream


def _setting(config: Config, setting: str, default: int) -> int:
    system = system_of(config, COORDINATOR_SYSTEM)
    return integer(config, setting_key(config, system, setting, f"job.coordinator.{setting}"), default)
