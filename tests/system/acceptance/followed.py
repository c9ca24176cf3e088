"""A real topic that is followed for a while, and what the database shows then."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from eventlog.source import EventSource
from projections.follow.follow_run import FollowPlan
from tests.builders import config_deleted, config_set
from tests.fixtures.projections.follow.running import run

CONFIG: Final = "select config_key, config_value, incarnation from coordinator.config order by 1"
HISTORY: Final = """
select incarnation, log_offset, config_key, operation from coordinator.config_history order by 1, 2, 3
"""
STATES: Final = "select incarnation, state, next_offset, lag from coordinator.log_position order by 1"
GAPS: Final = """
select incarnation, first_missing_offset, last_missing_offset, reason from coordinator.log_gap order by 1, 2
"""


class Followed(NamedTuple):
    """The messages of a follower, and why it gave streams up."""

    messages: list[str]
    failures: Mapping[str, str]


def follow_once(url: str, source: EventSource, *stream_names: str) -> Followed:
    """Follow streams to their ends, as `coordstream follow --once` does."""
    messages: list[str] = []
    return Followed(messages, run(url, source, FollowPlan(stream_names, once=True), messages).failures)


def shown(url: str, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


def config(**values: str | None) -> list[NewEvent]:
    """Messages that set config keys, or delete them."""
    return [config_deleted(key) if value is None else config_set(key, value) for key, value in values.items()]
