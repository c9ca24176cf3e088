"""`coordstream rebuild --from kafka`: what the archive lost is fetched from the topic, as far as that has it."""

from typing import Any, Final

import pytest

from tests.acceptance.followed import config
from tests.coordstream.cli.retained_topic import follow_and_retain
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import COMPACTED_SOON, Topics

pytestmark = pytest.mark.slow

REBUILD: Final = ("rebuild", "--all", "--from", "kafka")
VERIFY: Final = ("verify", "--all", "--against", "kafka")
CHANGE: Final = "set session_replication_role = replica;"
"""Without it, a trigger refuses to change the archive."""
ARCHIVE: Final = """
select log_offset, record_time, key, value, headers, timestamp_type, leader_epoch from eventlog.event order by 1
"""
HISTORY: Final = "select log_offset, config_key, config_value, operation from coordinator.config_history order by 1"
TIMES: Final = "select log_offset, archived_at from eventlog.event order by 1"


@pytest.fixture
def followed(kafka_cli: CommandLine, topics: Topics, coordinator_topic: str) -> CommandLine:
    """The command line after it has followed a topic twice."""
    topics.write(coordinator_topic, config(a="1", b="2", c="3"))
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    topics.write(coordinator_topic, config(a="4", b=None, d="5"))
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    return kafka_cli


def change(cli: CommandLine, command: str) -> None:
    with cli.connection() as connection:
        connection.execute(f"{CHANGE} {command}".encode())


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
def test_what_the_archive_lost_is_fetched(followed: CommandLine, loss: str) -> None:
    before = found(followed)
    change(followed, loss)
    finished = followed("rebuild", "--all")
    assert finished.code == 1
    assert "run `coordstream rebuild --from kafka`, which fetches those that the topic still has." in finished.err
    change(followed, "update projection.message_current set host = 'elsewhere'")
    lost = 6 - followed.ask("select count(*) from eventlog.event")[0][0]
    (row,) = followed.rows(*REBUILD)
    assert row["fetched_count"] == (0 if "detach" in loss else lost)
    assert row["different"] > 0
    assert found(followed) == before
    followed.done(*VERIFY)


@pytest.mark.parametrize("rows", ["", "; drop schema projection cascade"], ids=["with rows", "without rows"])
def test_what_a_retention_has_kept_is_fetched(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, rows: str
) -> None:
    follow_and_retain(kafka_cli, topics, coordinator_topic)
    before = found(kafka_cli)
    change(kafka_cli, f"delete from eventlog.event where log_offset in (2, 4){rows}")
    kafka_cli("db", "migrate")
    if not rows:
        (row,) = (row for row in kafka_cli(*VERIFY, "--json").json if row["relation"] == "event")
        assert [example["key"]["log_offset"] for example in row["examples"]] == [2, 4]
    assert [row["fetched_count"] for row in kafka_cli.rows(*REBUILD)] == [2]
    assert found(kafka_cli) == before
    kafka_cli.done(*VERIFY)


def test_events_that_differ_are_left_and_reported(followed: CommandLine, coordinator_topic: str) -> None:
    change(followed, "update eventlog.event set value = value || ' ' where log_offset = 2")
    before = found(followed)
    finished = followed(*REBUILD, "--json")
    assert finished.code == 1
    assert finished.err == (
        f"{coordinator_topic}: archived events that differ from the topic, left unchanged: 1. "
        "See `coordstream verify --against kafka`.\n"
    )
    assert [(row["fetched_count"], row["stream_name"]) for row in finished.json] == [(0, coordinator_topic)]
    assert found(followed)[0] == before[0]


def test_what_the_topic_lost_too_is_not_deleted(kafka_cli: CommandLine, topics: Topics, job_name: str) -> None:
    stream = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
    topics.write(stream, config(a="1", b="2", c="3"))
    topics.write(stream, config(a="4"))
    assert kafka_cli("follow", stream, "--once").code == 0
    topics.compact(stream)
    history = kafka_cli.ask(HISTORY)
    change(kafka_cli, "drop table eventlog.event_from_0")
    finished = kafka_cli(*REBUILD)
    assert finished.code == 1
    assert f"Cannot rebuild {stream}. The archive of {stream} lacks events of the offsets 0 to 0" in finished.err
    assert "--from kafka" not in finished.err
    assert kafka_cli.ask(HISTORY) == history
    assert kafka_cli.ask("select log_offset from eventlog.event order by 1") == [(1,), (2,), (3,)]


def test_a_second_fetch_at_once_waits_and_gives_up(
    followed: CommandLine, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.topic_check.LOCK_TIMEOUT", "set local lock_timeout = '10ms'")
    change(followed, "delete from eventlog.event where log_offset = 1")
    with followed.connection() as other:
        other.execute("select eventlog.hold(%s)", (f"archive {coordinator_topic}",))
        finished = followed(*REBUILD)
    assert finished.code == 1
    assert "another session is rebuilding or writing it. Try again later." in finished.err
    followed.done(*REBUILD)
