"""Creates a job's coordinator stream (CoordinatorStreamUtil of Samza)."""

from contextlib import suppress
from typing import Final, Protocol

from eventlog.config_values import integer
from eventlog.log import LogExists
from eventlog.streams import StreamIdentity
from managers.job_names import Config, coordinator_stream

REPLICATION_FACTOR: Final = "job.coordinator.replication.factor"
SEGMENT_BYTES: Final = "job.coordinator.segment.bytes"
_BROKER_DEFAULT: Final = -1
_SEGMENT_BYTES: Final = 26_214_400


class StreamMaker(Protocol):
    """Creates streams, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_stream(self, stream: StreamIdentity, *, replication_factor: int, segment_bytes: int) -> None:
        """Create a compacted topic with one partition. Raises `LogExists` if it exists; it is not changed."""


def create_coordinator_stream(maker: StreamMaker, config: Config) -> StreamIdentity:
    """Create the coordinator stream of a job unless it exists, and return its identity.

    Config keys, with defaults: ``job.coordinator.replication.factor`` (the brokers' default),
    ``job.coordinator.segment.bytes`` (25 MiB, as in Samza).

    Raises:
        MissingSetting: the config lacks the job's name.
        ConfigError: a setting is not an integer.
    """
    stream = coordinator_stream(config)
    copies = integer(config, REPLICATION_FACTOR, _BROKER_DEFAULT)
    segment_bytes = integer(config, SEGMENT_BYTES, _SEGMENT_BYTES)
    with suppress(LogExists):
        maker.create_stream(stream, replication_factor=copies, segment_bytes=segment_bytes)
    return stream
