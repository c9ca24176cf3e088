"""Real topics that change while they are not read: re-created, compacted."""

from collections.abc import Iterator

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from tests.fixtures.kafka_topics import COMPACTED_SOON, Topics
from tests.system.acceptance.followed import CONFIG, GAPS, HISTORY, STATES, config, follow_once, shown

pytestmark = pytest.mark.slow


@pytest.fixture
def source(kafka_options: KafkaOptions) -> Iterator[KafkaSource]:
    with KafkaSource(kafka_options) as opened:
        yield opened


def test_a_recreated_topic_is_another_log_also_with_as_many_events(
    database_url: str, source: KafkaSource, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, config(a="1", b="2", c="3"))
    assert follow_once(database_url, source, coordinator_topic) == ([], {})
    topics.create_again(coordinator_topic)
    topics.write(coordinator_topic, config(**dict.fromkeys("def", "9")))
    assert follow_once(database_url, source, coordinator_topic) == (
        [
            (
                f"{coordinator_topic} was deleted and re-created. Reading it from its start as incarnation 2; "
                "until that is complete, relations show the previous one."
            ),
            f"{coordinator_topic}: incarnation 2 is complete; relations show it from now on.",
        ],
        {},
    )
    assert shown(database_url, CONFIG) == [(key, "9", 2) for key in "def"]
    assert shown(database_url, STATES) == [(1, "stopped", 3, None), (2, "stopped", 3, None)]
    assert shown(database_url, HISTORY)[:3] == [(1, 0, "a", "set"), (1, 1, "b", "set"), (1, 2, "c", "set")]
    assert shown(database_url, GAPS) == [(1, 3, None, "recreated")]


@pytest.fixture
def compacted_topic(topics: Topics, job_name: str) -> str:
    """A topic whose cleaner takes values and tombstones within seconds."""
    return topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)


def test_keys_that_were_deleted_meanwhile_are_removed(
    database_url: str, source: KafkaSource, topics: Topics, compacted_topic: str
) -> None:
    topics.write(compacted_topic, config(a="1", b="2", c="3", d="4"))
    assert follow_once(database_url, source, compacted_topic) == ([], {})
    topics.write(compacted_topic, config(e="5", b=None, c="33", e2=None, d=None))
    kept = topics.compact(compacted_topic, tombstones_too=True)
    assert {record.offset for record in kept} == {0, 4, 6}
    followed = follow_once(database_url, source, compacted_topic)
    assert followed.failures == {}
    before, after = followed.messages
    assert before.startswith(f"{compacted_topic} was last read at ")
    assert "so tombstones may have been removed since. Reading it again from its start" in before
    assert after == f"{compacted_topic} was read again from its start: found 2 deleted keys."
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
