"""A consumer of events: streams are assigned without a consumer group, and identified by topic id."""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import LogTruncationError, OffsetOutOfRangeError, TopicAuthorizationFailedError

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.client import TIMES, connect, translate_errors
from eventlog.kafka.fetch_requests import FetchRequests, Requests
from eventlog.kafka.fetch_response import FetchedEvents
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.topic import PARTITION
from eventlog.kafka.topic_ids import TopicIds
from eventlog.source import OffsetLost, Read, StreamRefused

FETCH_BYTES: Final = 8 << 20
POLL_EVENTS: Final = 10_000
FETCH_WAIT_SECONDS: Final = 0.5
"""How long a broker waits for new events before it returns an empty answer."""

RETRY_WAIT_SECONDS: Final = TIMES["retry_backoff_ms"] / 1000

TICK_SECONDS: Final = 0.5
"""How long to wait before checking whether a broker can be reached again."""

CHECK_SECONDS: Final = 2.0
"""How long to wait before checking whether logs were truncated; it is also checked when leaders change."""

_Fetched = Mapping[TopicPartition, Sequence[RecordedEvent]]

_SETTINGS: Final[Mapping[str, Any]] = {
    "group_id": None,
    "enable_auto_commit": False,
    "auto_offset_reset": "none",
    "isolation_level": "read_committed",  # the end is before the first open transaction
    "max_partition_fetch_bytes": FETCH_BYTES,
    "metrics_enabled": False,
    "metadata_max_age_ms": 5000,  # a re-created topic as long as the old one is noticed only by its new metadata
}


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
        self._moved: set[str] = set()
        self._paused: set[str] = set()
        self._errors: deque[OffsetLost | StreamRefused] = deque()
        waits = {"fetch_max_wait_ms": int(fetch_wait * 1000), "retry_backoff_ms": int(retry_wait * 1000)}
        connected = connect(KafkaConsumer, options, **_SETTINGS, **waits)
        self._cluster: Any = connected.cluster
        # asks brokers over another connection: they answer requests in order, and a fetch waits
        self._topic_ids = TopicIds(self._cluster, admin)
        self._consumer: Any = connected.client
        self._cluster.add_listener(self._on_new_metadata)
        self._fetcher: Any = self._consumer._fetcher  # noqa: SLF001
        self._requests = FetchRequests(self._fetcher)
        self._checks_due_at = 0.0
        self._hook_answers(self._fetcher)
        self._fetch_all_at_once(self._fetcher)

    def can_assign(self, topic_ids: Mapping[str, str | None]) -> bool:
        """Whether this consumer can go on: no stream is paused, and none was read from another topic of its name.

        kafka-python cannot discard what it has fetched, so a re-created topic needs another consumer.
        """
        return not any(
            name in self._paused or self._topic_ids.has_other_id(name, topic_id) for name, topic_id in topic_ids.items()
        )

    def assign(self, positions: Mapping[str, int], topic_ids: Mapping[str, str | None]) -> None:
        """Read these streams from these offsets on; events already fetched are kept.

        ``topic_ids`` are the ids of their topics, None if the cluster has no ids; see `can_assign`.
        """
        self._consumer.assign([_partition(name) for name in positions])
        self._cluster._topics = set(positions)  # noqa: SLF001 (else it keeps requesting the metadata of former ones)
        for name, offset in positions.items():
            if self._positions.get(name) != offset:
                self._consumer.seek(_partition(name), offset)
        self._positions = dict(positions)
        self._topic_ids.add(topic_ids)
        self._errors.clear()
        self._topics_changed = True
        self._examine_all()

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`. After an error for a stream it is paused until it is assigned again.

        Raises:
            StreamRefused: events of a stream cannot be decoded, or access is denied.
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
        """Close the connections."""
        self._consumer.close()

    def _fetch(self) -> list[Read]:
        """What was fetched from topics whose id is still the same."""
        self._moved.clear()
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

    def _poll_fairly(self) -> _Fetched:
        """kafka-python returns a stream's whole answer before those of others: poll the others in between."""
        with translate_errors(self._options):
            fetched = self._poll_client()
            if sum(map(len, fetched.values())) < POLL_EVENTS:
                return fetched
            self._consumer.pause(*fetched)
            try:
                return {**fetched, **self._poll_client()}
            finally:
                self._consumer.resume(*fetched)
                self._requests.mark_changed()

    def _poll_client(self) -> _Fetched:
        """kafka-python returns what was fetched before an error first, and raises an error only once."""
        if not self._fetcher._next_partition_records:  # noqa: SLF001
            self._fetcher._next_partition_records = None  # noqa: SLF001 (else paused streams are dropped)
        try:
            fetched = self._poll_with_checks() if time.monotonic() >= self._checks_due_at else self._poll_fetched()
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
        else:
            return fetched
        return {}

    def _poll_with_checks(self) -> _Fetched:
        """kafka-python examines all streams in each poll: whether their leaders changed, or their logs."""
        self._checks_due_at = time.monotonic() + CHECK_SECONDS
        fetched: _Fetched = self._consumer.poll(timeout_ms=0, max_records=POLL_EVENTS)
        return fetched

    def _poll_fetched(self) -> _Fetched:
        """What kafka-python's ``poll`` does besides these checks."""
        fetched: _Fetched
        fetched, has_more = self._fetcher.fetched_records(POLL_EVENTS)
        if not has_more and not self._requests.are_all_pending:
            self._fetcher.send_fetches()
        return fetched

    def _reads(self, fetched: _Fetched) -> list[Read]:
        reads = []
        for name in self._moved & self._positions.keys():
            events = fetched.get(_partition(name), ())
            position = self._fetch_position(_partition(name)).offset
            if events or position != self._positions[name]:
                reads.append(Read(name, events, position))
        return reads

    def _fetch_position(self, partition: TopicPartition) -> Any:
        """The client's next offset and leader epoch; its own method ``position`` queries brokers."""
        return self._consumer._subscription.position(partition)  # noqa: SLF001

    def _go_back(self) -> None:
        """Fetch again what was fetched and not returned."""
        for name in self._moved & self._positions.keys():
            self._consumer.seek(_partition(name), self._positions[name])
        self._examine_all()

    def _pause_changed_topics(self) -> None:
        """Check the topics of all streams after the client received new metadata."""
        if not self._topics_changed:
            return
        self._topics_changed = False
        read = self._positions.keys() - self._paused
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
        if error.stream_name in self._positions and error.stream_name not in self._paused:
            self._consumer.pause(_partition(error.stream_name))
            self._requests.mark_changed()
            self._paused.add(error.stream_name)
            self._errors.append(error)

    def _wait_for_news(self, timeout: float) -> None:
        try:
            self._news.get(timeout=timeout)
            while True:
                self._news.get_nowait()
        except Empty:
            pass

    def _examine_all(self) -> None:
        self._requests.mark_changed()
        self._checks_due_at = 0.0

    def _on_new_metadata(self, _cluster: Any) -> None:
        self._topics_changed = True
        self._examine_all()
        self._news.put(None)

    def _hook_answers(self, fetcher: Any) -> None:
        handle_answer = fetcher._handle_fetch_response  # noqa: SLF001

        def handle_and_wake(node_id: Any, offsets: Any, sent_at: Any, answer: Any) -> None:
            self._topic_ids.set_names(answer)
            handle_answer(node_id, offsets, sent_at, answer)
            fetcher._clear_pending_fetch_request(node_id, None)  # noqa: SLF001 (else a poll may find it, and wait)
            self._news.put(None)

        fetcher._handle_fetch_response = handle_and_wake  # noqa: SLF001
        fetcher.PartitionRecords = partial(FetchedEvents, self._mark_moved, self._leader_epoch)

    def _fetch_all_at_once(self, fetcher: Any) -> None:
        """Send no fetch while events of the last one are not returned yet.

        kafka-python would leave their streams out of it, and the broker would wait half a second for the others.
        """

        def make_requests_if_drained() -> Requests:
            requests = {} if self._has_undelivered(fetcher) else self._requests.make()
            for request, _ in requests.values():
                self._topic_ids.set_ids(request)
            return requests

        fetcher._create_fetch_requests = make_requests_if_drained  # noqa: SLF001

    def _has_undelivered(self, fetcher: Any) -> bool:
        if fetcher._completed_fetches or fetcher._next_partition_records:  # noqa: SLF001
            return True
        parked = fetcher._paused_completed_fetches.keys() | fetcher._paused_partition_records.keys()  # noqa: SLF001
        return any(partition.topic not in self._paused for partition in parked)

    def _mark_moved(self, name: str) -> None:
        self._moved.add(name)
        self._requests.mark_moved(_partition(name))

    def _leader_epoch(self, partition: TopicPartition) -> int:
        return int(self._fetch_position(partition).leader_epoch)


def _partition(name: str) -> TopicPartition:
    return TopicPartition(name, PARTITION)
