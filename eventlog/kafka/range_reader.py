"""Stretches of streams, read apart from anything that is followed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import EventConsumer
from eventlog.kafka.options import KafkaOptions
from eventlog.source import Read, SourceUnavailable

SILENCE_SECONDS: Final = 30.0
"""How long a stretch may bring nothing before the read is given up."""

_FETCH_WAIT_SECONDS: Final = 0.02  # at the end of a stretch nobody waits for more
_RETRY_WAIT_SECONDS: Final = 0.005  # one consumer reads the tails of hundreds of streams, one after the other


class RangeReader:
    """Reads stretches, several in turn if need be, over as few connections as there are reads at a time."""

    def __init__(self, options: KafkaOptions, admin: KafkaAdmin) -> None:
        self._options = options
        self._admin = admin
        self._idle: list[EventConsumer] = []

    def read(self, stream_name: str, topic_id: str | None, first: int, until: int) -> Iterator[RecordedEvent]:
        """See `EventSource.read`; raises `OffsetLost` too where the topic has not this id any more."""
        if first < until:
            topic_ids = {stream_name: topic_id}
            with self._consumer(topic_ids) as consumer:
                consumer.assign({stream_name: first}, topic_ids)
                for read in _reads(consumer, stream_name, first, until):
                    yield from _before(read.events, until)

    def close(self) -> None:
        """Close the connections of reads that are done."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _consumer(self, topic_ids: Mapping[str, str | None]) -> Iterator[EventConsumer]:
        """One for the caller alone; it is closed if anything went wrong with it, or the read was given up."""
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
                f"{stream_name} brought nothing at offset {position} for {SILENCE_SECONDS:g} s: "
                "look whether its brokers can be reached"
            )
        yield from reads
        position = reads[-1].next_offset


def _before(events: Sequence[RecordedEvent], until: int) -> Sequence[RecordedEvent]:
    if not events or events[-1].offset < until:
        return events
    return [event for event in events if event.offset < until]
