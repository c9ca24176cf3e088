"""Appending to a topic: all events of an append are there after it, in one piece, or none."""

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
from eventlog.log import AppendRefused
from eventlog.source import SourceUnavailable

APPEND_SECONDS: Final = 30.0
"""How long brokers may take to acknowledge an append."""

_BATCH_OVERHEAD: Final = 61
_RECORD_OVERHEAD: Final = 21
_NEVER_MS: Final = 3_600_000
_LIMITLESS: Final = 2**31 - 1


class EventProducer:
    """Appends to one topic as an idempotent producer, acknowledged by all replicas that are in sync.

    A plain append is one batch of records: brokers take that as a whole. With a transactional id it is a
    transaction, of any size; it leaves a marker behind, which takes an offset. Not safe for threads.
    """

    def __init__(
        self, options: KafkaOptions, stream_name: str, batch_bytes: int, transactional_id: str | None = None
    ) -> None:
        """``batch_bytes``: how large a batch the topic takes. It connects at the first append."""
        self._options = options
        self._stream_name = stream_name
        self._batch_bytes = batch_bytes
        self._transactional_id = transactional_id
        self._connected: Connected | None = None
        self._is_out = False

    def append(self, events: Sequence[RecordedEvent]) -> range:
        """Append events, whose offsets do not count, and give the offsets they have got.

        Within a transaction of several batches, events of others may stand between.

        Raises:
            AppendRefused: Kafka, or this topic, does not take one of them, or not so many at once; or another
                program has begun to append under the transactional id, and this one is out for good.
            SourceUnavailable: nothing was acknowledged; the events may be there nevertheless.
        """
        if self._is_out:
            raise self._refused_as_second()
        self._check_size(events)
        producer = self._producer()
        try:
            return self._in_transaction(producer, events) if self._transactional_id else self._send(producer, events)
        except BaseException as error:
            self._abandon()  # a producer is of no use after an error: what it still holds must not be sent later
            if isinstance(error, KafkaError):
                raise self._spoken(error) from error
            raise

    def close(self) -> None:
        """Close the connection."""
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
        """A plain batch is sent when it is flushed, and never before it is whole."""
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
        sizes = [_RECORD_OVERHEAD + _size(event) for event in events]
        largest = max(sizes, default=0) if self._transactional_id else sum(sizes)
        if largest + _BATCH_OVERHEAD > self._batch_bytes:
            raise AppendRefused(
                self._stream_name,
                f"{largest + _BATCH_OVERHEAD} bytes are more than the {self._batch_bytes} that it takes at once: "
                "append in parts, or raise its max.message.bytes",
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
            with suppress(KafkaError):  # else the brokers do it, when the id is used again or its time is over
                _within(APPEND_SECONDS, producer.abort_transaction)
            raise
        _within(APPEND_SECONDS, producer.commit_transaction)
        return offsets

    def _abandon(self) -> None:
        if self._connected is not None:
            sender = self._connected.client._sender  # noqa: SLF001 (a close would wait for what can't be sent)
            sender.force_close()
            sender.join(APPEND_SECONDS)
            self._connected.client.close(timeout=0)
            self._connected = None

    def _spoken(self, error: KafkaError) -> Exception:
        if isinstance(error, InvalidProducerEpochError | ProducerFencedError):
            self._is_out = True
            return self._refused_as_second()
        if isinstance(error, BrokerResponseError) and not isinstance(error, RetriableError):
            name = type(error).__name__.removesuffix("Error")
            return AppendRefused(self._stream_name, f"its cluster does not take the events ({name})")
        return SourceUnavailable(
            f"{self._options.place} did not acknowledge an append to {self._stream_name}: "
            "look what is there before you append again"
        )

    def _refused_as_second(self) -> AppendRefused:
        return AppendRefused(
            self._stream_name, f"another program appends as {self._transactional_id}: let only one do so"
        )


def _size(event: RecordedEvent) -> int:
    return int(DefaultRecordBatchBuilder.size_of(event.key, event.value, event.headers))


def _within(seconds: float, act: Callable[[], None]) -> None:
    """Do what else would wait for brokers for ever. Raises what the act raised, or KafkaTimeoutError."""
    errors: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as error:  # it is raised in the caller's thread
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise KafkaTimeoutError
    if errors:
        raise errors[0]
