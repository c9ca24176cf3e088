"""An event log in Kafka: a compacted topic with one partition."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from eventlog.errors import is_utf8
from eventlog.events import NewEvent, RecordedEvent
from eventlog.kafka.admin import KafkaAdmin, check
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.producer import EventProducer
from eventlog.kafka.ranges import RangeReader
from eventlog.log import AppendRefused, Clock, check_append, recorded, system_clock
from eventlog.source import Closing
from eventlog.streams import StreamIdentity

_logger: Final = logging.getLogger(__name__)
DEFAULT_BATCH_BYTES: Final = 1_048_588
"""Kafka's default for ``max.message.bytes``."""


class KafkaEventLog(Closing):
    """The topic of a stream; a re-created topic of the same name is another log.

    Kafka removes superseded events, has no conditional append, and accepts no event without a key, no time before 1970
    and no header without a value. Only committed records are read. An object is not thread-safe, but any number of
    processes can use the topic at the same time. ``stream_id`` is the id of the topic; None if the brokers are older
    than Kafka 2.8.
    """

    has_conditional_append: Final = False

    def __init__(
        self,
        options: KafkaOptions,
        stream: StreamIdentity,
        *,
        clock: Clock = system_clock,
        any_partitions: bool = False,
    ) -> None:
        """Open the log of a stream.

        With ``any_partitions`` the topic may have several partitions, of which the first is used, with a warning. A job
        with ``job.checkpoint.validation.enabled=false`` uses its checkpoint topic in this way. Raises `StreamMissing`:
        there is no such topic; `StreamRefused`: the topic cannot be used (several partitions, not compacted);
        `SourceUnavailable`: no broker answers.
        """
        self.stream_name: Final = stream.stream_name
        self.stream_kind: Final = stream.stream_kind
        self._clock = clock
        self._admin = KafkaAdmin(options)
        self._ranges = RangeReader(options, self._admin)
        try:
            topic = self._admin.topic(stream.stream_name)
            self.warning = check(topic, any_partitions=any_partitions)
        except BaseException:
            self._admin.close()
            raise
        if topic.partitions != 1:
            _logger.warning("%s", self.warning)
        self.stream_id: Final = topic.topic_id
        self._appender = EventProducer(options, stream.stream_name, topic.max_message_bytes or DEFAULT_BATCH_BYTES)

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`. An append is one batch of records.

        Raises `AppendRefused`: ``expected_offset`` is set, Kafka cannot store an event, or the batch is larger than the
        topic's ``max.message.bytes``; `SourceUnavailable`: the append was not acknowledged; the events may have been
        written.
        """
        if expected_offset is not None:
            raise AppendRefused(self.stream_name, "Kafka has no conditional append. Leave expected_offset out")
        check_append(events, None)
        records = recorded(events, 0, self._clock())
        for event in records:
            if reason := _why_refused(event):
                raise AppendRefused(self.stream_name, reason)
        if not records:
            end = self.end_offset()
            return range(end, end)
        return self._appender.append(records)

    def exclude_writers(self) -> AbstractContextManager[None]:
        """See `EventLog.exclude_writers`: without effect."""
        return nullcontext()

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`. Raises `OffsetLost` if the topic was re-created, or records were deleted."""
        start, end = self._admin.bounds(self.stream_name)
        last = end if until is None else min(until, end)
        return self._ranges.read(self.stream_name, self.stream_id, max(first, start), last)

    def start_offset(self) -> int:
        """See `EventLog.start_offset`; compaction does not change it."""
        return self._admin.bounds(self.stream_name)[0]

    def end_offset(self) -> int:
        """See `EventLog.end_offset`: after the last committed record."""
        return self._admin.bounds(self.stream_name)[1]

    def close(self) -> None:
        self._appender.close()
        self._ranges.close()
        self._admin.close()


def _why_refused(event: RecordedEvent) -> str:
    """Why Kafka cannot store an event; empty if it can."""
    if event.key is None:
        return "a compacted topic requires a key for each event"
    if event.timestamp < 0:
        return "Kafka cannot store a time before 1970. Use a later one, or none"
    if any(value is None for _, value in event.headers):
        return "a header has no value. Set one, or leave the header out"
    if not all(is_utf8(name) for name, _ in event.headers):
        return "the name of a header has a lone surrogate. Leave it out"
    return ""
