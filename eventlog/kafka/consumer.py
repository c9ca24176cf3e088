"""Reads events of topics, which are identified by topic id: of those that are followed, and of ranges."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final

from kafka.errors import LogTruncationError, OffsetOutOfRangeError, TopicAuthorizationFailedError

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.client import TIMES, translate_errors
from eventlog.kafka.fetch_client import POLL_EVENTS, FetchClient, Fetched
from eventlog.kafka.options import KafkaOptions
from eventlog.source import OffsetLost, Read, SourceUnavailable, StreamRefused

FETCH_WAIT_SECONDS: Final = 0.5
"""How long a broker waits for new events before it returns an empty answer."""

RETRY_WAIT_SECONDS: Final = TIMES["retry_backoff_ms"] / 1000

TICK_SECONDS: Final = 0.5
"""How long to wait before checking whether a broker can be reached again."""


class EventConsumer:
    """Reads streams from given offsets on, and never from a re-created topic of the same name.

    kafka-python fetches topics by name, and continues in a re-created topic. This consumer sends topic ids. Brokers
    before Kafka 3.1 do not support them: then the broker's id of the topic is compared after each answer, before its
    events are returned. Only `wake` is thread-safe.
    """

    def __init__(
        self,
        options: KafkaOptions,
        admin: KafkaAdmin,
        *,
        fetch_wait: float = FETCH_WAIT_SECONDS,
        retry_wait: float = RETRY_WAIT_SECONDS,
    ) -> None:
        """Connect; the caller closes ``admin``. Raises `SourceUnavailable`.

        ``fetch_wait``: seconds that a broker waits at the end of all streams; other requests wait behind the fetch.
        ``retry_wait``: seconds between requests of the same kind, also before the first one for another stream.
        """
        self._options = options
        self._news: SimpleQueue[None] = SimpleQueue()  # unlike an Event it is safe in a signal handler
        self._woken = self._topics_changed = False
        self._positions: dict[str, int] = {}
        self._errors: deque[OffsetLost | StreamRefused] = deque()
        self._client = FetchClient(
            options,
            admin,
            fetch_wait=fetch_wait,
            retry_wait=retry_wait,
            on_answer=lambda: self._news.put(None),
            on_metadata=self._on_new_metadata,
        )
        self._topic_ids = self._client.topic_ids

    def can_assign(self, topic_ids: Mapping[str, str | None]) -> bool:
        """Whether this consumer can go on: no stream is paused, and none was read from another topic of its name.

        kafka-python cannot discard what it has fetched, so a re-created topic needs another consumer.
        """
        return not any(
            name in self._client.paused or self._topic_ids.has_other_id(name, topic_id)
            for name, topic_id in topic_ids.items()
        )

    def assign(self, positions: Mapping[str, int], topic_ids: Mapping[str, str | None]) -> None:
        """Read these streams from these offsets on; events already fetched are kept.

        ``topic_ids`` are the ids of their topics, None if the cluster has no ids; see `can_assign`.
        """
        self._client.assign(positions)
        for name, offset in positions.items():
            if self._positions.get(name) != offset:
                self._client.seek(name, offset)
        self._positions = dict(positions)
        self._topic_ids.add(topic_ids)
        self._errors.clear()
        self._topics_changed = True
        self._client.examine_all()

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`. After an error for a stream it is paused until it is assigned again.

        Raises `StreamRefused`: events of a stream cannot be read by its broker or decoded, or access is denied.
        """
        deadline = time.monotonic() + timeout
        while True:
            self._pause_changed_topics()
            reads = self._fetch()
            if self._errors and not reads:
                raise self._errors.popleft()
            left = deadline - time.monotonic()
            if reads:
                return reads
            if self._woken or left <= 0:
                self._woken = False
                return []
            self._wait_for_news(min(left, TICK_SECONDS))

    def wake(self) -> None:
        """See `EventSource.wake`. If no poll is waiting, the next one returns at once."""
        self._woken = True
        self._news.put(None)

    def close(self) -> None:
        self._client.close()

    def _fetch(self) -> list[Read]:
        """What was fetched from topics whose id is still the same."""
        self._client.moved.clear()
        try:
            fetched = self._poll_fairly()
            reads = self._reads(fetched)
            names = {read.stream_name for read in reads}
            to_compare = self._topic_ids.fetched_by_name(names)
            same = names - to_compare | self._topic_ids.unchanged(to_compare)
        except BaseException:
            self._go_back()
            raise
        for read in reads:
            if read.stream_name in same:
                self._positions[read.stream_name] = read.next_offset
            else:
                self._lose(read.stream_name)
        return [read for read in reads if read.stream_name in same]

    def _poll_fairly(self) -> Fetched:
        """What was fetched, also of other streams than one that would fill whole polls."""
        with translate_errors(self._options):
            fetched = self._poll_client(self._client.poll)
            if sum(map(len, fetched.values())) < POLL_EVENTS:
                return fetched
            return {**fetched, **self._poll_client(partial(self._client.poll_others, fetched))}

    def _poll_client(self, poll: Callable[[], Fetched]) -> Fetched:
        """Poll, and pause the streams that cannot be read on."""
        try:
            return poll()
        except LogTruncationError as error:
            self._lose(*(partition.topic for partition in error.divergent_offsets))
        except OffsetOutOfRangeError as error:
            self._lose(*(partition.topic for partition in error.args[0]))
        except TopicAuthorizationFailedError as error:
            for name in error.args[0]:
                self._pause(
                    StreamRefused(name, "the cluster denies access to it. Grant the user the permission to read it")
                )
        except StreamRefused as error:
            self._pause(error)
        return {}

    def _reads(self, fetched: Fetched) -> list[Read]:
        reads = []
        for name in self._client.moved & self._positions.keys():
            events, position = fetched.get(name, ()), self._client.position(name)
            if events or position != self._positions[name]:
                reads.append(Read(name, events, position))
        return reads

    def _go_back(self) -> None:
        for name in self._client.moved & self._positions.keys():
            self._client.seek(name, self._positions[name])
        self._client.examine_all()

    def _pause_changed_topics(self) -> None:
        """Check the topics of all streams after the client received new metadata."""
        if not self._topics_changed:
            return
        self._topics_changed = False
        read = self._positions.keys() - self._client.paused
        changed = {name for name in read if self._topic_ids.may_have_changed(name)}
        try:
            self._lose(*(changed - self._topic_ids.unchanged(changed)))
        except BaseException:
            self._topics_changed = True
            raise

    def _lose(self, *names: str) -> None:
        for name in names:
            self._pause(OffsetLost(name, self._positions.get(name, 0)))

    def _pause(self, error: OffsetLost | StreamRefused) -> None:
        """Pause a stream, and let a poll raise the error."""
        if error.stream_name in self._positions and error.stream_name not in self._client.paused:
            self._client.pause(error.stream_name)
            self._errors.append(error)

    def _wait_for_news(self, timeout: float) -> None:
        try:
            self._news.get(timeout=timeout)
            while True:
                self._news.get_nowait()
        except Empty:
            pass

    def _on_new_metadata(self) -> None:
        self._topics_changed = True
        self._news.put(None)


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
