"""Away for longer than tombstones live, with a real log cleaner: what was deleted meanwhile is found out."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import connect
from projections.rebuild import rebuild_log
from projections.tracked_logs import logs_of
from tests.acceptance.followed import CONFIG, GAPS, HISTORY, STATES, config, follow_once, shown
from tests.fixtures.kafka_topics import COMPACTED_SOON, Topics
from tests.projections.follow.running import let_pass
from tests.projections.rebuilt import forget, relations
from tests.properties.importing import SETTINGS

pytestmark = pytest.mark.slow


@pytest.fixture
def source(kafka_options: KafkaOptions) -> Iterator[KafkaSource]:
    with KafkaSource(kafka_options) as opened:
        yield opened


@pytest.fixture
def stream(topics: Topics, job_name: str) -> str:
    """A topic whose cleaner takes values and tombstones within seconds."""
    return topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)


def test_keys_that_were_deleted_meanwhile_are_removed(
    database_url: str, source: KafkaSource, topics: Topics, stream: str
) -> None:
    topics.write(stream, config(a="1", b="2", c="3", d="4"))
    assert follow_once(database_url, source, stream) == ([], {})
    topics.write(stream, config(e="5", b=None, c="33", e2=None, d=None))
    kept = topics.compact(stream, tombstones_too=True)
    assert {record.offset for record in kept} == {0, 4, 6}
    followed = follow_once(database_url, source, stream)
    assert followed.failures == {}
    before, after = followed.messages
    assert before.startswith(f"{stream} was last read at ")
    assert "so tombstones may have been removed since. Reading it again from its start" in before
    assert after == f"{stream} was read again from its start: found 2 deleted keys."
    assert [row[:2] for row in shown(database_url, CONFIG)] == [("a", "1"), ("c", "33"), ("e", "5")]
    (end,) = shown(database_url, "select next_offset from coordinator.log_position")[0]
    assert [row for row in shown(database_url, HISTORY) if row[3] == "delete"] == [
        (1, end - 1, "b", "delete"),
        (1, end - 1, "d", "delete"),
    ]
    gaps = [(first, last) for _, first, last, reason in shown(database_url, GAPS) if reason == "compacted"]
    assert any(first <= 5 <= last for first, last in gaps)
    assert not any(first <= there <= last for first, last in gaps for there in (0, 4, 6))
    assert shown(database_url, STATES) == [(1, "stopped", end, None)]


def test_a_rebuild_from_the_archive_restores_the_same_rows(
    database_url: str, source: KafkaSource, topics: Topics, stream: str
) -> None:
    topics.write(stream, config(a="1", b="2", c="3"))
    follow_once(database_url, source, stream)
    topics.write(stream, config(b=None, d="4"))
    topics.compact(stream, tombstones_too=True)
    follow_once(database_url, source, stream)
    with connect(database_url) as connection:
        before = relations(connection)
        log = logs_of(connection, stream)[0]
        forget(connection, log)
        assert relations(connection)["config"] == []
        rebuild_log(connection, logs_of(connection, stream)[0], SETTINGS)
        assert relations(connection) == before
        assert [row[:2] for row in connection.execute(CONFIG.encode())] == [("a", "1"), ("c", "3"), ("d", "4")]


def test_a_short_absence_needs_no_resync(
    database_url: str, source: KafkaSource, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, config(a="1", b="2"))
    follow_once(database_url, source, coordinator_topic)
    topics.write(coordinator_topic, config(a=None))
    with connect(database_url) as connection:
        let_pass(connection, timedelta(hours=11))
    followed = follow_once(database_url, source, coordinator_topic)
    assert followed == ([], {})
    assert [row[:2] for row in shown(database_url, CONFIG)] == [("b", "2")]
    assert ("delete", 2) in [(row[3], row[1]) for row in shown(database_url, HISTORY)]


def test_after_half_the_retention_of_tombstones_a_log_is_resynced(
    database_url: str, source: KafkaSource, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, config(a="1", b="2"))
    follow_once(database_url, source, coordinator_topic)
    topics.write(coordinator_topic, config(a=None))
    with connect(database_url) as connection:
        let_pass(connection, timedelta(hours=13))
    followed = follow_once(database_url, source, coordinator_topic)
    assert followed.messages[1:] == [f"{coordinator_topic} was read again from its start: found no deleted keys."]
    assert [row[:2] for row in shown(database_url, CONFIG)] == [("b", "2")]
    assert shown(database_url, GAPS) == []
