"""A topic in memory that a test reads step by step, without a follower."""

from datetime import UTC, datetime
from typing import Any, Final

from eventlog.postgres.connection import Connection
from eventlog.wire.coordinator import encode_key
from projections.follow.resume import LogSource, ResumePoint
from projections.projector import Projector
from tests.fixtures.memory_source import MemorySource, MemoryTopic
from tests.fixtures.projections.follow.running import ORDERS, server_time
from tests.fixtures.properties.importing import SETTINGS

NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
GAPS: Final = (
    "select incarnation, first_missing_offset, last_missing_offset, reason from coordinator.log_gap order by 1, 2"
)


def clock() -> datetime:
    """The time of the tests."""
    return NOW


def shown(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(query.encode()).fetchall()


def key(name: str) -> bytes:
    """The key of a message that sets or deletes a config key."""
    return encode_key("set-config", name)


def set_config(topic: MemoryTopic, **values: str | None) -> None:
    """Append messages that set config keys, or delete them."""
    for name, value in values.items():
        topic.append(key(name), None if value is None else b'{"values":{"value":"%s"}}' % value.encode())


def resume(connection: Connection, source: MemorySource, now: datetime = NOW, stream_name: str = ORDERS) -> ResumePoint:
    """Where reading resumes at a time."""
    with server_time(now):
        return LogSource(connection, source, SETTINGS, lambda: now).find_resume_point(stream_name)


def read_to_end(connection: Connection, source: MemorySource, stream_name: str = ORDERS) -> ResumePoint:
    """Apply everything without a resync, as a follower does that stops then; return where it resumed."""
    found = resume(connection, source, stream_name=stream_name)
    assert not found.resync
    projector = Projector(connection, found.log, SETTINGS, clock)
    projector.apply(list(source.read(stream_name, projector.next_offset, found.target)))
    connection.execute("update projection.position set read_at = %s where log_id = %s", (NOW, found.log.log_id))
    return found


def at_the_old_position(source: MemorySource) -> MemoryTopic:
    """The topic as a follower leaves it that is absent then."""
    topic = source.create(ORDERS)
    set_config(topic, a="1", b="2", c="3", d="4", e="5", f="6")
    return topic


def grow(topic: MemoryTopic) -> None:
    """Change the topic during an absence: delete and compact two keys, change one, add one."""
    set_config(topic, b=None, d="44", f=None, g="7")
    topic.compact()
