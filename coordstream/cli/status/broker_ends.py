"""Where topics end, as their brokers tell it, within a time that a monitor can wait."""

from collections.abc import Collection, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, NamedTuple

from eventlog.errors import EventLogError
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions

ANSWER_SECONDS: Final = 5.0


class TopicIdentity(NamedTuple):
    """Which topic a log is of: its name alone may be that of another one, made later or in another cluster."""

    stream_name: str
    cluster_id: str | None
    topic_id: str | None


class Ends(NamedTuple):
    """The ends that are known, by stream; the streams that have no topic, as far as our user may see; and a sentence
    about the brokers if they did not answer."""

    offsets: Mapping[str, int]
    sentence: str = ""
    missing: frozenset[str] = frozenset()


def broker_ends(options: KafkaOptions, topics: Collection[TopicIdentity]) -> Ends:
    """Ask for the ends of topics; one that is gone, or is not the topic that is meant, is left out."""
    # in a thread that is left alone: kafka-python's own time limits are one for each question
    answers: SimpleQueue[Ends] = SimpleQueue()
    Thread(target=lambda: answers.put(_asked(options, topics)), daemon=True).start()
    try:
        return answers.get(timeout=ANSWER_SECONDS)
    except Empty:
        return Ends({}, f"{options.place} did not answer for {ANSWER_SECONDS:g} s: where its topics end is unknown")


def _asked(options: KafkaOptions, topics: Collection[TopicIdentity]) -> Ends:
    try:
        with KafkaAdmin(options) as admin:
            cluster_id = admin.cluster_id
            ids = admin.topic_ids([topic.stream_name for topic in topics])
            meant = [topic.stream_name for topic in topics if is_meant(topic, cluster_id, ids)]
            return Ends(admin.end_offsets(meant), missing=frozenset(topic.stream_name for topic in topics) - ids.keys())
    except EventLogError as error:
        return Ends({}, str(error))


def is_meant(topic: TopicIdentity, cluster_id: str, topic_ids: Mapping[str, str | None]) -> bool:
    """Whether the cluster's topic of this name is the very topic; an id that was never learned fits any."""
    name = topic.stream_name
    return (
        name in topic_ids
        and topic.cluster_id in (None, cluster_id)
        and (topic.topic_id is None or topic.topic_id == topic_ids[name])
    )
