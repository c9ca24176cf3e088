"""Makes a job's coordinator stream (SystemAdmin.createCoordinatorStream, seed 000; CoordinatorStreamUtil)."""

from contextlib import suppress
from typing import Final, Protocol

from eventlog.errors import ConfigError
from eventlog.log import LogExists
from eventlog.streams import StreamIdentity
from managers.job_names import Config, coordinator_stream

REPLICATION_FACTOR: Final = "job.coordinator.replication.factor"
SEGMENT_BYTES: Final = "job.coordinator.segment.bytes"
_BROKER_DEFAULT: Final = -1
_SEGMENT_BYTES: Final = 26_214_400


class StreamMaker(Protocol):
    """What makes a stream's topic, as `eventlog.kafka.admin.KafkaAdmin` does."""

    def create_stream(self, stream: StreamIdentity, *, replication_factor: int, segment_bytes: int) -> None:
        """Make a compacted topic of one partition. Raises `LogExists`: it is there, and was left as it is."""


def create_coordinator_stream(maker: StreamMaker, config: Config) -> StreamIdentity:
    """Make the coordinator stream of a job, and name it; one that is there is left as it is.

    ``job.coordinator.replication.factor`` and ``job.coordinator.segment.bytes`` count; else there are as many copies
    as the brokers are set to, and Samza's 25 MiB.

    Raises:
        MissingSetting: the config does not name the job.
        ConfigError: a setting is no number.
    """
    stream = coordinator_stream(config)
    copies, segment_bytes = _number(config, REPLICATION_FACTOR, _BROKER_DEFAULT), _number(config, SEGMENT_BYTES)
    with suppress(LogExists):
        maker.create_stream(stream, replication_factor=copies, segment_bytes=segment_bytes)
    return stream


def _number(config: Config, key: str, default: int = _SEGMENT_BYTES) -> int:
    text = config.get(key)
    try:
        return default if text is None else int(text)
    except ValueError:
        raise ConfigError(f"{key} is no whole number: set it to one, or leave it out") from None
