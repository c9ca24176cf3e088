"""The event source of a Kafka cluster."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import EventConsumer
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.ranges import RangeReader
from eventlog.source import KAFKA, Closing, Read, StreamFacts

_NO_TOPIC_IDS: Final = (
    "The brokers are older than Kafka 2.8 and have no topic ids: restart the follower after a topic was re-created."
)


class KafkaSource(Closing):
    """See `EventSource`. It connects when first used, and reconnects.

    ``poll`` also raises `StreamRefused`, for a stream with events that cannot be read or decoded. After an error a
    stream is paused until it is assigned again; the others are read on.
    """

    backend: Final = KAFKA

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._admin = KafkaAdmin(options)
        self._ranges = RangeReader(options, self._admin)
        self._consumer = EventConsumer(options, self._admin)
        self._has_warned = False
        self._topic_ids: dict[str, str | None] = {}

    @property
    def cluster_id(self) -> str:
        return self._admin.cluster_id

    def stream_names(self) -> list[str]:
        return self._admin.stream_names()

    def describe(self, stream_name: str) -> StreamFacts:
        """See `EventSource.describe`. From then on, ``read`` and ``assign`` use the topic with this id."""
        facts = self._admin.describe(stream_name)
        self._topic_ids[stream_name] = facts.topic_id
        if facts.topic_id is None and not self._has_warned:
            self._has_warned = True  # one stream's warning says it for all
            return facts._replace(warning=" ".join(filter(None, (_NO_TOPIC_IDS, facts.warning))))
        return facts

    def end_offsets(self, stream_names: Sequence[str]) -> dict[str, int]:
        ends = self._admin.end_offsets(stream_names, leader_seconds=0)
        now = self._admin.topic_ids(ends)  # after the ends: a topic that is the same now was the same then
        known = self._topic_ids
        return {name: end for name, end in ends.items() if name in now and known.get(name) in (None, now[name])}

    def read(self, stream_name: str, first: int, until: int) -> Iterator[RecordedEvent]:
        return self._ranges.read(stream_name, self._topic_ids[stream_name], first, until)

    def assign(self, positions: Mapping[str, int]) -> None:
        self._consumer.assign(positions, {name: self._topic_ids[name] for name in positions})

    def poll(self, timeout: float) -> list[Read]:
        return self._consumer.poll(timeout)

    def wake(self) -> None:
        self._consumer.wake()

    def close(self) -> None:
        self._admin.close()
        self._ranges.close()
        self._consumer.close()
