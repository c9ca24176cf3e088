"""Describes and creates the topics of a Kafka cluster, and decides which of them can be used."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from kafka import IsolationLevel, OffsetSpec, TopicPartition
from kafka.admin import ConfigFilterType, ConfigResource, ConfigResourceType
from kafka.errors import (
    InvalidConfigurationError,
    InvalidReplicationFactorError,
    InvalidTopicError,
    KafkaError,
    LeaderNotAvailableError,
    NoError,
    PolicyViolationError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafka.protocol.metadata import MetadataRequest

from eventlog.errors import EventLogError
from eventlog.kafka.client import REACH_SECONDS, AdminClient, ask
from eventlog.kafka.patches import LeaderKeepingAdmin, NoLeader
from eventlog.log import StreamExists
from eventlog.source import StreamFacts, StreamMissing, StreamRefused
from eventlog.streams import BROKER_DEFAULT, CHECKPOINT_MESSAGE_BYTES, SEGMENT_BYTES, StreamIdentity, has_samza_name

PARTITION: Final = 0
"""The only partition that is read and written, because events have an order in one partition only."""

_NO_ID: Final = "00000000-0000-0000-0000-000000000000"


class Topic(NamedTuple):
    """A topic as the cluster describes it; settings that the user may not read are None, or empty.

    ``cleanup_policy`` is ``compact``, ``delete`` or both, ``delete_retention_ms`` how long a tombstone is retained, and
    ``max_message_bytes`` the maximum size of a batch of records.
    """

    name: str
    topic_id: str | None
    partitions: int
    cleanup_policy: frozenset[str] = frozenset()
    delete_retention_ms: int | None = None
    max_message_bytes: int | None = None


def check(topic: Topic, *, any_partitions: bool = False) -> str:
    """Warnings about a topic that can be followed; empty if there are none.

    With ``any_partitions`` a topic may have several partitions, of which only the first is followed. Raises
    `StreamRefused`: the topic cannot be followed.
    """
    return "; ".join(_warnings(topic, any_partitions))


def _warnings(topic: Topic, any_partitions: bool) -> Iterator[str]:
    name, count, policy = topic.name, topic.partitions, topic.cleanup_policy
    if count != 1 and not any_partitions:
        raise StreamRefused(name, f"it has {count} partitions. Create it with one: events have an order in one only")
    if count != 1:
        yield f"{name} has {count} partitions, of which only partition {PARTITION} is read and written"
    if not policy:
        yield (
            f"{name} may lose current records: no permission to read whether it is compacted, "
            "nor how long it retains tombstones. Grant the user the permission to describe its configs"
        )
    elif "compact" not in policy:
        raise StreamRefused(name, "its cleanup.policy is delete: Kafka will delete current records. Set it to compact")
    elif "delete" in policy:
        yield f"{name} has cleanup.policy compact,delete: records older than its retention time will be deleted"


def known_id(topic_id: Any) -> str | None:
    """A topic id as text; None if the cluster has no topic ids (before Kafka 2.8)."""
    text = str(topic_id)
    return None if topic_id is None or text == _NO_ID else text


_READ_SETTINGS: Final = ("cleanup.policy", "delete.retention.ms", "max.message.bytes")
_REFUSALS: Final = (
    InvalidConfigurationError,
    InvalidReplicationFactorError,
    InvalidTopicError,
    PolicyViolationError,
    TopicAlreadyExistsError,
)
_NO_LEADER: Final = -1
_MISSING: Final = (UnknownTopicOrPartitionError, InvalidTopicError)


class KafkaAdmin(AdminClient):
    """Describes and creates topics. Connects when first used. Not thread-safe; a context manager."""

    _make_client = LeaderKeepingAdmin
    _isolation_level = IsolationLevel.READ_COMMITTED

    @property
    def cluster_id(self) -> str:
        """The id of the cluster. Raises `SourceUnavailable`."""
        return str(ask(self._options, lambda: self._metadata([])).cluster_id)

    def stream_names(self) -> list[str]:
        """All of Samza's streams, sorted. Raises `SourceUnavailable`."""
        return [name for name in self.topic_names() if has_samza_name(name)]

    def topic_names(self) -> list[str]:
        """All topics, sorted. Raises `SourceUnavailable`."""
        return sorted(ask(self._options, self._client.list_topics))

    def topic(self, stream_name: str, *, leader_seconds: float = REACH_SECONDS) -> Topic:
        """The current state of a stream's topic. Raises `StreamMissing`, `StreamRefused` or `SourceUnavailable`."""
        found = self._topics([stream_name], leader_seconds)[stream_name]
        settings = self._topic_settings(stream_name)
        policy, *numbers = (settings.get(name) for name in _READ_SETTINGS)
        return Topic(
            stream_name,
            known_id(found.topic_id),
            len(found.partitions),
            frozenset((policy or "").split(",")) - {""},
            *(None if number is None else int(number) for number in numbers),
        )

    def describe(self, stream_name: str) -> StreamFacts:
        """See `EventSource.describe`; the end is after the last committed record. It does not wait for a leader."""
        topic = self.topic(stream_name, leader_seconds=0)
        warning = check(topic)
        bounds = self.bounds(stream_name)
        if self.topic_ids([stream_name]).get(stream_name) != topic.topic_id:
            return self.describe(stream_name)  # it was made again: these may be the bounds of the new topic
        return StreamFacts(stream_name, topic.topic_id, *bounds, topic.delete_retention_ms, warning)

    def bounds(self, stream_name: str) -> tuple[int, int]:
        """Start and end of a stream. Raises `StreamMissing` or `SourceUnavailable`."""
        found = self.all_bounds([stream_name])
        if stream_name not in found:
            raise StreamMissing(stream_name, self._options.place)
        return found[stream_name]

    def all_bounds(self, stream_names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Starts and ends of the streams that exist, in two requests. Raises `SourceUnavailable`."""
        starts, ends = self._offsets(stream_names, OffsetSpec.EARLIEST), self._offsets(stream_names, OffsetSpec.LATEST)
        return {name: (start, ends[name]) for name, start in starts.items() if name in ends}

    def end_offsets(self, stream_names: Iterable[str], *, leader_seconds: float = REACH_SECONDS) -> dict[str, int]:
        """See `EventSource.end_offsets`. ``leader_seconds``: how long to wait for leaders."""
        return self._offsets(stream_names, OffsetSpec.LATEST, leader_seconds)

    def topic_ids(self, stream_names: Iterable[str], node_id: int | None = None) -> dict[str, str | None]:
        """The topic ids of the streams that exist, according to one broker. Raises `SourceUnavailable`."""
        names = list(stream_names)
        answer = ask(self._options, lambda: self._metadata(names, node_id)).topics if names else []
        self._keep_leaders(answer)
        return {topic.name: known_id(topic.topic_id) for topic in answer if topic.error_code == NoError.errno}

    def create_stream(
        self,
        stream: StreamIdentity,
        *,
        replication_factor: int = BROKER_DEFAULT,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Create a stream's topic as Samza does: one partition, compacted. ``settings`` override the defaults.

        Raises `StreamExists`: nothing was changed; `EventLogError`: the cluster has too few brokers, or does not
        allow the name or a setting; `SourceUnavailable`: no broker answers.
        """
        configs = {"cleanup.policy": "compact", "segment.bytes": str(SEGMENT_BYTES)}
        if stream.stream_kind == "checkpoint":
            configs["max.message.bytes"] = str(CHECKPOINT_MESSAGE_BYTES)
        configs |= settings or {}
        self.create_topic(stream.stream_name, partitions=1, replication_factor=replication_factor, settings=configs)

    def create_topic(self, name: str, *, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> None:
        """Create a topic of any kind, such as a store's changelog. Raises as `create_stream`."""
        wanted = {"num_partitions": partitions, "replication_factor": replication_factor, "configs": dict(settings)}
        try:
            ask(self._options, lambda: self._create(name, wanted), answers=_REFUSALS)
        except TopicAlreadyExistsError:
            raise StreamExists(name, self._options.place) from None
        except _REFUSALS as error:
            raise EventLogError(
                f"{self._options.place} refused to create {name} with replication factor "
                f"{replication_factor} ({type(error).__name__}). "
                "Check the number of brokers, the cluster's policies and the name."
            ) from None

    def partition_count(self, name: str) -> int:
        """The number of partitions of a topic. Raises `StreamMissing`, `StreamRefused` or `SourceUnavailable`."""
        return len(self._topics([name])[name].partitions)

    def _metadata(self, names: Sequence[str], node_id: int | None = None) -> Any:
        topics = [MetadataRequest.MetadataRequestTopic(name=name) for name in names]
        request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        return self._send(request, None if node_id == _NO_LEADER else node_id)

    def _send(self, request: Any, node_id: int | None) -> Any:
        """The answer of one broker (None: any). The client's own requests go to any broker, and query more."""
        manager = self._connect().net.manager
        return manager.run(manager.send, request, node_id)

    def _keep_leaders(self, topics: Sequence[Any]) -> None:
        for topic in topics:
            for partition in topic.partitions:
                self._client.leaders[TopicPartition(topic.name, partition.partition_index)] = partition.leader_id

    def _create(self, name: str, wanted: Mapping[str, Any]) -> None:
        try:
            self._client.create_topics({name: wanted}, wait_for_metadata=True)
        except TopicAlreadyExistsError:
            with suppress(KafkaError):  # a topic that was just created may not be known to all brokers yet
                self._client.wait_for_topics([name], timeout_ms=int(REACH_SECONDS * 1000))
            raise

    def _topics(
        self, names: Sequence[str], leader_seconds: float = REACH_SECONDS, *, only_existing: bool = False
    ) -> dict[str, Any]:
        """The metadata of topics by name. Raises as `topic`; with ``only_existing`` missing ones are left out."""
        topics = ask(self._options, lambda: self._led(names), leader_seconds=leader_seconds) if names else []
        left_out = _MISSING if only_existing else ()
        there = [topic for topic in topics if for_code(topic.error_code) not in left_out]
        for topic in there:
            self._check(topic.name, for_code(topic.error_code))
        return {topic.name: topic for topic in there}

    def _check(self, name: str, error: type[KafkaError]) -> None:
        """Raise the error of a topic, if it has one."""
        if error is TopicAuthorizationFailedError:
            place = self._options.place
            raise StreamRefused(name, f"{place} denies access to it. Grant the user the right to describe and read it")
        if error in _MISSING:
            raise StreamMissing(name, self._options.place)

    def _led(self, names: Sequence[str]) -> Sequence[Any]:
        """The metadata of topics. Raises `NoLeader`, and errors that pass, such as while a topic is created."""
        topics: Sequence[Any] = self._metadata(names).topics
        for topic in topics:
            error = for_code(topic.error_code)
            if LeaderNotAvailableError.errno in (topic.error_code, *(one.error_code for one in topic.partitions)):
                raise NoLeader([topic.name])
            if error not in (NoError, TopicAuthorizationFailedError, *_MISSING):
                raise error(topic.name)
        self._keep_leaders(topics)
        return topics

    def _topic_settings(self, stream_name: str) -> dict[str, str]:
        resource = ConfigResource(ConfigResourceType.TOPIC, stream_name, dict.fromkeys(_READ_SETTINGS))
        described = ask(
            self._options, lambda: self._client.describe_configs([resource], config_filter=ConfigFilterType.ALL)
        )
        return {name: one["value"] for name, one in described["topic"][stream_name].items()}

    def _offsets(
        self, stream_names: Iterable[str], spec: OffsetSpec, leader_seconds: float = REACH_SECONDS
    ) -> dict[str, int]:
        asked = {TopicPartition(name, PARTITION): spec for name in stream_names}
        if not asked:
            return {}
        answers = (UnknownTopicOrPartitionError, TopicAuthorizationFailedError)
        try:
            found = ask(
                self._options, lambda: self._list_offsets(asked), answers=answers, leader_seconds=leader_seconds
            )
        except answers:  # one is missing, or may not be described
            left = self.topic_ids(partition.topic for partition in asked)
            return self._offsets(left if len(left) < len(asked) else (), spec, leader_seconds)
        return {partition.topic: one.offset for partition, one in found.items()}

    def _list_offsets(self, asked: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, Any]:
        found: Mapping[TopicPartition, Any] = self._client.list_partition_offsets(
            dict(asked), isolation_level=self._isolation_level
        )
        return found
