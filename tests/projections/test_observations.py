"""Observations: stored permanently, read in the order in which they are folded, and shown as gaps."""

from datetime import UTC, datetime
from typing import Final

import psycopg
import pytest

from eventlog.postgres.connection import connect
from eventlog.streams import identify
from projections.tracked_logs import Observation, read_observations, register_log, write_observations
from tests.properties.importing import SETTINGS

NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
ALL: Final = [
    Observation(9, "swept", b"\x00\xff"),
    Observation(9, "swept", b""),
    Observation(6, "gap", None, 5, 6),
    Observation(20, "truncated", None, 17, 19),
    Observation(20, "recreated", None, 20, None),
]


def test_observations_are_read_in_the_order_of_their_offsets(database_url: str) -> None:
    with connect(database_url) as connection:
        write_observations(connection, 1, ALL, NOW)
        write_observations(connection, 2, ALL[:1], NOW)
        write_observations(connection, 1, [], NOW)
        assert list(read_observations(connection, 1)) == [ALL[2], ALL[0], ALL[1], ALL[3], ALL[4]]
        assert list(read_observations(connection, 2)) == ALL[:1]
        assert list(read_observations(connection, 3)) == []
        assert connection.execute("select distinct observed_at from eventlog.observation").fetchall() == [(NOW,)]


def test_observations_cannot_be_deleted(database_url: str) -> None:
    with connect(database_url) as connection:
        write_observations(connection, 1, ALL, NOW)
        with pytest.raises(psycopg.errors.RaiseException, match=r"eventlog.observation is append-only"):
            connection.execute("delete from eventlog.observation")


def test_lost_offsets_are_shown_once(database_url: str) -> None:
    gaps = """
    select job_name, stream_kind, incarnation, first_missing_offset, last_missing_offset, reason
    from coordinator.log_gap order by first_missing_offset
    """
    with connect(database_url) as connection:
        with connection.transaction():
            log = register_log(connection, identify("__samza_coordinator_a_1"), 1, "kafka", SETTINGS, NOW)
            write_observations(connection, log.log_id, ALL, NOW)
        shown = [
            ("a", "coordinator", 1, 5, 6, "compacted"),
            ("a", "coordinator", 1, 17, 19, "truncated"),
            ("a", "coordinator", 1, 20, None, "recreated"),
        ]
        assert connection.execute(gaps).fetchall() == shown
        connection.execute("insert into projection.gap values (%s, 4, 6), (%s, 8, 8)", (log.log_id, log.log_id))
        shown[:1] = [("a", "coordinator", 1, 4, 6, "compacted"), ("a", "coordinator", 1, 8, 8, "compacted")]
        assert connection.execute(gaps).fetchall() == shown
