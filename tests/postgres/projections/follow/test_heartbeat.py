"""Heartbeats in the table of positions, and the clock that writes them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from projections.follow.heartbeat import Beat, Turns, write_beats
from projections.tracked_logs import register_log
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def registered(connection: Connection, name: str) -> int:
    with connection.transaction():
        stream = identify(f"__samza_coordinator_{name}_1")
        return register_log(connection, stream, 1, "kafka", SETTINGS, ARCHIVED_AT).log_id


def positions(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "select log_id, state, end_offset, heartbeat_at, read_at from projection.position order by log_id"
    ).fetchall()


def test_without_an_end_the_lag_is_unknown_and_the_log_was_not_read(connected: Connection) -> None:
    log = registered(connected, "one")
    write_beats(connected, [Beat(log, "live", 0)], NOW)
    write_beats(connected, [Beat(log, "live", None)], NOW + timedelta(seconds=5))
    assert positions(connected) == [(log, "live", None, NOW + timedelta(seconds=5), NOW)]
    assert connected.execute("select lag from coordinator.log_position").fetchall() == [(None,)]


def test_heartbeats_do_not_wait_for_a_projector(connected: Connection, database_url: str) -> None:
    one, two = registered(connected, "one"), registered(connected, "two")
    registered_at = positions(connected)[0][3]
    with connect(database_url) as projector, projector.transaction():
        projector.execute("update projection.position set next_offset = 3 where log_id = %s", (one,))
        write_beats(connected, [Beat(one, "live", 0), Beat(two, "live", 0)], NOW)
    assert [(row[0], row[3]) for row in positions(connected)] == [(one, registered_at), (two, NOW)]


def test_streams_have_their_turns_a_few_at_a_time() -> None:
    beat = Turns(5.0, 2)
    turns = [beat.next("abcde", now) for now in (0.0, 0.1, 0.2, 0.3, 4.9, 5.0)]
    assert turns == [["a", "b"], ["c", "d"], ["e"], [], [], ["a", "b"]]


def test_when_triggered_again_the_streams_without_a_turn_come_first() -> None:
    beat = Turns(5.0, 2)
    beat.next("abcde", 0.0)
    beat.trigger()
    assert [beat.next("abcdef", 0.1) for _ in range(4)] == [["c", "d"], ["e", "a"], ["b", "f"], []]


def test_streams_that_have_waited_for_the_interval_have_a_turn_together() -> None:
    """A batch can take seconds, and thousands of streams have many turns."""
    beat = Turns(5.0, 2)
    assert [beat.next("abcdefg", now) for now in (0.0, 4.0, 8.0)] == [["a", "b"], ["c", "d"], ["e", "f", "g"]]
