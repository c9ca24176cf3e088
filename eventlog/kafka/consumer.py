"""A consumer whose records are events: streams assigned by hand, no group, and nothing read that was not meant."""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final
from uuid import UUID

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import LogTruncationError, OffsetOutOfRangeError, TopicAuthorizationFailedError

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import PARTITION, KafkaAdmin, known_id
from eventlog.kafka.client import TIMES, connect, translate_errors
from eventlog.kafka.fetch_response import FetchedEvents
from eventlog.kafka.options import KafkaOptions
from eventlog.source import OffsetLost, Read, StreamRefused

FETCH_BYTES: Final = 8 << 20
POLL_EVENTS: Final = 10_000
FETCH_WAIT_SECONDS: Final = 0.5
"""A broker answers at once when something comes; this is how often it says that nothing did."""

RETRY_WAIT_SECONDS: Final = TIMES["retry_backoff_ms"] / 1000

FETCH_BY_ID: Final = 13
"""The first version of Kafka's Fetch that asks for topics by id."""

TICK_SECONDS: Final = 0.5
"""How long to wait for news before looking whether a broker that was away can be asked again."""

_Fetched = Mapping[TopicPartition, Sequence[RecordedEvent]]

_SETTINGS: Final[Mapping[str, Any]] = {
    "group_id": None,
    "enable_auto_commit": False,
    "auto_offset_reset": "none",
    "isolation_level": "read_committed",  # what is not committed is not there, and the end is before it
    "max_partition_fetch_bytes": FETCH_BYTES,
    "metrics_enabled": False,
    "metadata_max_age_ms": 5000,  # so long it takes to notice a topic that was made again and is as long as the old one
}


class EventConsumer:
    """Reads streams from offsets on, each as long as it is the topic that was meant.

    kafka-python asks brokers for topics by name, and reads on in another topic of the same name. So brokers are asked
    by id here. Those older than Kafka 3.1 can't be: ids then are compared after each answer and before its events are
    handed out, with what the broker that gave it knows. Not safe for threads but for `wake`.
    """

    def __init__(
        self,
        options: KafkaOptions,
        admin: KafkaAdmin,
        *,
        fetch_wait: float = FETCH_WAIT_SECONDS,
        retry_wait: float = RETRY_WAIT_SECONDS,
    ) -> None:
        """Connect; ``admin`` stays the caller's. Raises `SourceUnavailable`.

        ``fetch_wait``: how long a broker keeps a fetch at the end of all streams, and all else behind it.
        ``retry_wait``: between two questions of the same kind, so also before the first one about another stream.
        """
        self._options = options
        self._admin = admin  # a connection of its own: brokers let a question wait until a fetch before it is answered
        self._news: SimpleQueue[None] = SimpleQueue()  # unlike an Event it may be told by a signal handler
        self._woken = self._topics_changed = False
        self._positions: dict[str, int] = {}
        self._topic_ids: dict[str, str | None] = {}
        self._names_by_id: dict[str | None, str] = {}
        self._fetched_by_name: set[str] = set()
        self._moved: set[str] = set()
        self._held: set[str] = set()
        self._untold: deque[OffsetLost | StreamRefused] = deque()
        waits = {"fetch_max_wait_ms": int(fetch_wait * 1000), "retry_backoff_ms": int(retry_wait * 1000)}
        connected = connect(KafkaConsumer, options, **_SETTINGS, **waits)
        self._cluster: Any = connected.cluster
        self._consumer: Any = connected.client
        self._cluster.add_listener(self._tell_of_topics)
        self._fetcher: Any = self._consumer._fetcher  # noqa: SLF001
        self._listen_to_answers(self._fetcher)
        self._ask_for_all_at_once(self._fetcher)

    def can_assign(self, topic_ids: Mapping[str, str | None]) -> bool:
        """Whether it never read another topic of one of these names.

        kafka-python can't throw away what it has fetched, or what is on its way: another consumer is needed then.
        """
        return not any(
            name in self._held or self._topic_ids.get(name, topic_id) != topic_id
            for name, topic_id in topic_ids.items()
        )

    def assign(self, positions: Mapping[str, int], topic_ids: Mapping[str, str | None]) -> None:
        """Read these streams from these offsets on; one that is read already goes on with what is fetched of it.

        ``topic_ids`` are those of the topics that are meant, None where the cluster has no ids; see `can_assign`.
        """
        self._consumer.assign([_partition(name) for name in positions])
        self._cluster._topics = set(positions)  # noqa: SLF001 (else it asks for ever for those that are given up)
        for name, offset in positions.items():
            if self._positions.get(name) != offset:
                self._consumer.seek(_partition(name), offset)
        self._positions = dict(positions)
        self._topic_ids |= topic_ids
        self._names_by_id |= {topic_id: name for name, topic_id in topic_ids.items()}
        self._untold.clear()
        self._topics_changed = True

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`. A stream that an error is raised for rests until it is assigned again.

        Raises:
            StreamRefused: what a stream holds cannot be read, or not by us.
        """
        deadline = time.monotonic() + timeout
        while True:
            self._hold_changed_topics()
            reads = self._fetch()
            if self._untold and not reads:
                raise self._untold.popleft()
            left = deadline - time.monotonic()
            if reads:
                return reads
            if self._woken or left <= 0:
                self._woken = False
                return []
            self._wait_for_news(min(left, TICK_SECONDS))

    def wake(self) -> None:
        """See `EventSource.wake`. A poll that is yet to come returns at once instead."""
        self._woken = True
        self._news.put(None)

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()

    def _fetch(self) -> list[Read]:
        """What has come, of topics that are the ones meant."""
        self._moved.clear()
        try:
            fetched = self._poll_in_turn()
            reads = self._reads(fetched)
            names = {read.stream_name for read in reads}
            same = names - self._fetched_by_name | self._those_meant(names & self._fetched_by_name)
        except BaseException:
            self._go_back()
            raise
        for read in reads:
            if read.stream_name in same:
                self._positions[read.stream_name] = read.next_offset
            else:
                self._lose(read.stream_name)
        return [read for read in reads if read.stream_name in same]

    def _poll_in_turn(self) -> _Fetched:
        """kafka-python drains a stream's whole answer before it comes to others: let those in between."""
        with translate_errors(self._options):
            fetched = self._poll_client()
            if sum(map(len, fetched.values())) < POLL_EVENTS:
                return fetched
            self._consumer.pause(*fetched)
            try:
                return {**fetched, **self._poll_client()}
            finally:
                self._consumer.resume(*fetched)

    def _poll_client(self) -> _Fetched:
        """kafka-python hands out what came before an error first, and drops the error once it was raised."""
        if not self._fetcher._next_partition_records:  # noqa: SLF001
            self._fetcher._next_partition_records = None  # noqa: SLF001 (else it forgets those that were paused)
        try:
            fetched: _Fetched = self._consumer.poll(timeout_ms=0, max_records=POLL_EVENTS)
        except LogTruncationError as error:
            self._lose(*(partition.topic for partition in error.divergent_offsets))
        except OffsetOutOfRangeError as error:
            self._lose(*(partition.topic for partition in error.args[0]))
        except TopicAuthorizationFailedError as error:
            for name in error.args[0]:
                self._hold(StreamRefused(name, "its cluster does not let us read it: give our user the rights"))
        except StreamRefused as error:
            self._hold(error)
        else:
            return fetched
        return {}

    def _reads(self, fetched: _Fetched) -> list[Read]:
        reads = []
        for name in self._moved & self._positions.keys():
            events = fetched.get(_partition(name), ())
            position = self._fetch_position(_partition(name)).offset
            if events or position != self._positions[name]:
                reads.append(Read(name, events, position))
        return reads

    def _fetch_position(self, partition: TopicPartition) -> Any:
        """Where the client reads on, offset and leader epoch: its own ``position`` asks brokers."""
        return self._consumer._subscription.position(partition)  # noqa: SLF001

    def _go_back(self) -> None:
        """Let what was fetched and not handed out be fetched again."""
        for name in self._moved & self._positions.keys():
            self._consumer.seek(_partition(name), self._positions[name])

    def _hold_changed_topics(self) -> None:
        """Look at all streams when the client has learned something of topics; it learns soon that one is gone."""
        if not self._topics_changed:
            return
        self._topics_changed = False
        odd = {name for name in self._positions if name not in self._held and self._looks_odd(name)}
        try:
            self._lose(*(odd - self._those_meant(odd)))
        except BaseException:
            self._topics_changed = True
            raise

    def _looks_odd(self, name: str) -> bool:
        return known_id(self._cluster.topic_id(name)) != self._topic_ids[name]

    def _those_meant(self, names: set[str]) -> set[str]:
        """Those whose topic has the id still, as the brokers that serve them say."""
        by_leader: dict[int | None, list[str]] = {}
        for name in names:
            by_leader.setdefault(self._cluster.leader_for_partition(_partition(name)), []).append(name)
        return {name for leader, served in by_leader.items() for name in self._same_id(leader, served)}

    def _same_id(self, leader: int | None, names: Sequence[str]) -> list[str]:
        found = self._admin.topic_ids(names, leader)
        return [name for name in names if name in found and found[name] == self._topic_ids[name]]

    def _lose(self, *names: str) -> None:
        for name in names:
            self._hold(OffsetLost(name, self._positions.get(name, 0)))

    def _hold(self, error: OffsetLost | StreamRefused) -> None:
        """Leave a stream at rest, and its error to be raised."""
        if error.stream_name in self._positions and error.stream_name not in self._held:
            self._consumer.pause(_partition(error.stream_name))
            self._held.add(error.stream_name)
            self._untold.append(error)

    def _wait_for_news(self, timeout: float) -> None:
        try:
            self._news.get(timeout=timeout)
            while True:
                self._news.get_nowait()
        except Empty:
            pass

    def _tell_of_topics(self, _cluster: Any) -> None:
        self._topics_changed = True
        self._news.put(None)

    def _listen_to_answers(self, fetcher: Any) -> None:
        take_answer = fetcher._handle_fetch_response  # noqa: SLF001

        def tell(node_id: Any, offsets: Any, sent_at: Any, answer: Any) -> None:
            self._name_topics(answer)
            take_answer(node_id, offsets, sent_at, answer)
            self._news.put(None)

        fetcher._handle_fetch_response = tell  # noqa: SLF001
        fetcher.PartitionRecords = partial(FetchedEvents, self._moved.add, self._leader_epoch)

    def _ask_for_all_at_once(self, fetcher: Any) -> None:
        """Send no fetch while events of one wait to be handed out.

        kafka-python leaves their streams out of it. A broker keeps a fetch of streams that are quiet for half a second,
        and only then would the others be asked for.
        """
        make_requests = fetcher._create_fetch_requests  # noqa: SLF001

        def unless_some_wait() -> Any:
            requests = {} if self._some_wait(fetcher) else make_requests()
            for request, _ in requests.values():
                self._ask_by_id(request)
            return requests

        fetcher._create_fetch_requests = unless_some_wait  # noqa: SLF001

    def _ask_by_id(self, request: Any) -> None:
        """Let a fetch say which topics are meant, which kafka-python knows how to write and never does."""
        topics = [*request.topics, *request.forgotten_topics_data]
        ids = [self._topic_ids[topic.topic] for topic in topics]
        if None in ids:
            return
        for topic, topic_id in zip(topics, ids, strict=True):
            topic.topic_id = UUID(topic_id)
        request._max_version = FETCH_BY_ID  # noqa: SLF001 (older brokers get an older version, by name)

    def _name_topics(self, answer: Any) -> None:
        """Give an answer the names of its topics, or remember them as topics that may be others."""
        if answer.API_VERSION < FETCH_BY_ID:
            self._fetched_by_name |= {topic.topic for topic in answer.responses}
            return
        for topic in answer.responses:
            topic.topic = self._names_by_id[str(topic.topic_id)]

    def _some_wait(self, fetcher: Any) -> bool:
        if fetcher._completed_fetches or fetcher._next_partition_records:  # noqa: SLF001
            return True
        parked = fetcher._paused_completed_fetches.keys() | fetcher._paused_partition_records.keys()  # noqa: SLF001
        return any(partition.topic not in self._held for partition in parked)

    def _leader_epoch(self, partition: TopicPartition) -> int:
        return int(self._fetch_position(partition).leader_epoch)


def _partition(name: str) -> TopicPartition:
    return TopicPartition(name, PARTITION)
