"""Reads ranges of streams, independent of the streams that are followed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import EventConsumer
from eventlog.kafka.options import KafkaOptions
from eventlog.source import Read, SourceUnavailable

SILENCE_SECONDS: Final = 30.0
"""How long a read may return nothing before it fails."""

_FETCH_WAIT_SECONDS: Final = 0.02  # a range ends, so there is nothing to wait for
_RETRY_WAIT_SECONDS: Final = 0.005  # one consumer reads the ends of hundreds of streams


class RangeReader:
    """Reads ranges, with one connection for each read at a time, which later reads use again."""

    def __init__(self, options: KafkaOptions, admin: KafkaAdmin) -> None:
        self._options = options
        self._admin = admin
        self._idle: list[EventConsumer] = []

    def read(self, stream_name: str, topic_id: str | None, first: int, until: int) -> Iterator[RecordedEvent]:
        """See `EventSource.read`; raises `OffsetLost` too if the topic no longer has this id."""
        if first < until:
            topic_ids = {stream_name: topic_id}
            with self._consumer(topic_ids) as consumer:
                consumer.assign({stream_name: first}, topic_ids)
                for read in _reads(consumer, stream_name, first, until):
                    yield from _before(read.events, until)

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _consumer(self, topic_ids: Mapping[str, str | None]) -> Iterator[EventConsumer]:
        """A consumer for one read; closed if the read fails or is not finished."""
        consumer = self._take(topic_ids)
        try:
            yield consumer
            consumer.assign({}, {})
        except BaseException:
            consumer.close()
            raise
        self._idle.append(consumer)

    def _take(self, topic_ids: Mapping[str, str | None]) -> EventConsumer:
        while self._idle:
            consumer = self._idle.pop()
            if consumer.can_assign(topic_ids):
                return consumer
            consumer.close()
        return EventConsumer(self._options, self._admin, fetch_wait=_FETCH_WAIT_SECONDS, retry_wait=_RETRY_WAIT_SECONDS)


def _reads(consumer: EventConsumer, stream_name: str, first: int, until: int) -> Iterator[Read]:
    position = first
    while position < until:
        reads = consumer.poll(SILENCE_SECONDS)
        if not reads:
            raise SourceUnavailable(
                f"No events of {stream_name} at offset {position} for {SILENCE_SECONDS:g} s. "
                "Check that its brokers can be reached."
            )
        yield from reads
        position = reads[-1].next_offset


def _before(events: Sequence[RecordedEvent], until: int) -> Sequence[RecordedEvent]:
    if not events or events[-1].offset < until:
        return events
    return [event for event in events if event.offset < until]
