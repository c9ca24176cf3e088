"""An event log that is a compacted topic of Kafka."""

import logging
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, Self

from eventlog.events import NewEvent, RecordedEvent
from eventlog.kafka.admin import BROKER_DEFAULT, SEGMENT_BYTES, KafkaAdmin, check
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.producer import EventProducer
from eventlog.kafka.range_reader import RangeReader
from eventlog.log import AppendRefused, Capabilities, Clock, recorded, system_clock
from eventlog.source import StreamMissing
from eventlog.streams import StreamIdentity, StreamKind

_logger: Final = logging.getLogger(__name__)
DEFAULT_BATCH_BYTES: Final = 1_048_588
"""What a topic takes at once if nothing is set: Kafka's default."""

READABLE_SECONDS: Final = 5.0
"""How long an append that is a transaction waits until its events can be read."""

_POLL_SECONDS: Final = 0.01


class KafkaEventLog:
    """The topic of a stream, as long as it is this topic: one made again under its name is another log.

    Kafka forgets what was superseded, knows no append under a condition, takes no event without a key, no time
    before 1970, and no header without a value. What is not committed is not there. Not safe for threads; any number
    of them, anywhere, at once.
    """

    capabilities: Final = Capabilities(can_append=True, keeps_superseded_events=False, conditional_append=False)

    def __init__(
        self,
        options: KafkaOptions,
        stream: StreamIdentity,
        *,
        clock: Clock = system_clock,
        transactional_id: str | None = None,
        any_partitions: bool = False,
    ) -> None:
        """Open the log of a stream.

        An append is one batch of records, which the topic's ``max.message.bytes`` bounds; with a
        ``transactional_id`` it is a transaction, of any size, and nobody else may append under that id. With
        ``any_partitions`` a topic of several is taken, with a warning, and the first one is the log: so a job with
        ``job.checkpoint.validation.enabled=false`` takes its checkpoint topic.

        Raises:
            StreamMissing: there is no such topic.
            StreamRefused: it is none for events (several partitions, not compacted).
            SourceUnavailable: nobody answers.
        """
        self._options = options
        self._stream = stream
        self._clock = clock
        self._is_transactional = transactional_id is not None
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
        self._topic_id = topic.topic_id
        self._appender = EventProducer(
            options, stream.stream_name, topic.max_message_bytes or DEFAULT_BATCH_BYTES, transactional_id
        )

    @classmethod
    def create(
        cls,
        options: KafkaOptions,
        stream: StreamIdentity,
        *,
        clock: Clock = system_clock,
        replication_factor: int = BROKER_DEFAULT,
        segment_bytes: int = SEGMENT_BYTES,
    ) -> Self:
        """Make an empty topic with Samza's settings, and open it; see `KafkaAdmin.create_stream` for its errors."""
        with KafkaAdmin(options) as admin:
            admin.create_stream(stream, replication_factor=replication_factor, segment_bytes=segment_bytes)
        return cls(options, stream, clock=clock)

    @property
    def stream_name(self) -> str:
        """The name of the stream."""
        return self._stream.stream_name

    @property
    def stream_kind(self) -> StreamKind:
        """Whether it is a coordinator stream or a checkpoint topic."""
        return self._stream.stream_kind

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`.

        Brokers acknowledge a transaction before its events can be read: they are waited for, but no longer than
        `READABLE_SECONDS`, since a transaction of somebody else that is open hides all that comes after it.

        Raises:
            AppendRefused: there is a condition, an event that Kafka can't hold, or more than it takes at once.
            SourceUnavailable: nothing was acknowledged; the events may be there nevertheless.
        """
        if expected_offset is not None:
            raise AppendRefused(self.stream_name, "Kafka knows no condition: leave expected_offset out")
        records = recorded(events, 0, self._clock())
        for event in records:
            if reason := _why_not(event):
                raise AppendRefused(self.stream_name, reason)
        if not records:
            end = self.end_offset()
            return range(end, end)
        offsets = self._appender.append(records)
        if self._is_transactional:
            self._wait_until_readable(offsets)
        return offsets

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`; raises `OffsetLost` where the topic was made again, or deleted from its start on."""
        start, end = self._bounds()
        last = end if until is None else min(until, end)
        return self._ranges.read(self.stream_name, self._topic_id, max(first, start), last)

    def start_offset(self) -> int:
        """See `EventLog.start_offset`; what was compacted away there counts as kept."""
        return self._bounds()[0]

    def end_offset(self) -> int:
        """See `EventLog.end_offset`: of what is committed."""
        return self._bounds()[1]

    def close(self) -> None:
        """Close the connections."""
        self._appender.close()
        self._ranges.close()
        self._admin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _wait_until_readable(self, offsets: range) -> None:
        deadline = time.monotonic() + READABLE_SECONDS
        while self.end_offset() < offsets.stop and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _bounds(self) -> tuple[int, int]:
        bounds = self._admin.bounds(self.stream_name)
        if bounds is None:
            raise StreamMissing(self.stream_name, self._options.place)
        return bounds


def _why_not(event: RecordedEvent) -> str:
    """Why Kafka can't hold an event; empty: it can."""
    if event.key is None:
        return "a compacted topic takes no event without a key: give it one"
    if event.timestamp < 0:
        return "Kafka has no time before 1970: give a later one, or none"
    if any(value is None for _, value in event.headers):
        return "a header has no value: give it one, or leave it out"
    if not all(_is_utf8(name) for name, _ in event.headers):
        return "the name of a header holds a lone surrogate: leave it out"
    return ""


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
