"""Appends to a topic: all events of an append are written, or none."""

from collections.abc import Sequence
from typing import Any, Final

from kafka import KafkaProducer
from kafka.errors import BrokerResponseError, KafkaError, RetriableError
from kafka.record.default_records import DefaultRecordBatchBuilder

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import PARTITION
from eventlog.kafka.client import Connected, connect
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.patches import close_without_sending
from eventlog.log import AppendRefused
from eventlog.source import APPEND_SECONDS, SourceUnavailable

_BATCH_OVERHEAD: Final = 61
_RECORD_OVERHEAD: Final = 21
_NEVER_MS: Final = 3_600_000
_SETTINGS: Final[dict[str, Any]] = {
    "acks": "all",
    "max_request_size": 2**31 - 1,  # the topic's limit counts
    "max_block_ms": int(APPEND_SECONDS * 1000),
    "delivery_timeout_ms": 2 * _NEVER_MS,
    "metrics_enabled": False,
}


def connect_producer(options: KafkaOptions, *, batch_size: int, linger_ms: int) -> Connected:
    """Connect an idempotent producer, whose events all in-sync replicas acknowledge. Raises as `connect`."""
    return connect(KafkaProducer, options, **_SETTINGS, batch_size=batch_size, linger_ms=linger_ms)


class EventProducer:
    """Appends to one topic. An append is one batch of records, which brokers write as a whole. Not thread-safe.

    A batch is sent only when it is flushed, so that it is complete.
    """

    def __init__(self, options: KafkaOptions, stream_name: str, batch_bytes: int) -> None:
        """``batch_bytes`` is the largest batch that the topic accepts. Connects at the first append."""
        self._options = options
        self._stream_name = stream_name
        self._batch_bytes = batch_bytes
        self._connected: Connected | None = None

    def append(self, events: Sequence[RecordedEvent]) -> range:
        """Append events, ignoring their offsets, and return their new offsets.

        Raises `AppendRefused`: Kafka or the topic does not accept an event or the size of the batch;
        `SourceUnavailable`: the append was not acknowledged; the events may have been written.
        """
        self._check_size(events)
        if self._connected is None:
            self._connected = connect_producer(self._options, batch_size=self._batch_bytes, linger_ms=_NEVER_MS)
        try:
            return self._send(self._connected.client, events)
        except BaseException as error:
            self._abandon()  # events that the producer has not sent yet must not be sent later
            if isinstance(error, KafkaError):
                raise self._translate(error) from error
            raise

    def close(self) -> None:
        if self._connected is not None:
            self._connected.client.close(timeout=APPEND_SECONDS)
            self._connected = None

    def _check_size(self, events: Sequence[RecordedEvent]) -> None:
        contents = (DefaultRecordBatchBuilder.size_of(event.key, event.value, event.headers) for event in events)
        size = _BATCH_OVERHEAD + sum(_RECORD_OVERHEAD + int(content) for content in contents)
        if size > self._batch_bytes:
            raise AppendRefused(
                self._stream_name,
                f"{size} bytes are more than its max.message.bytes ({self._batch_bytes}). "
                "Append in parts, or raise that setting",
            )

    def _send(self, producer: Any, events: Sequence[RecordedEvent]) -> range:
        sent = [self._send_one(producer, event) for event in events]
        producer.flush(APPEND_SECONDS)
        offsets = [future.get(APPEND_SECONDS).offset for future in sent]
        return range(offsets[0], offsets[-1] + 1)

    def _send_one(self, producer: Any, event: RecordedEvent) -> Any:
        return producer.send(
            self._stream_name,
            key=event.key,
            value=event.value,
            headers=list(event.headers),
            partition=PARTITION,
            timestamp_ms=event.timestamp,
        )

    def _abandon(self) -> None:
        if self._connected is not None:
            close_without_sending(self._connected.client, APPEND_SECONDS)
            self._connected = None

    def _translate(self, error: KafkaError) -> Exception:
        if isinstance(error, BrokerResponseError) and not isinstance(error, RetriableError):
            name = type(error).__name__.removesuffix("Error")
            return AppendRefused(self._stream_name, f"its cluster rejected the events ({name})")
        return SourceUnavailable(
            f"{self._options.place} did not acknowledge an append to {self._stream_name}. "
            "Check what was written before you append again."
        )
