"""The next incarnation of a log: read beside the old one, which stays."""

from datetime import UTC, datetime
from typing import Final

from eventlog.postgres.connection import connect
from eventlog.postgres.log_registry import newest_log
from eventlog.source import StreamFacts
from eventlog.streams import identify
from projections.follow.attachment import Change
from projections.follow.replacement import Topic, begin_replacement, register_incarnation
from projections.observations import Observation, read_observations
from projections.tracked_logs import logs_of
from tests.properties.importing import SETTINGS

STREAM: Final = identify("__samza_coordinator_orders_1")
NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
FIRST: Final = Topic("kafka", "cluster", StreamFacts(STREAM.stream_name, "one", 0, 9), NOW)
SECOND: Final = Topic("kafka", "cluster", StreamFacts(STREAM.stream_name, "two", 3, 5), NOW)


def test_the_old_log_stops_and_the_new_one_begins_at_its_start(database_url: str) -> None:
    with connect(database_url) as connection:
        old = register_incarnation(connection, STREAM, 1, FIRST, SETTINGS, NOW)
        with connection.transaction():
            new = begin_replacement(connection, old, Change("recreated", 4, 8), SECOND, SETTINGS, NOW)
        assert logs_of(connection, STREAM.stream_name) == [new, old]
        assert (new.incarnation, new.next_offset, new.topic_id, new.is_current, new.is_complete) == (
            *(2, 3, "two"),
            *(False, False),
        )
        assert list(read_observations(connection, old.log_id)) == [Observation(0, "recreated", None, 4, 8)]
        states = "select incarnation, state from coordinator.log_position order by 1"
        assert connection.execute(states).fetchall() == [(1, "stopped"), (2, "replacing")]
        stored = newest_log(connection, STREAM.stream_name)
        assert stored is not None
        assert (stored.backend, stored.cluster_id, stored.topic_id) == ("kafka", "cluster", "two")


def test_it_is_part_of_the_callers_transaction(database_url: str) -> None:
    with connect(database_url) as connection:
        old = register_incarnation(connection, STREAM, 1, FIRST, SETTINGS, NOW)
        with connection.transaction(force_rollback=True):
            begin_replacement(connection, old, Change("truncated", 4, 8), SECOND, SETTINGS, NOW)
        assert logs_of(connection, STREAM.stream_name) == [old]
        assert list(read_observations(connection, old.log_id)) == []
