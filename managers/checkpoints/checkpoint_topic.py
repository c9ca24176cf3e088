"""Making a job's checkpoint topic as Samza makes it."""

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import Final, Protocol

from eventlog.errors import ConfigError
from eventlog.log import LogExists
from eventlog.source import StreamFacts
from eventlog.streams import StreamIdentity
from managers.job_names import checkpoint_stream

APP_MODE: Final = "app.mode"
BATCH_RETENTION_MS: Final = 86_400_000
BROKER_DEFAULT: Final = -1

_SEGMENT_BYTES: Final = "task.checkpoint.segment.bytes"
_MAX_MESSAGE_BYTES: Final = "task.checkpoint.max.message.bytes"
_REPLICATION_FACTOR: Final = "task.checkpoint.replication.factor"
_BATCH: Final = "BATCH"


class StreamAdmin(Protocol):
    """Makes streams and looks at them; `eventlog.kafka.admin.KafkaAdmin` is one."""

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = BROKER_DEFAULT, settings: Mapping[str, str]
    ) -> None:
        """Make a stream of one partition. Raises `LogExists`: it is there, and was left as it is."""

    def describe(self, stream_name: str) -> StreamFacts:
        """What the stream is now. Raises `StreamRefused` where it can't be followed, as with several partitions."""

    def close(self) -> None:
        """Give up what the admin holds open."""


OpenAdmin = Callable[[], StreamAdmin]


def create_checkpoint_topic(open_admin: OpenAdmin, config: Mapping[str, str], *, is_validating: bool) -> None:
    """Make the topic unless it is there; with ``is_validating``, look at it then. The admin is closed in every case.

    Raises:
        MissingSetting: config has no ``job.name``.
        ConfigError: a number in config is none.
        StreamRefused: the topic has several partitions, or is not compacted.
        EventLogError: it can't be made.
    """
    stream = checkpoint_stream(config)
    copies, settings = _number(config, _REPLICATION_FACTOR, BROKER_DEFAULT), checkpoint_topic_settings(config)
    with closing(open_admin()) as admin:
        with suppress(LogExists):
            admin.create_stream(stream, replication_factor=copies, settings=settings)
        if is_validating:
            admin.describe(stream.stream_name)


def checkpoint_topic_settings(config: Mapping[str, str]) -> dict[str, str]:
    """The topic's settings (Samza's KafkaCheckpointManagerFactory): compacted; of a batch job also deleted after a day.

    Raises `ConfigError` where a size is no number.
    """
    is_batch = config.get(APP_MODE, "").strip().upper() == _BATCH
    policy = {"cleanup.policy": "compact,delete", "retention.ms": str(BATCH_RETENTION_MS)}
    return {
        **(policy if is_batch else {"cleanup.policy": "compact"}),
        "segment.bytes": str(_number(config, _SEGMENT_BYTES, 26_214_400)),
        "max.message.bytes": str(_number(config, _MAX_MESSAGE_BYTES, 1_000_012)),
    }


def _number(config: Mapping[str, str], name: str, default: int) -> int:
    text = config.get(name)
    if text is None or not text.strip():
        return default
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"{name} holds something that is no number: set it to one") from None
