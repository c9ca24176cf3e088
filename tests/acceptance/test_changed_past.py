"""Real topics that change below the position or while they are not read: re-created, truncated, compacted."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from tests.acceptance.followed import CONFIG, GAPS, HISTORY, STATES, config, follow_once, shown
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_broker import KafkaBroker
from tests.fixtures.kafka_segments import cut_last_batches
from tests.fixtures.kafka_topics import COMPACTED_SOON, LASTING, Topics

pytestmark = pytest.mark.slow

OLD_HISTORY = [(1, 0, "a", "set"), (1, 1, "b", "set"), (1, 2, "c", "set")]


def next_step(incarnation: int) -> str:
    return (
        f". Reading it from its start as incarnation {incarnation}; "
        "until that is complete, relations show the previous one."
    )


def complete(stream: str, incarnation: int) -> str:
    return f"{stream}: incarnation {incarnation} is complete; relations show it from now on."


@pytest.fixture
def source(kafka_options: KafkaOptions) -> Iterator[KafkaSource]:
    with KafkaSource(kafka_options) as opened:
        yield opened


@pytest.fixture
def broker(start_broker: BrokerMaker) -> Iterator[KafkaBroker]:
    """A broker of the test's own."""
    with start_broker() as started:
        yield started


def followed_and_cut(
    database_url: str, broker: KafkaBroker, settings: Mapping[str, str], events: Sequence[NewEvent], *, lost: int
) -> str:
    """A stream that was followed to its end, and then lost its last events, as after an unclean election."""
    stream = "__samza_coordinator_orders_1"
    with Topics(broker.bootstrap_servers) as topics:
        topics.create(stream, settings)
        topics.write(stream, events, batch_events=1)
    with KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source:
        follow_once(database_url, source, stream)
    broker.stop()
    cut_last_batches(broker, stream, lost)
    broker.start()
    return stream


def test_a_recreated_topic_is_another_log_also_with_as_many_events(
    database_url: str, source: KafkaSource, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, config(a="1", b="2", c="3"))
    assert follow_once(database_url, source, coordinator_topic) == ([], {})
    topics.create_again(coordinator_topic)
    topics.write(coordinator_topic, config(**dict.fromkeys("def", "9")))
    assert follow_once(database_url, source, coordinator_topic) == (
        [
            f"{coordinator_topic} was deleted and re-created{next_step(2)}",
            complete(coordinator_topic, 2),
        ],
        {},
    )
    assert shown(database_url, CONFIG) == [(key, "9", 2) for key in "def"]
    assert shown(database_url, STATES) == [(1, "stopped", 3, None), (2, "stopped", 3, None)]
    assert shown(database_url, HISTORY)[:3] == OLD_HISTORY
    assert shown(database_url, GAPS) == [(1, 3, None, "recreated")]


@pytest.mark.slow
def test_a_log_that_was_truncated_and_grew_again_is_a_new_incarnation(database_url: str, broker: KafkaBroker) -> None:
    stream = followed_and_cut(database_url, broker, LASTING, config(a="1", b="2", c="3"), lost=1)
    with Topics(broker.bootstrap_servers) as topics:
        topics.write(stream, config(d="4", e="5", f="6"))
    with KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source:
        followed = follow_once(database_url, source, stream)
    assert followed.messages == [
        f"{stream} has a different event at offset 2 than before{next_step(2)}",
        complete(stream, 2),
    ]
    assert [row[:2] for row in shown(database_url, CONFIG)] == [
        ("a", "1"),
        ("b", "2"),
        ("d", "4"),
        ("e", "5"),
        ("f", "6"),
    ]
    assert shown(database_url, HISTORY)[:3] == OLD_HISTORY
    assert shown(database_url, GAPS) == [(1, 2, 2, "truncated")]


@pytest.mark.slow
def test_a_truncation_is_found_after_compaction_of_what_it_changed(database_url: str, broker: KafkaBroker) -> None:
    stream = followed_and_cut(database_url, broker, COMPACTED_SOON, config(a="1", b="2", c="3", lost="4"), lost=2)
    with Topics(broker.bootstrap_servers) as topics:
        topics.write(stream, config(**dict.fromkeys(["z"], "0")) * 8, batch_events=1)
        kept = topics.compact(stream)
    assert {record.offset for record in kept} & {2, 3} == set()
    with KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source:
        followed = follow_once(database_url, source, stream)
    assert followed.messages == [
        f"{stream} has a different event at offset 2 than before{next_step(2)}",
        complete(stream, 2),
    ]
    assert [row[:2] for row in shown(database_url, CONFIG)] == [("a", "1"), ("b", "2"), ("z", "0")]


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
