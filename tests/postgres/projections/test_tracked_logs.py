"""The logs that are tracked, the names of their jobs, and what was observed of them."""

from datetime import UTC, datetime
from typing import Final

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.streams import identify
from eventlog.wire.coordinator import encode_key
from projections.tracked_logs import Observation, make_current, read_observations, register_log, write_observations
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS, import_events

COORDINATOR: Final = "__samza_coordinator_a-b_1"
CHECKPOINT: Final = "__samza_checkpoint_ver_1_for_a-b_1"
NAMES: Final = "select stream_kind, job_name, job_id from coordinator.log_position order by 1"


def config(offset: int, key: str, value: str | None) -> RecordedEvent:
    data = None if value is None else b'{"values":{"value":"%s"}}' % value.encode()
    return RecordedEvent(offset, 1_749_000_000_000, 0, encode_key("set-config", key), data)


def names(connection: Connection) -> list[tuple[object, ...]]:
    return connection.execute(NAMES).fetchall()


def test_a_job_has_its_streams_name_until_config_names_it(connected: Connection) -> None:
    import_events(connected, CHECKPOINT, [])
    assert names(connected) == [("checkpoint", "a-b", "1")]
    events = [config(0, "job.name", "a_b"), config(1, "job.id", "007")]
    import_events(connected, COORDINATOR, events[:1])
    assert names(connected) == [("checkpoint", "a_b", "1"), ("coordinator", "a_b", "1")]
    import_events(connected, COORDINATOR, events)
    assert names(connected) == [("checkpoint", "a_b", "007"), ("coordinator", "a_b", "007")]


LONGEST: Final = "a" * 249
SPACED: Final = config(1, "job.name", "newer")._replace(key=b'[1, "set-config", "job.name"]')
CASES: Final = {
    "too long for a topic": (
        [config(0, "job.name", LONGEST), config(1, "job.id", LONGEST), config(2, "job.id", f"{LONGEST}a")],
        [("a-b", "1"), (LONGEST, "1"), (LONGEST, LONGEST), (LONGEST, "1")],
    ),
    "config loses it": (
        [config(0, "job.name", "a_b"), config(1, "job.name", None)],
        [("a-b", "1"), ("a_b", "1"), ("a-b", "1")],
    ),
    "the newest spelling of the key": (
        [config(0, "job.name", "older"), SPACED, config(2, "job.name", "newest")],
        [("a-b", "1"), ("older", "1"), ("newer", "1"), ("newest", "1")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_job_has_the_name_of_its_config_or_of_its_stream(connected: Connection, case: str) -> None:
    events, expected = CASES[case]
    for count, (name, job_id) in enumerate(expected):
        import_events(connected, COORDINATOR, events[:count])
        assert names(connected) == [("coordinator", name, job_id)]


def test_a_log_that_is_tracked_later_has_the_name_from_config(connected: Connection) -> None:
    import_events(connected, COORDINATOR, [config(0, "job.name", "a_b")])
    import_events(connected, CHECKPOINT, [])
    assert names(connected) == [("checkpoint", "a_b", "1"), ("coordinator", "a_b", "1")]


def test_an_incomplete_incarnation_does_not_name_the_job(connected: Connection) -> None:
    import_events(connected, COORDINATOR, [config(0, "job.name", "a_b")])
    with connected.transaction():
        second = register_log(connected, identify(COORDINATOR), 2, "recording", SETTINGS, ARCHIVED_AT)
    assert {name for _, name, _ in names(connected)} == {"a_b"}
    with connected.transaction():
        make_current(connected, second)
    assert {name for _, name, _ in names(connected)} == {"a-b"}


NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
ALL: Final = [
    Observation(9, "swept", b"\x00\xff"),
    Observation(9, "swept", b""),
    Observation(6, "gap", None, 5, 6),
    Observation(20, "truncated", None, 17, 19),
    Observation(20, "recreated", None, 20, None),
]


def test_observations_are_read_in_the_order_of_their_offsets(connected: Connection) -> None:
    write_observations(connected, 1, ALL, NOW)
    write_observations(connected, 2, ALL[:1], NOW)
    write_observations(connected, 1, [], NOW)
    assert list(read_observations(connected, 1)) == [ALL[2], ALL[0], ALL[1], ALL[3], ALL[4]]
    assert list(read_observations(connected, 2)) == ALL[:1]
    assert list(read_observations(connected, 3)) == []
    assert connected.execute("select distinct observed_at from eventlog.observation").fetchall() == [(NOW,)]


def test_lost_offsets_are_shown_once(connected: Connection) -> None:
    gaps = """
    select job_name, stream_kind, incarnation, first_missing_offset, last_missing_offset, reason
    from coordinator.log_gap order by first_missing_offset
    """
    with connected.transaction():
        log = register_log(connected, identify("__samza_coordinator_a_1"), 1, "kafka", SETTINGS, NOW)
        write_observations(connected, log.log_id, ALL, NOW)
    shown = [
        ("a", "coordinator", 1, 5, 6, "compacted"),
        ("a", "coordinator", 1, 17, 19, "truncated"),
        ("a", "coordinator", 1, 20, None, "recreated"),
    ]
    assert connected.execute(gaps).fetchall() == shown
    connected.execute("insert into projection.gap values (%s, 4, 6), (%s, 8, 8)", (log.log_id, log.log_id))
    shown[:1] = [("a", "coordinator", 1, 4, 6, "compacted"), ("a", "coordinator", 1, 8, 8, "compacted")]
    assert connected.execute(gaps).fetchall() == shown
