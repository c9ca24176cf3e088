"""The topic ids of a consumer's streams: sent with each fetch, and compared so that a re-created topic is noticed."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from kafka import TopicPartition

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.topic import PARTITION, known_id

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
        """Add the ids of streams, or replace them."""
        self._ids |= topic_ids
        self._names_by_id |= {topic_id: name for name, topic_id in topic_ids.items()}

    def has_other_id(self, name: str, topic_id: str | None) -> bool:
        """Return whether a stream was added with another id."""
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
