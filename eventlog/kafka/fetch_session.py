"""What a broker is asked for in Kafka's Fetch requests."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from uuid import UUID

from kafka import TopicPartition
from kafka.errors import NoError
from kafka.protocol.consumer import FetchRequest

FETCH_WITH_SESSIONS: Final = 7
FETCH_BY_NAME: Final = 12
FETCH_BY_ID: Final = 13
"""The first versions of the Fetch request with sessions (KIP-227) and topic ids, and the last with names."""

FETCH_BYTES: Final = 16 << 20
"""Of one stream; a broker needs tens of milliseconds for them, so a stream that catches up should not wait for each."""

ANSWER_BYTES: Final = 50 << 20
_TOPIC: Final = FetchRequest.FetchTopic
_FORGOTTEN: Final = FetchRequest.ForgottenTopic


@dataclass(eq=False, slots=True)
class FollowedPartition:
    """Where a stream is read on. Assigning it to another place makes another object, which no old answer is for."""

    stream_name: str
    topic_id: str | None
    partition: int
    offset: int
    epoch: int = -1
    """The leader epoch of the last event read, with which brokers find out that the log was truncated (KIP-320)."""

    is_paused: bool = False

    def is_at(self, other: "FollowedPartition") -> bool:
        """Whether it is read on where the other starts."""
        is_same = (self.topic_id, self.partition, self.offset) == (other.topic_id, other.partition, other.offset)
        return is_same and not self.is_paused

    def encoded(self, kind: Any, partition: Any) -> Any:
        """A topic of a request, which has a name in older versions and an id in newer ones."""
        topic_id = {} if self.topic_id is None else {"topic_id": UUID(self.topic_id)}
        return kind(topic=self.stream_name, partitions=[partition], **topic_id)


class _Place(NamedTuple):
    """Where a broker was asked to read on, and the epoch that its leader has according to the metadata."""

    followed: FollowedPartition
    offset: int
    epoch: int
    leader_epoch: int

    def encoded(self) -> Any:
        partition = _TOPIC.FetchPartition(
            partition=self.followed.partition,
            current_leader_epoch=self.leader_epoch,
            fetch_offset=self.offset,
            last_fetched_epoch=self.epoch,
            partition_max_bytes=FETCH_BYTES,
        )
        return self.followed.encoded(_TOPIC, partition)


@dataclass(eq=False, slots=True)
class FetchSession:
    """What a broker was asked for. It remembers that (KIP-227), so that a request contains only what changed."""

    session_id: int = 0
    session_epoch: int = 0
    asked: dict[str, _Place] = field(default_factory=dict)
    """By stream."""

    led: dict[str, FollowedPartition] = field(default_factory=dict)
    """What the broker leads, by stream."""

    compares_all: bool = True
    """Whether streams may have come, gone or moved otherwise than by being read."""

    has_to_answer: bool = False
    answered_at: float = 0.0
    ready_at: float = 0.0
    """When a request may be sent, on the monotonic clock."""

    def restart(self) -> None:
        """Ask for everything in the next request."""
        self.session_epoch = 0
        self.asked = {}
        self.compares_all = True

    def request(self, cluster: Any, moved: Collection[str], **options: Any) -> Any:
        """A request with what changed since the last one. ``moved`` are streams that were read since."""
        gone = [self.asked.pop(name).followed for name in self.asked.keys() - self.led.keys()]
        topics = []
        for name in self.led if self.compares_all else moved:
            place = self._place(cluster, self.led[name])
            if self.asked.get(name) != place:
                self.asked[name] = place
                topics.append(place.encoded())
        self.compares_all = False
        by_id = all(followed.topic_id is not None for followed in self.led.values())
        return FetchRequest(
            min_bytes=1,
            max_bytes=ANSWER_BYTES,
            session_id=self.session_id,
            session_epoch=self.session_epoch,
            topics=topics,
            forgotten_topics_data=[followed.encoded(_FORGOTTEN, followed.partition) for followed in gone],
            min_version=FETCH_WITH_SESSIONS,
            max_version=FETCH_BY_ID if by_id else FETCH_BY_NAME,
            **options,
        )

    def is_continued_by(self, response: Any) -> bool:
        """Whether the broker answered what it was asked; if not, the session is restarted."""
        if response.error_code != NoError.errno:
            self.restart()
            return False
        self.session_id, self.session_epoch = response.session_id, self.session_epoch + 1
        if not response.session_id:  # the broker has too many sessions
            self.restart()
        return True

    def _place(self, cluster: Any, followed: FollowedPartition) -> _Place:
        epoch = cluster.leader_epoch_for_partition(TopicPartition(followed.stream_name, followed.partition))
        return _Place(followed, followed.offset, followed.epoch, -1 if epoch is None else epoch)
