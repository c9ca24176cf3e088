"""Appends to a topic: all events of an append are written, or none."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, Final

from kafka import KafkaProducer
from kafka.errors import (
    BrokerResponseError,
    InvalidProducerEpochError,
    KafkaError,
    KafkaTimeoutError,
    ProducerFencedError,
    RetriableError,
)
from kafka.record.default_records import DefaultRecordBatchBuilder

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import PARTITION
from eventlog.kafka.client import Connected, connect, translate_errors
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.patches import close_without_sending
from eventlog.log import AppendRefused
from eventlog.source import SourceUnavailable

APPEND_SECONDS: Final = 30.0
"""How long brokers may take to acknowledge an append."""

_BATCH_OVERHEAD: Final = 61
_RECORD_OVERHEAD: Final = 21
_NEVER_MS: Final = 3_600_000
_LIMITLESS: Final = 2**31 - 1


class EventProducer:
    """Appends to one topic as an idempotent producer, acknowledged by all in-sync replicas.

    A plain append is one batch of records, which brokers write as a whole. With a transactional id it is a transaction
    of any size, with a control record after it, which has an offset. Not thread-safe.
    """

    def __init__(
        self, options: KafkaOptions, stream_name: str, batch_bytes: int, transactional_id: str | None = None
    ) -> None:
        """``batch_bytes`` is the largest batch that the topic accepts. Connects at the first append."""
        self._options = options
        self._stream_name = stream_name
        self._batch_bytes = batch_bytes
        self._transactional_id = transactional_id
        self._connected: Connected | None = None
        self._is_fenced = False

    def append(self, events: Sequence[RecordedEvent]) -> range:
        """Append events, ignoring their offsets, and return their new offsets.

        Events of other producers may be between the batches of a transaction. Raises `AppendRefused`: Kafka or the
        topic does not accept an event or the size of the batch; or another program uses the transactional id, so that
        this producer can no longer append; `SourceUnavailable`: the append was not acknowledged; the events may have
        been written.
        """
        if self._is_fenced:
            raise self._fenced_error()
        self._check_size(events)
        producer = self._producer()
        try:
            return self._in_transaction(producer, events) if self._transactional_id else self._send(producer, events)
        except BaseException as error:
            self._abandon()  # events that the producer has not sent yet must not be sent later
            if isinstance(error, KafkaError):
                raise self._translate(error) from error
            raise

    def close(self) -> None:
        if self._connected is not None:
            self._connected.client.close(timeout=APPEND_SECONDS)
            self._connected = None

    def _producer(self) -> Any:
        if self._connected is None:
            self._connected = connect(KafkaProducer, self._options, **self._settings())
            if self._transactional_id:
                with translate_errors(self._options):
                    self._connected.client.init_transactions()
        return self._connected.client

    def _settings(self) -> dict[str, Any]:
        """A plain batch is sent only when it is flushed, so that it is complete."""
        waits = {} if self._transactional_id else {"linger_ms": _NEVER_MS, "delivery_timeout_ms": 2 * _NEVER_MS}
        return {
            "acks": "all",
            "transactional_id": self._transactional_id,
            "batch_size": self._batch_bytes,
            "max_request_size": _LIMITLESS,
            "max_block_ms": int(APPEND_SECONDS * 1000),
            "metrics_enabled": False,
            **waits,
        }

    def _check_size(self, events: Sequence[RecordedEvent]) -> None:
        contents = (DefaultRecordBatchBuilder.size_of(event.key, event.value, event.headers) for event in events)
        sizes = [_RECORD_OVERHEAD + int(size) for size in contents]
        largest = max(sizes, default=0) if self._transactional_id else sum(sizes)
        if largest + _BATCH_OVERHEAD > self._batch_bytes:
            raise AppendRefused(
                self._stream_name,
                f"{largest + _BATCH_OVERHEAD} bytes are more than its max.message.bytes ({self._batch_bytes}). "
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

    def _in_transaction(self, producer: Any, events: Sequence[RecordedEvent]) -> range:
        producer.begin_transaction()
        try:
            offsets = self._send(producer, events)
        except KafkaError:
            with suppress(KafkaError):  # otherwise brokers abort it, when the id is used again or after its timeout
                _within(APPEND_SECONDS, producer.abort_transaction)
            raise
        _within(APPEND_SECONDS, producer.commit_transaction)
        return offsets

    def _abandon(self) -> None:
        if self._connected is not None:
            close_without_sending(self._connected.client, APPEND_SECONDS)
            self._connected = None

    def _translate(self, error: KafkaError) -> Exception:
        if isinstance(error, InvalidProducerEpochError | ProducerFencedError):
            self._is_fenced = True
            return self._fenced_error()
        if isinstance(error, BrokerResponseError) and not isinstance(error, RetriableError):
            name = type(error).__name__.removesuffix("Error")
            return AppendRefused(self._stream_name, f"its cluster rejected the events ({name})")
        return SourceUnavailable(
            f"{self._options.place} did not acknowledge an append to {self._stream_name}. "
            "Check what was written before you append again."
        )

    def _fenced_error(self) -> AppendRefused:
        return AppendRefused(
            self._stream_name,
            f"another program uses the transactional id {self._transactional_id}. Only one may use it",
        )


def _within(seconds: float, act: Callable[[], None]) -> None:
    """Run a call that could wait for brokers without end. Raises its error, or KafkaTimeoutError."""
    errors: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as error:  # raised in the caller's thread
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise KafkaTimeoutError
    if errors:
        raise errors[0]
