"""Fetch requests that examine only the streams that moved, in place of kafka-python's."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from kafka import TopicPartition
from kafka.consumer.fetcher import FetchRequestData

IDLE_WAITS: Final = 4
"""How many times as long a broker waits for events if this request and the one before contain no stream that moved."""

Requests = dict[int, tuple[Any, Any]]
"""By broker: a request, and the offset at which it reads each partition."""


class FetchRequests:
    """The requests of one fetcher of kafka-python.

    Brokers remember what they were asked for (KIP-227), so a request contains only what changed. kafka-python finds
    that out by comparing all streams, which takes milliseconds for hundreds of them, on every event of one. Here
    requests contain the streams that moved, until anything else changes; then kafka-python makes the next ones.
    """

    def __init__(self, fetcher: Any) -> None:
        self._fetcher = fetcher
        self._make_by_kafka = fetcher._create_fetch_requests  # noqa: SLF001
        self._cluster = fetcher._manager.cluster  # noqa: SLF001
        self._wait_ms: int = fetcher.config["fetch_max_wait_ms"]
        self._moved: set[TopicPartition] = set()
        self._changes = 0
        self._leaders: set[int | None] = set()
        self._newest: dict[int, tuple[int, Any]] = {}  # by broker: the changes when kafka-python made its request

    def mark_moved(self, partition: TopicPartition) -> None:
        """Fetch a partition at its position, if it is a new one."""
        self._moved.add(partition)

    def mark_changed(self) -> None:
        """Compare all partitions: some were assigned, paused or set to a position, or their leaders may differ."""
        self._changes += 1

    @property
    def are_all_pending(self) -> bool:
        """Whether no request can be made, because each broker has one to answer."""
        return bool(self._leaders) and not self._idle_leaders()

    def make(self) -> Requests:
        idle = self._idle_leaders()
        if not self._leaders or any(self._has_changed(leader) for leader in idle):
            return self._make_completely()
        return {leader: self._make(leader) for leader in idle if leader is not None and not self._is_delayed(leader)}

    def _idle_leaders(self) -> set[int | None]:
        pending: set[int | None] = self._fetcher._nodes_with_pending_fetch_requests  # noqa: SLF001
        return self._leaders - pending

    def _has_changed(self, leader: int | None) -> bool:
        if leader not in self._newest or self._newest[leader][0] != self._changes:
            return True
        session = self._sessions.get(leader)
        return session is None or bool(session.next_metadata.is_full)

    def _make_completely(self) -> Requests:
        """Let kafka-python make the requests. If they lack a stream for a moment, it makes the next ones, too."""
        changes = self._changes
        wanted = self._partitions_by_leader()
        self._leaders = set(wanted)
        requests: Requests = self._make_by_kafka()
        for leader, (request, offsets) in requests.items():
            self._moved -= wanted[leader]
            self._newest.pop(leader, None)
            if wanted[leader] <= offsets.keys():
                self._newest[leader] = changes, request
        return requests

    def _partitions_by_leader(self) -> dict[int | None, set[TopicPartition]]:
        streams = self._fetcher._subscriptions  # noqa: SLF001
        partitions: dict[int | None, set[TopicPartition]] = defaultdict(set)
        for partition in streams.assigned_partitions() - streams.paused_partitions():
            partitions[self._cluster.leader_for_partition(partition)].add(partition)
        return partitions

    def _make(self, leader: int) -> tuple[Any, Any]:
        """The last request, which was answered, as the next one of its session."""
        session, (_, request) = self._sessions[leader], self._newest[leader]
        data = FetchRequestData(self._moved_on(session.session_partitions), None, session.next_metadata)
        is_idle = not request.topics and not data.to_send
        request.max_wait_ms = self._wait_ms * IDLE_WAITS if is_idle else self._wait_ms
        request.session_id, request.session_epoch = data.id, data.epoch
        request.topics, request.forgotten_topics_data = data.to_send, data.to_forget
        return request, _Offsets(session.session_partitions)

    def _moved_on(self, asked: Mapping[TopicPartition, Any]) -> dict[TopicPartition, Any]:
        """The partitions with another position than the broker was asked for: an answer can be without records."""
        moved = {}
        for partition in self._moved & asked.keys():
            wanted, position = asked[partition], self._fetcher._subscriptions.position(partition)  # noqa: SLF001
            if (wanted.fetch_offset, wanted.last_fetched_epoch) != (position.offset, position.leader_epoch):
                wanted.fetch_offset, wanted.last_fetched_epoch = position.offset, position.leader_epoch
                moved[partition] = wanted
        self._moved -= asked.keys()
        return moved

    @property
    def _sessions(self) -> Mapping[int | None, Any]:
        sessions: Mapping[int | None, Any] = self._fetcher._session_handlers  # noqa: SLF001
        return sessions

    def _is_delayed(self, leader: int) -> bool:
        """Whether requests to a broker have to wait: it was not reached, or it slows this client down."""
        fetcher = self._fetcher
        delays = fetcher._manager.connection_delay(leader), fetcher._client.throttle_delay(leader)  # noqa: SLF001
        return any(delay > 0 for delay in delays)


class _Offsets:
    def __init__(self, asked: Mapping[TopicPartition, Any]) -> None:
        self._asked = asked

    def __getitem__(self, partition: TopicPartition) -> int:
        offset: int = self._asked[partition].fetch_offset
        return offset
