"""The end offsets of topics, from their brokers, within a time that a monitor can wait."""

from collections.abc import Collection, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, NamedTuple

from eventlog.errors import EventLogError
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.client import unavailable
from eventlog.kafka.options import KafkaOptions
from eventlog.source import StreamUnavailable

ANSWER_SECONDS: Final = 5.0


class TopicIdentity(NamedTuple):
    """The topic of a log. Its name is not enough: another topic may have it, in another cluster or created later."""

    stream_name: str
    cluster_id: str | None
    topic_id: str | None


class Ends(NamedTuple):
    """The known ends by stream, the streams whose topics are missing or hidden from our user, and a message if the
    brokers did not answer, not for all topics, or are those of another cluster."""

    offsets: Mapping[str, int]
    sentence: str = ""
    missing: frozenset[str] = frozenset()


def broker_ends(options: KafkaOptions, topics: Collection[TopicIdentity]) -> Ends:
    """The ends of topics, without those that are missing or are other topics of the same name."""
    # in a thread that may outlive the answer: kafka-python's timeouts are per request
    answers: SimpleQueue[Ends] = SimpleQueue()
    Thread(target=lambda: answers.put(_request_ends(options, topics)), daemon=True).start()
    try:
        return answers.get(timeout=ANSWER_SECONDS)
    except Empty:
        return Ends({}, str(unavailable(options, f"no answer within {ANSWER_SECONDS:g} s")))


def _request_ends(options: KafkaOptions, topics: Collection[TopicIdentity]) -> Ends:
    try:
        with KafkaAdmin(options) as admin:
            here = [topic for topic in topics if topic.cluster_id in (None, admin.cluster_id)]
            ids = admin.topic_ids([topic.stream_name for topic in here])
            offsets, sentence = _available_ends(admin, [each.stream_name for each in here if _is_meant(each, ids)])
            if others := {topic.cluster_id for topic in topics} - {None, admin.cluster_id}:
                sentence = (
                    f"The brokers are those of the Kafka cluster {admin.cluster_id}, but the database has logs of "
                    f"{others.pop()}. Correct COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS."
                )
            return Ends(offsets, sentence, frozenset(topic.stream_name for topic in here) - ids.keys())
    except EventLogError as error:
        return Ends({}, str(error))


def _available_ends(admin: KafkaAdmin, names: Collection[str]) -> tuple[Mapping[str, int], str]:
    """The ends of the topics that have a leader, and a message if others do not."""
    try:
        return admin.end_offsets(names, leader_seconds=0), ""
    except StreamUnavailable as error:
        available = [name for name in names if name not in error.stream_names]
        return _available_ends(admin, available)[0], str(error)


def _is_meant(topic: TopicIdentity, topic_ids: Mapping[str, str | None]) -> bool:
    """Whether its cluster's topic of this name is the same topic; an unknown id matches any."""
    name = topic.stream_name
    return name in topic_ids and (topic.topic_id is None or topic.topic_id == topic_ids[name])
