"""Reads events of topics, which are identified by topic id."""

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple
from uuid import UUID

from kafka import IsolationLevel, TopicPartition
from kafka.errors import (
    KafkaError,
    NoError,
    OffsetOutOfRangeError,
    RetriableError,
    TopicAuthorizationFailedError,
    for_code,
)

from eventlog.events import RecordedEvent, bytes_of
from eventlog.kafka.admin import PARTITION, KafkaAdmin, known_id
from eventlog.kafka.client import TIMES, connect_network, is_final, translate_errors
from eventlog.kafka.fetch_session import FETCH_BY_NAME, FetchSession, FollowedPartition
from eventlog.kafka.fetched_events import FetchedEvents
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.patches import NetClient, keep_metadata_of
from eventlog.source import OffsetLost, Read, StreamRefused, StreamUnavailable

FETCH_WAIT_SECONDS: Final = 0.5
"""How long a broker waits for new events before it returns an empty answer."""

RETRY_WAIT_SECONDS: Final = TIMES["retry_backoff_ms"] / 1000

SILENCE_SECONDS: Final = 20.0
"""How long a read may return nothing, or fetches from a broker fail. A follower that waits for 30 s counts as lost."""

TICK_SECONDS: Final = 0.5
"""How long to wait before checking whether a broker can be reached again."""

POLL_EVENTS: Final = 10_000
FEW_EVENTS: Final = 500
FEW_BYTES: Final = 64 << 10
"""The limits of a poll that returns few events; see `EventConsumer.poll`."""

_SETTINGS: Final[Mapping[str, Any]] = {
    "metadata_max_age_ms": 5000,  # a re-created topic as long as the old one is noticed only by its new metadata
    "receive_message_max_bytes": 2**31 - 1,  # a larger batch than `KafkaOptions` allow refuses only its own stream
}


class _Answer(NamedTuple):
    session: FetchSession
    response: Any = None
    error: Exception | None = None


class EventConsumer:
    """Reads streams from given offsets on, and never from a re-created topic of the same name.

    It sends Kafka's Fetch requests with topic ids over kafka-python's connections. Brokers before Kafka 3.1 do not
    support ids: then the broker's id of the topic is compared after each answer, before its events are returned.
    Brokers find out by the leader epoch of the last event read that a log was truncated (KIP-320). Only `wake` is
    thread-safe.
    """

    def __init__(
        self,
        options: KafkaOptions,
        admin: KafkaAdmin | None,
        *,
        fetch_wait: float = FETCH_WAIT_SECONDS,
        retry_wait: float = RETRY_WAIT_SECONDS,
        any_partitions: bool = False,
    ) -> None:
        """Connects when first used. The caller closes ``admin``, which finds topic ids.

        ``fetch_wait``: seconds that a broker waits at the end of all streams; other requests wait behind the fetch.
        ``retry_wait``: seconds between requests of metadata, also before the first one for another stream.
        ``any_partitions``: topics may have several; otherwise one that gets more is lost.
        """
        self._options = options
        self._admin = admin  # over another connection: brokers answer requests in order, and a fetch waits
        self._fetch_wait_ms = int(fetch_wait * 1000)
        self._any_partitions = any_partitions
        self._news: SimpleQueue[_Answer | None] = SimpleQueue()  # unlike an Event it is safe in a signal handler
        self._woken = self._topics_changed = False
        self._streams: dict[str, FollowedPartition] = {}
        self._topics: dict[str, tuple[str | None, int]] = {}
        self._names: dict[UUID, str] = {}
        self._sessions: dict[int, FetchSession] = {}
        self._are_leaders_known = False
        self._moved: set[str] = set()
        self._fetched_by_name: set[str] = set()
        self._fetched: deque[tuple[FollowedPartition, FetchedEvents]] = deque()
        self._errors: deque[OffsetLost | StreamRefused] = deque()
        self._connect = partial(connect_network, options, **_SETTINGS, retry_backoff_ms=int(retry_wait * 1000))
        self._connected: NetClient | None = None

    def assign(
        self, positions: Mapping[str, int], topic_ids: Mapping[str, str | None], partition: int = PARTITION
    ) -> None:
        """Read a partition of these streams from these offsets on; events already fetched are kept.

        ``topic_ids`` are the ids of their topics, None if the cluster has no ids or any topic of the name is meant.
        """
        former, self._streams = self._streams, {}
        for name, offset in positions.items():
            followed = FollowedPartition(name, topic_ids[name], partition, offset)
            self._streams[name] = former[name] if name in former and former[name].is_at(followed) else followed
        topics = {name: (topic_id, partition) for name, topic_id in topic_ids.items()}
        if any(self._topics.get(name, topic) != topic for name, topic in topics.items()):
            for session in self._sessions.values():  # an answer that is still to come would be taken a second time
                session.asked.clear()
            self._sessions.clear()
        self._topics |= topics
        self._names |= {UUID(one): name for name, one in topic_ids.items() if one is not None}
        self._errors.clear()
        self._are_leaders_known = False
        if positions or self._connected is not None:
            keep_metadata_of(self._cluster, positions.keys())

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`. After an error for a stream it is paused until it is assigned again.

        Unless it returns few events, it sends the next fetch. A caller polls again before the server stores few events:
        a fetch that is sent earlier is answered at once, and what is appended after that waits for another one.

        Raises `StreamRefused`: events of a stream cannot be read by its broker or decoded, or access is denied;
        `OffsetLost`; `SourceUnavailable`: the brokers refuse access; `StreamUnavailable`: one answers no fetch.
        """
        self._open()
        deadline = time.monotonic() + timeout
        while True:
            self._take_news(0)
            self._pause_changed_topics()
            reads = self._take_fetched()
            if self._errors and not reads:
                raise self._errors.popleft()
            if not _are_few(reads):  # a poll without events sends one, too
                self._fetch()
            left = deadline - time.monotonic()
            if reads or self._woken or left <= 0:
                self._woken = self._woken and bool(reads)
                return reads
            self._take_news(min(left, self._seconds_to_retry()))

    def wake(self) -> None:
        """See `EventSource.wake`. If no poll is waiting, the next one returns at once."""
        self._woken = True
        self._news.put(None)

    def close(self) -> None:
        if self._connected is not None:
            self._connected.close()
            self._connected = None

    def _open(self) -> NetClient:
        if self._connected is None:
            self._connected = self._connect()
            self._connected.cluster.add_listener(self._on_new_metadata)
        return self._connected

    @property
    def _cluster(self) -> Any:
        return self._open().cluster

    def _take_news(self, timeout: float) -> None:
        """Wait for an answer, metadata or `wake`, and take all answers that have arrived."""
        try:
            news = self._news.get(timeout=timeout) if timeout > 0 else self._news.get_nowait()
            while True:
                if news is not None:
                    self._take_answer(news)
                news = self._news.get_nowait()
        except Empty:
            pass

    def _seconds_to_retry(self) -> float:
        """How long to wait before a fetch may be sent again."""
        now = time.monotonic()
        waits = [session.ready_at - now for session in self._sessions.values() if not session.has_to_answer]
        return min([TICK_SECONDS, *(wait for wait in waits if wait > 0)])

    def _fetch(self) -> None:
        """Send a fetch to each broker, unless events of the last answers are not returned yet.

        A fetch without the streams of these would be delayed by the broker, and not return their new events.
        """
        if self._fetched:
            return
        if not self._are_leaders_known:
            self._find_leaders()
        now = time.monotonic()
        for node_id, session in self._sessions.items():
            if session.led and not session.has_to_answer and session.ready_at <= now:
                self._send(node_id, session)

    def _find_leaders(self) -> None:
        self._are_leaders_known = True
        for session in self._sessions.values():
            session.led, session.compares_all = {}, True
        for name, stream in self._streams.items():
            leader = self._leader(stream)
            if stream.is_paused:
                continue
            if leader is None or leader < 0:
                self._cluster.request_update()
            else:
                self._sessions.setdefault(leader, FetchSession()).led[name] = stream

    def _send(self, node_id: int, session: FetchSession) -> None:
        moved = self._moved & session.led.keys()
        request = session.request(
            self._cluster, moved, max_wait_ms=self._fetch_wait_ms, isolation_level=IsolationLevel.READ_COMMITTED
        )
        self._moved -= session.led.keys()
        session.has_to_answer = True
        manager = self._open().manager

        def send() -> None:
            try:
                sent = manager.send(request, node_id)
            except KafkaError as error:
                self._news.put(_Answer(session, error=error))
            else:
                sent.add_callback(lambda response: self._news.put(_Answer(session, response)))
                sent.add_errback(lambda error: self._news.put(_Answer(session, error=error)))

        manager.run(send)  # returns when it is sent: beside this thread, kafka-python's would get to it late

    def _take_answer(self, answer: _Answer) -> None:
        session, response, error = answer
        session.has_to_answer = False
        if error is not None and (is_final(error) or not isinstance(error, KafkaError)):
            with translate_errors(self._options):
                raise error
        asked = session.asked
        if error is not None:
            session.restart()
        if error is not None or not session.is_continued_by(response):
            self._retry_failed(session, type(error) if error is not None else for_code(response.error_code))
            return
        session.answered_at = time.monotonic()
        is_by_id = response.API_VERSION > FETCH_BY_NAME
        for topic in response.responses:
            name = self._names.get(topic.topic_id, "") if is_by_id else topic.topic
            for partition in topic.partitions:
                place = asked.get(name)
                if place is not None and self._is_current(place.followed, place.offset):
                    self._take_partition(session, place.followed, partition)
                    (self._fetched_by_name.discard if is_by_id else self._fetched_by_name.add)(name)

    def _is_current(self, stream: FollowedPartition, offset: int) -> bool:
        return self._streams.get(stream.stream_name) is stream and not stream.is_paused and stream.offset == offset

    def _take_partition(self, session: FetchSession, stream: FollowedPartition, answer: Any) -> None:
        error = for_code(answer.error_code)
        diverging = answer.diverging_epoch
        if error is OffsetOutOfRangeError or (diverging is not None and diverging.end_offset >= 0):
            self._lose(stream)
        elif error is TopicAuthorizationFailedError:
            self._refuse(stream, "the cluster denies access to it. Grant the user the permission to read it")
        elif issubclass(error, RetriableError):
            self._cluster.request_update()
            self._retry_later(session)
        elif error is not NoError:
            reason = error.__name__.removesuffix("Error")
            self._refuse(stream, f"its broker cannot read it ({reason}). Look for the reason in the broker's log")
        elif answer.records:
            start = stream.stream_name, stream.offset, stream.epoch
            events = FetchedEvents(*start, answer, self._options.max_batch_bytes)
            self._fetched.append((stream, events))

    def _retry_failed(self, session: FetchSession, failure: type[Exception]) -> None:
        """Retry later. Raises `StreamUnavailable`: the broker has not answered for long."""
        now = time.monotonic()
        if now > session.ready_at + SILENCE_SECONDS:  # the first failure: until then it answered, or was not asked
            session.answered_at = now
        self._retry_later(session)
        names = sorted(session.led.keys() & self._streams.keys())
        if names and now > session.answered_at + SILENCE_SECONDS:
            failed = f"for {SILENCE_SECONDS:g} s ({failure.__name__.removesuffix('Error')})"
            problem = f"has not answered reads of {{}} {failed}. Check it, and that large answers pass the network."
            raise StreamUnavailable(names, self._options.place, problem)

    def _retry_later(self, session: FetchSession) -> None:
        session.ready_at = time.monotonic() + RETRY_WAIT_SECONDS

    def _take_fetched(self) -> list[Read]:
        """What was fetched from topics whose id is still the same, of each stream in turn."""
        taken = self._take_events()
        self._lose_changed([stream for stream, _, _ in taken if stream.stream_name in self._fetched_by_name])
        reads = []
        for stream, fetched, events in taken:
            if not stream.is_paused and (events or fetched.offset != stream.offset):
                reads.append(Read(stream.stream_name, events, fetched.offset))
                stream.offset, stream.epoch = fetched.offset, fetched.epoch
                self._moved.add(stream.stream_name)
                if not fetched.is_drained:
                    self._fetched.append((stream, fetched))
        return reads

    def _take_events(self) -> list[tuple[FollowedPartition, FetchedEvents, list[RecordedEvent]]]:
        """About `POLL_EVENTS` events of each stream; the streams that are left come first in the next poll."""
        taken = []
        left = 2 * POLL_EVENTS  # of a stream that catches up, and of others
        while self._fetched and left > 0:
            stream, fetched = self._fetched.popleft()
            if not self._is_current(stream, fetched.offset):
                continue
            try:
                events = fetched.take(min(left, POLL_EVENTS))
            except StreamRefused as error:
                self._pause(stream, error)
            else:
                left -= len(events)
                taken.append((stream, fetched, events))
        return taken

    def _pause_changed_topics(self) -> None:
        """Check the topics of all streams after the client received new metadata."""
        if not self._topics_changed:
            return
        self._topics_changed = False
        for name, stream in self._streams.items():
            if not self._any_partitions and len(self._cluster.partitions_for_topic(name) or ()) > 1:
                self._lose(stream)
        try:
            self._lose_changed(
                [
                    stream
                    for name, stream in self._streams.items()
                    if known_id(self._cluster.topic_id(name)) != stream.topic_id
                ]
            )
        except BaseException:
            self._topics_changed = True
            raise

    def _lose_changed(self, streams: Iterable[FollowedPartition]) -> None:
        """Lose those of these streams whose topic has another id than assigned, according to their leaders.

        Raises `SourceUnavailable`; then all that was fetched is fetched again.
        """
        by_leader: dict[int | None, list[FollowedPartition]] = {}
        for stream in streams:
            if stream.topic_id is not None and not stream.is_paused:
                by_leader.setdefault(self._leader(stream), []).append(stream)
        for leader, served in by_leader.items():
            try:
                found = self._admin.topic_ids([one.stream_name for one in served], leader) if self._admin else {}
            except BaseException:
                self._fetched.clear()
                raise
            for stream in served:
                if found.get(stream.stream_name) != stream.topic_id:
                    self._lose(stream)

    def _leader(self, stream: FollowedPartition) -> int | None:
        leader: int | None = self._cluster.leader_for_partition(TopicPartition(stream.stream_name, stream.partition))
        return leader

    def _lose(self, stream: FollowedPartition) -> None:
        self._pause(stream, OffsetLost(stream.stream_name, stream.offset))

    def _refuse(self, stream: FollowedPartition, reason: str) -> None:
        self._pause(stream, StreamRefused(stream.stream_name, reason))

    def _pause(self, stream: FollowedPartition, error: OffsetLost | StreamRefused) -> None:
        """Pause a stream, and let a poll raise the error."""
        if not stream.is_paused:
            stream.is_paused = True
            self._are_leaders_known = False
            self._errors.append(error)

    def _on_new_metadata(self, _cluster: Any) -> None:
        """Called in kafka-python's thread."""
        self._topics_changed = True
        self._are_leaders_known = False
        self._news.put(None)


def _are_few(reads: Sequence[Read]) -> bool:
    events = [read.events for read in reads]
    return 0 < sum(map(len, events)) <= FEW_EVENTS and sum(map(bytes_of, events)) <= FEW_BYTES
