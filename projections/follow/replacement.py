"""A log whose past changed: its new incarnation is read beside the old one, until it is complete."""

from datetime import datetime
from typing import Final, NamedTuple

from eventlog.postgres.connection import Connection
from eventlog.source import StreamFacts
from eventlog.streams import StreamIdentity
from projections.fold.settings import FoldSettings
from projections.follow.attachment import Change
from projections.observations import Observation, write_observations
from projections.tracked_logs import TrackedLog, register_log

_STOP: Final = """
update projection.position set state = 'stopped', state_detail = null, end_offset = null where log_id = %s
"""


class Topic(NamedTuple):
    """Where a log is read from: the source's backend and cluster, and what it said of the stream.

    ``asked_at`` is the server's time before it was asked.
    """

    backend: str
    cluster_id: str | None
    facts: StreamFacts
    asked_at: datetime


def begin_replacement(
    connection: Connection, log: TrackedLog, change: Change, topic: Topic, settings: FoldSettings, now: datetime
) -> TrackedLog:
    """Write down what became of a log, and begin its next incarnation, in the caller's transaction."""
    observation = Observation(log.next_offset, change.kind, None, change.from_offset, change.to_offset)
    write_observations(connection, log.log_id, [observation], now)
    connection.execute(_STOP, (log.log_id,))
    return register_incarnation(connection, log.stream, log.incarnation + 1, topic, settings, now)


def register_incarnation(
    connection: Connection,
    stream: StreamIdentity,
    incarnation: int,
    topic: Topic,
    settings: FoldSettings,
    now: datetime,
) -> TrackedLog:
    """Make the log of a topic known that is to be read from its start, in the caller's transaction."""
    return register_log(
        connection,
        stream,
        incarnation,
        topic.backend,
        settings,
        now,
        cluster_id=topic.cluster_id,
        topic_id=topic.facts.topic_id,
        start_offset=topic.facts.start_offset,
    )
