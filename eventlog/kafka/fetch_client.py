"""kafka-python's consumer, which sends topic ids, fetches all streams at once and examines only those that moved."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError, OffsetOutOfRangeError, TopicAuthorizationFailedError

from eventlog.events import RecordedEvent, bytes_of
from eventlog.kafka.admin import PARTITION, KafkaAdmin, known_id
from eventlog.kafka.client import connect
from eventlog.kafka.fetch_requests import FetchRequests, Requests
from eventlog.kafka.fetch_response import FetchedEvents
from eventlog.kafka.options import KafkaOptions
from eventlog.source import StreamRefused

FETCH_BY_ID: Final = 13
"""The first version of Kafka's Fetch request with topic ids."""


class TopicIds:
    """The ids of the topics that streams were assigned with; None if the cluster has no ids.

    kafka-python fetches topics by name. `set_ids` and `set_names` let it send ids instead, to brokers that support
    them (Kafka 3.1 and newer). Streams from older brokers are `fetched_by_name`, and `unchanged` compares their ids.
    """

    def __init__(self, cluster: Any, admin: KafkaAdmin) -> None:
        """``cluster`` is the consumer's metadata; ``admin`` is closed by the caller."""
        self._cluster = cluster
        self._admin = admin
        self._ids: dict[str, str | None] = {}
        self._names_by_id: dict[str | None, str] = {}
        self._fetched_by_name: set[str] = set()

    def add(self, topic_ids: Mapping[str, str | None]) -> None:
        self._ids |= topic_ids
        self._names_by_id |= {topic_id: name for name, topic_id in topic_ids.items()}

    def has_other_id(self, name: str, topic_id: str | None) -> bool:
        return self._ids.get(name, topic_id) != topic_id

    def fetched_by_name(self, names: set[str]) -> set[str]:
        """Return the streams whose answers do not prove from which topic their events are."""
        return names & self._fetched_by_name

    def may_have_changed(self, name: str) -> bool:
        """Return whether the client's metadata has another id of the stream's topic."""
        return known_id(self._cluster.topic_id(name)) != self._ids[name]

    def unchanged(self, names: set[str]) -> set[str]:
        """Return the streams whose topic still has the same id, according to their leaders."""
        by_leader: dict[int | None, list[str]] = {}
        for name in names:
            leader = self._cluster.leader_for_partition(TopicPartition(name, PARTITION))
            by_leader.setdefault(leader, []).append(name)
        return {name for leader, served in by_leader.items() for name in self._same_id(leader, served)}

    def set_ids(self, request: Any) -> None:
        """Set the topic ids of a fetch, which kafka-python can encode but never sets."""
        topics = [*request.topics, *request.forgotten_topics_data]
        ids = [self._ids[topic.topic] for topic in topics]
        if None in ids:
            return
        for topic, topic_id in zip(topics, ids, strict=True):
            topic.topic_id = UUID(topic_id)
        request._max_version = FETCH_BY_ID  # noqa: SLF001 (older brokers get an older version with names)

    def set_names(self, answer: Any) -> None:
        """Set the topic names of an answer with ids; remember the topics of an answer with names."""
        if answer.API_VERSION < FETCH_BY_ID:
            self._fetched_by_name |= {topic.topic for topic in answer.responses}
            return
        for topic in answer.responses:
            topic.topic = self._names_by_id[str(topic.topic_id)]

    def _same_id(self, leader: int | None, names: Sequence[str]) -> list[str]:
        found = self._admin.topic_ids(names, leader)
        return [name for name in names if name in found and found[name] == self._ids[name]]


FETCH_BYTES: Final = 16 << 20
"""Of one stream; a broker needs tens of milliseconds for them, so a stream that catches up should not wait for each."""
POLL_EVENTS: Final = 10_000
FEW_EVENTS: Final = 500
FEW_BYTES: Final = 64 << 10
"""The limits of a poll that returns few events; see `poll`."""
CHECK_SECONDS: Final = 2.0
"""How long to wait before checking whether logs were truncated; it is also checked when leaders change."""

Fetched = Mapping[str, Sequence[RecordedEvent]]
"""Events by stream."""

_SETTINGS: Final[Mapping[str, Any]] = {
    "group_id": None,
    "enable_auto_commit": False,
    "auto_offset_reset": "none",
    "isolation_level": "read_committed",  # the end is before the first open transaction
    "max_partition_fetch_bytes": FETCH_BYTES,
    "metrics_enabled": False,
    "metadata_max_age_ms": 5000,  # a re-created topic as long as the old one is noticed only by its new metadata
}


class FetchClient:
    """Fetches events of streams, by name, without a consumer group. ``moved`` are streams with another next offset.

    kafka-python's own methods are replaced where they send no topic ids, query brokers, or compare all streams. Not
    thread-safe.
    """

    def __init__(
        self,
        options: KafkaOptions,
        admin: KafkaAdmin,
        *,
        fetch_wait: float,
        retry_wait: float,
        on_answer: Callable[[], object],
        on_metadata: Callable[[], object],
    ) -> None:
        """Connect. For the times see `EventConsumer`. ``on_answer`` and ``on_metadata`` are called by any thread."""
        waits = {"fetch_max_wait_ms": int(fetch_wait * 1000), "retry_backoff_ms": int(retry_wait * 1000)}
        connected = connect(KafkaConsumer, options, **_SETTINGS, **waits)
        self._cluster: Any = connected.net.cluster
        # asks brokers over another connection: they answer requests in order, and a fetch waits
        self.topic_ids: Final = TopicIds(self._cluster, admin)
        self.moved: Final[set[str]] = set()
        self.paused: Final[set[str]] = set()
        self._on_answer: Final = on_answer
        self._on_metadata: Final = on_metadata
        self._consumer: Any = connected.client
        self._cluster.add_listener(self._on_new_metadata)
        self._fetcher: Any = self._consumer._fetcher  # noqa: SLF001
        self._requests = FetchRequests(self._fetcher)
        self._checks_due_at = 0.0
        self._hook_answers(self._fetcher, options.max_batch_bytes)
        self._fetch_all_at_once(self._fetcher)
        _name_refused_streams(self._fetcher)

    def assign(self, names: Collection[str]) -> None:
        """Fetch these streams; events already fetched are kept."""
        self._consumer.assign([_partition(name) for name in names])
        self._cluster._topics = set(names)  # noqa: SLF001 (else it keeps requesting the metadata of former ones)

    def seek(self, name: str, offset: int) -> None:
        """Fetch a stream from an offset on. Afterwards call `examine_all`."""
        self._consumer.seek(_partition(name), offset)

    def examine_all(self) -> None:
        """Compare all streams at the next poll, and check whether their logs were truncated."""
        self._requests.mark_changed()
        self._checks_due_at = 0.0

    def pause(self, name: str) -> None:
        self._consumer.pause(_partition(name))
        self._requests.mark_changed()
        self.paused.add(name)

    def position(self, name: str) -> int:
        return int(self._fetch_position(_partition(name)).offset)

    def poll(self) -> Fetched:
        """What was fetched, up to `POLL_EVENTS` events.

        Unless it returns few events, it sends the next fetch. A caller polls again before the server stores few events:
        a fetch that is sent earlier is answered at once, and what is appended after that waits for another one.

        kafka-python returns what was fetched before an error first, and raises an error only once. `StreamRefused`: a
        broker cannot read a stream, or its events cannot be decoded.
        """
        if not self._fetcher._next_partition_records:  # noqa: SLF001
            self._fetcher._next_partition_records = None  # noqa: SLF001 (else paused streams are dropped)
        fetched = self._poll_with_checks() if time.monotonic() >= self._checks_due_at else self._poll_fetched()
        return {partition.topic: events for partition, events in fetched.items()}

    def poll_others(self, fetched: Fetched) -> Fetched:
        """Poll without the streams of a full poll: kafka-python returns a whole answer before those of others."""
        partitions = [_partition(name) for name in fetched]
        self._consumer.pause(*partitions)
        try:
            return self.poll()
        finally:
            self._consumer.resume(*partitions)
            self._requests.mark_changed()

    def close(self) -> None:
        self._consumer.close()

    def _poll_with_checks(self) -> Mapping[TopicPartition, Sequence[RecordedEvent]]:
        """kafka-python examines all streams in each poll: whether their leaders changed, or their logs."""
        self._checks_due_at = time.monotonic() + CHECK_SECONDS
        fetched: Mapping[TopicPartition, Sequence[RecordedEvent]]
        fetched = self._consumer.poll(timeout_ms=0, max_records=POLL_EVENTS)
        return fetched

    def _poll_fetched(self) -> Mapping[TopicPartition, Sequence[RecordedEvent]]:
        """What kafka-python's ``poll`` does besides these checks."""
        fetched: Mapping[TopicPartition, Sequence[RecordedEvent]]
        fetched, has_more = self._fetcher.fetched_records(POLL_EVENTS)
        if not has_more and not _are_few(fetched.values()) and not self._requests.are_all_pending:
            self._fetcher.send_fetches()
        return fetched

    def _on_new_metadata(self, _cluster: Any) -> None:
        self.examine_all()
        self._on_metadata()

    def _hook_answers(self, fetcher: Any, most_bytes: int) -> None:
        handle_answer = fetcher._handle_fetch_response  # noqa: SLF001

        def handle_and_wake(node_id: Any, offsets: Any, sent_at: Any, answer: Any) -> None:
            self.topic_ids.set_names(answer)
            handle_answer(node_id, offsets, sent_at, answer)
            fetcher._clear_pending_fetch_request(node_id, None)  # noqa: SLF001 (else a poll may find it, and wait)
            self._on_answer()

        fetcher._handle_fetch_response = handle_and_wake  # noqa: SLF001
        fetcher.PartitionRecords = partial(FetchedEvents, self._mark_moved, self._leader_epoch, most_bytes)

    def _fetch_all_at_once(self, fetcher: Any) -> None:
        """Send no fetch while events of the last one are not returned yet.

        kafka-python would leave their streams out of it, and the broker would wait half a second for the others.
        """

        def make_requests_if_drained() -> Requests:
            requests = {} if self._has_undelivered(fetcher) else self._requests.make()
            for request, _ in requests.values():
                self.topic_ids.set_ids(request)
            return requests

        fetcher._create_fetch_requests = make_requests_if_drained  # noqa: SLF001

    def _has_undelivered(self, fetcher: Any) -> bool:
        if fetcher._completed_fetches or fetcher._next_partition_records:  # noqa: SLF001
            return True
        parked = fetcher._paused_completed_fetches.keys() | fetcher._paused_partition_records.keys()  # noqa: SLF001
        return any(partition.topic not in self.paused for partition in parked)

    def _mark_moved(self, name: str) -> None:
        self.moved.add(name)
        self._requests.mark_moved(_partition(name))

    def _leader_epoch(self, partition: TopicPartition) -> int:
        return int(self._fetch_position(partition).leader_epoch)

    def _fetch_position(self, partition: TopicPartition) -> Any:
        """The next offset and its leader epoch; kafka-python's own method ``position`` queries brokers."""
        return self._consumer._subscription.position(partition)  # noqa: SLF001


def _name_refused_streams(fetcher: Any) -> None:
    """Let errors with which a broker answers for one stream name it; kafka-python's do not, apart from these two."""
    parse = fetcher._parse_fetched_data  # noqa: SLF001

    def parse_or_refuse(fetched: Any) -> Any:
        try:
            return parse(fetched)
        except (OffsetOutOfRangeError, TopicAuthorizationFailedError):
            raise
        except KafkaError as error:
            reason = type(error).__name__.removesuffix("Error")
            problem = f"its broker cannot read it ({reason}). Look for the reason in the broker's log"
            raise StreamRefused(fetched.topic_partition.topic, problem) from error

    fetcher._parse_fetched_data = parse_or_refuse  # noqa: SLF001


def _are_few(fetched: Collection[Sequence[RecordedEvent]]) -> bool:
    return 0 < sum(map(len, fetched)) <= FEW_EVENTS and sum(map(bytes_of, fetched)) <= FEW_BYTES


def _partition(name: str) -> TopicPartition:
    return TopicPartition(name, PARTITION)
