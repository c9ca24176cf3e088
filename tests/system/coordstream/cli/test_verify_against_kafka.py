"""`verify --against kafka` compares the archive with the topic too; `rebuild --from kafka` fetches what it lost."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from tests.fixtures.coordstream.command_line import RECORDING_A, CommandLine
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, COMPACTED_SOON, Topics
from tests.system.acceptance.followed import config

pytestmark = pytest.mark.slow

AGAINST: Final = ("verify", "--all", "--against", "kafka")
REBUILD: Final = ("rebuild", "--all", "--from", "kafka")
ARCHIVE: Final = """
select log_offset, record_time, key, value, headers, timestamp_type, leader_epoch from eventlog.event order by 1
"""
HISTORY: Final = "select log_offset, config_key, config_value, operation from coordinator.config_history order by 1"
CHANGE: Final = "set session_replication_role = replica;"
"""Without it, a trigger refuses to change the archive."""
FIRST_MS: Final = 1_700_000_000_000
A_DAY_MS: Final = 86_400_000


@pytest.fixture
def followed(kafka_cli: CommandLine, topics: Topics, coordinator_topic: str) -> CommandLine:
    """The command line after it has followed a topic with five events."""
    topics.write(coordinator_topic, config(a="1", b="2", c="3"))
    topics.write(coordinator_topic, config(a="4", b=None))
    follow(kafka_cli, coordinator_topic)
    return kafka_cli


def follow(cli: CommandLine, stream_name: str) -> None:
    assert cli("follow", stream_name, "--once").code == 0


def archive(cli: CommandLine, command: str) -> None:
    with cli.connection() as connection:
        connection.execute(f"{CHANGE} {command}".encode())


def compared(cli: CommandLine, code: int = 1) -> Mapping[str, Any]:
    """What verify says about the archive."""
    finished = cli(*AGAINST, "--json")
    assert finished.code == code
    row: Mapping[str, Any]
    (row,) = (row for row in finished.json if row["relation"] == "event")
    return row


def counts(row: Mapping[str, Any]) -> tuple[int, int, int]:
    return row["missing"], row["extra"], row["different"]


def offsets(row: Mapping[str, Any]) -> list[int]:
    return [example["key"]["log_offset"] for example in row["examples"]]


@pytest.mark.parametrize(
    "change",
    [
        "key = key || 'x'",
        "value = value || 'x'",
        "record_time = record_time + interval '1 ms'",
        """headers = '[["trace", null]]'""",
    ],
)
def test_events_that_differ_are_named(followed: CommandLine, coordinator_topic: str, change: str) -> None:
    archive(followed, f"update eventlog.event set {change} where log_offset = 2")
    row = compared(followed)
    assert (counts(row), offsets(row)) == ((0, 0, 1), [2])
    (example,) = row["examples"]
    assert example["stored"] != example["expected"]
    table = followed(*AGAINST)
    assert f"{coordinator_topic}, event, log_offset 2: different\n  stored:   {{" in table.out


def test_compaction_and_transactions_are_not_differences(kafka_cli: CommandLine, topics: Topics, job_name: str) -> None:
    stream = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
    topics.write(stream, config(a="1", b="2", c="3"))
    topics.write_transaction(stream, config(a="aborted"), commit=False)
    topics.write_transaction(stream, config(a="4", b=None))
    follow(kafka_cli, stream)
    topics.compact(stream, tombstones_too=True)
    assert counts(compared(kafka_cli, 0)) == (0, 0, 0)


def test_retention_is_not_a_difference_but_a_loss_is(kafka_cli: CommandLine, topics: Topics, job_name: str) -> None:
    stream = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_AND_DELETED)
    topics.write(stream, config(a="1", b="2", c="3"))
    follow(kafka_cli, stream)
    topics.delete_before(stream, 2)
    assert counts(compared(kafka_cli, 0)) == (0, 0, 0)
    topics.change(stream, {"cleanup.policy": "compact"})
    row = compared(kafka_cli)
    assert (counts(row), offsets(row)) == ((0, 2, 0), [0, 1])
    assert row["examples"][0]["expected"] is None


def test_what_coordstream_has_detached_is_not_a_difference_but_a_loss_is(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str
) -> None:
    follow_and_retain(kafka_cli, topics, coordinator_topic)
    assert kafka_cli.ask("select log_offset from eventlog.event order by 1") == [(0,), (2,), (3,), (4,), (5,)]
    assert counts(compared(kafka_cli, 0)) == (0, 0, 0)
    archive(kafka_cli, "delete from eventlog.event where log_offset = 4")
    assert offsets(compared(kafka_cli)) == [4]
    archive(kafka_cli, "update eventlog.event set value = value || 'x' where log_offset = 2")
    assert offsets(compared(kafka_cli)) == [4, 2]


def test_logs_that_are_not_of_kafka_are_one_sentence_each(kafka_cli: CommandLine) -> None:
    kafka_cli.done("import", *RECORDING_A)
    finished = kafka_cli(*AGAINST, "--json")
    assert (finished.code, finished.json) == (1, [])
    assert finished.err.count("was imported from a recording and never followed, so it has no topic in Kafka") == 2


def follow_and_retain(cli: CommandLine, topics: Topics, stream_name: str) -> None:
    """Follow a topic with six events, and detach the one at offset 1; the horizon is at offset 3."""
    values = [{"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "3"}, {"a": "4", "c": "1"}]
    for day, keys in enumerate(values):
        at = FIRST_MS + day * A_DAY_MS
        topics.write(stream_name, [event._replace(timestamp=at) for event in config(**keys)])
    assert cli("follow", stream_name, "--once").code == 0
    assert cli("retention", "--keep", "12h", "--all", "--yes").code == 0


@pytest.fixture
def followed_twice(kafka_cli: CommandLine, topics: Topics, coordinator_topic: str) -> CommandLine:
    """The command line after it has followed a topic twice."""
    topics.write(coordinator_topic, config(a="1", b="2", c="3"))
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    topics.write(coordinator_topic, config(a="4", b=None, d="5"))
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    return kafka_cli


def found(cli: CommandLine) -> list[list[tuple[Any, ...]]]:
    return [cli.ask(ARCHIVE), cli.ask(HISTORY)]


@pytest.mark.parametrize(
    "loss",
    [
        "delete from eventlog.event where log_offset in (1, 4)",
        "delete from eventlog.event where log_offset > 3",
        "delete from eventlog.event",
        "drop table eventlog.event_from_0",
        "alter table eventlog.event detach partition eventlog.event_from_0",
    ],
)
def test_what_the_archive_lost_is_fetched(followed_twice: CommandLine, loss: str) -> None:
    before = found(followed_twice)
    archive(followed_twice, loss)
    finished = followed_twice("rebuild", "--all")
    assert finished.code == 1
    assert "`coordstream rebuild --from PATH` those of a lake, or `--from kafka` those that the topic" in finished.err
    archive(followed_twice, "update projection.config set host = 'elsewhere'")
    lost = 6 - followed_twice.ask("select count(*) from eventlog.event")[0][0]
    (row,) = followed_twice.rows(*REBUILD)
    assert row["fetched_count"] == (0 if "detach" in loss else lost)
    assert row["different"] > 0
    assert found(followed_twice) == before
    followed_twice.done(*AGAINST)


@pytest.mark.parametrize("rows", ["", "; drop schema projection cascade"], ids=["with rows", "without rows"])
def test_what_a_retention_has_kept_is_fetched(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, rows: str
) -> None:
    follow_and_retain(kafka_cli, topics, coordinator_topic)
    before = found(kafka_cli)
    archive(kafka_cli, f"delete from eventlog.event where log_offset in (2, 4){rows}")
    kafka_cli("db", "migrate")
    if not rows:
        (row,) = (row for row in kafka_cli(*AGAINST, "--json").json if row["relation"] == "event")
        assert [example["key"]["log_offset"] for example in row["examples"]] == [2, 4]
    assert [row["fetched_count"] for row in kafka_cli.rows(*REBUILD)] == [2]
    assert found(kafka_cli) == before
    kafka_cli.done(*AGAINST)


def test_events_that_differ_are_left_and_reported(followed_twice: CommandLine, coordinator_topic: str) -> None:
    archive(followed_twice, "update eventlog.event set value = value || ' ' where log_offset = 2")
    before = found(followed_twice)
    finished = followed_twice(*REBUILD, "--json")
    assert finished.code == 1
    assert finished.err == (
        f"{coordinator_topic}: archived events that differ from the topic, left unchanged: 1. "
        "See `coordstream verify --against kafka`.\n"
    )
    assert [(row["fetched_count"], row["stream_name"]) for row in finished.json] == [(0, coordinator_topic)]
    assert found(followed_twice)[0] == before[0]


def test_what_the_topic_lost_too_is_not_deleted(kafka_cli: CommandLine, topics: Topics, job_name: str) -> None:
    stream = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
    topics.write(stream, config(a="1", b="2", c="3"))
    topics.write(stream, config(a="4"))
    assert kafka_cli("follow", stream, "--once").code == 0
    topics.compact(stream)
    history = kafka_cli.ask(HISTORY)
    archive(kafka_cli, "drop table eventlog.event_from_0")
    finished = kafka_cli(*REBUILD)
    assert finished.code == 1
    assert f"Cannot rebuild {stream}. The archive of {stream} lacks events of the offsets 0 to 0" in finished.err
    assert "--from kafka" not in finished.err
    assert kafka_cli.ask(HISTORY) == history
    assert kafka_cli.ask("select log_offset from eventlog.event order by 1") == [(1,), (2,), (3,)]


def test_a_second_fetch_at_once_waits_and_gives_up(
    followed_twice: CommandLine, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.topic_check.LOCK_TIMEOUT", "set local lock_timeout = '10ms'")
    archive(followed_twice, "delete from eventlog.event where log_offset = 1")
    with followed_twice.connection() as other:
        other.execute("select eventlog.hold(%s)", (f"archive {coordinator_topic}",))
        finished = followed_twice(*REBUILD)
    assert finished.code == 1
    assert "another session is rebuilding or writing it. Try again later." in finished.err
    followed_twice.done(*REBUILD)
