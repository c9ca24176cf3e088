"""Reads ranges of offsets of topics."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, NoReturn

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import PARTITION, KafkaAdmin
from eventlog.kafka.consumer import SILENCE_SECONDS, EventConsumer
from eventlog.kafka.options import KafkaOptions
from eventlog.source import Closing, StreamUnavailable

_FETCH_WAIT_SECONDS: Final = 0.02  # a range ends, so there is nothing to wait for
_RETRY_WAIT_SECONDS: Final = 0.005  # one consumer reads the ends of hundreds of streams


class RangeReader(Closing):
    """Reads ranges, with one connection for each read at a time, which later reads use again. Connects when needed."""

    def __init__(
        self,
        options: KafkaOptions,
        admin: KafkaAdmin | None = None,
        *,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        """``admin`` finds the topics that have ids, and is closed by the caller; for the others see `EventConsumer`."""
        self._silence_seconds = silence_seconds
        self._place = options.place
        self._make = partial(
            EventConsumer,
            options,
            admin,
            fetch_wait=_FETCH_WAIT_SECONDS,
            retry_wait=_RETRY_WAIT_SECONDS,
            any_partitions=True,
        )
        self._idle: list[EventConsumer] = []

    def read(self, stream_name: str, topic_id: str | None, first: int, until: int) -> Iterator[RecordedEvent]:
        """See `EventSource.read`; raises `OffsetLost` too if the topic no longer has this id."""
        return chain.from_iterable(self.read_partition(stream_name, PARTITION, first, until, topic_id))

    def read_partition(
        self, topic: str, partition: int, first: int, until: int, topic_id: str | None = None
    ) -> Iterator[Sequence[RecordedEvent]]:
        """Yield the events from offset ``first`` to before ``until`` as they arrive, maybe with empty sequences.

        Raises `OffsetLost`: events of the range were deleted, or the partition was truncated; `SourceUnavailable`: the
        brokers do not answer; `StreamUnavailable`: they return nothing; `StreamRefused`: an event cannot be decoded.
        """
        if first >= until:
            return
        consumer = self._idle.pop() if self._idle else self._make()
        try:
            consumer.assign({topic: first}, {topic: topic_id}, partition)
            position = first
            while position < until:
                (read,) = consumer.poll(self._silence_seconds) or self._fail(topic, partition, position, until)
                position = read.next_offset
                yield [event for event in read.events if event.offset < until] if position > until else read.events
            consumer.assign({}, {})
        except BaseException:
            consumer.close()
            raise
        self._idle.append(consumer)

    def _fail(self, topic: str, partition: int, position: int, until: int) -> NoReturn:
        problem = (
            f"returned nothing after offset {position - 1} of partition {partition} of {{}} for "
            f"{self._silence_seconds:g} s, but is to be read to {until - 1}. Check its brokers and open transactions."
        )
        raise StreamUnavailable([topic], self._place, problem)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
