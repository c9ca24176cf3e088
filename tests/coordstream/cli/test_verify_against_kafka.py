"""`coordstream verify --against kafka`: the archive is compared with the topic too."""

import socket
from collections.abc import Mapping
from typing import Any, Final

import pytest

from eventlog.kafka import client
from tests.acceptance.followed import config
from tests.coordstream.cli.retained_topic import follow_and_retain
from tests.coordstream.command_line import RECORDING_A, CommandLine
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, COMPACTED_SOON, Topics

pytestmark = pytest.mark.slow

AGAINST: Final = ("verify", "--all", "--against", "kafka")
CHANGE: Final = "set session_replication_role = replica;"
"""Without it, a trigger refuses to change the archive."""


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


def test_equal_logs_end_with_0(followed: CommandLine) -> None:
    assert counts(compared(followed, 0)) == (0, 0, 0)
    assert "(all equal)" in followed.done(*AGAINST)


def test_what_the_archive_lacks_is_missing(followed: CommandLine) -> None:
    archive(followed, "delete from eventlog.event where log_offset in (1, 2)")
    row = compared(followed)
    assert (counts(row), offsets(row)) == ((2, 0, 0), [1, 2])
    assert row["examples"][0]["stored"] is None
    assert '"value":"2"' in row["examples"][0]["expected"]["value"]


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


def test_what_was_written_since_explains_what_is_gone(kafka_cli: CommandLine, topics: Topics, job_name: str) -> None:
    stream = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
    topics.write(stream, config(a="1", b="2"))
    follow(kafka_cli, stream)
    topics.write(stream, config(a="3"))
    topics.compact(stream)
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


def test_a_replaced_topic_is_reported_until_it_is_followed(
    followed: CommandLine, topics: Topics, coordinator_topic: str
) -> None:
    topics.create_again(coordinator_topic)
    topics.write(coordinator_topic, config(z="1"))
    finished = followed(*AGAINST, "--json")
    assert (finished.code, finished.json) == (1, [])
    assert finished.err == (
        f"Cannot verify {coordinator_topic}. The topic {coordinator_topic} was deleted and re-created, so it is not "
        "the log in the archive. Run `coordstream follow` to read it as a new incarnation.\n"
    )
    follow(followed, coordinator_topic)
    rows = followed.rows(*AGAINST)
    assert [(row["incarnation"], counts(row)) for row in rows if row["relation"] == "event"] == [(2, (0, 0, 0))]
    assert {row["incarnation"] for row in rows} == {1, 2}


def test_a_missing_topic_is_one_sentence(followed: CommandLine, topics: Topics, coordinator_topic: str) -> None:
    topics.delete(coordinator_topic)
    finished = followed(*AGAINST, "--json")
    assert (finished.code, finished.json) == (1, [])
    assert f"Cannot verify {coordinator_topic}. Kafka at " in finished.err
    assert f"has no stream {coordinator_topic}." in finished.err


def test_logs_that_are_not_of_kafka_are_one_sentence_each(kafka_cli: CommandLine) -> None:
    kafka_cli.done("import", *RECORDING_A)
    finished = kafka_cli(*AGAINST, "--json")
    assert (finished.code, finished.json) == (1, [])
    assert finished.err.count("was imported from a recording and never followed, so it has no topic in Kafka") == 2


def test_brokers_are_needed(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.done("import", *RECORDING_A)
    assert "Set COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS" in cli.refused(*AGAINST)
    monkeypatch.setitem(client.TIMES, "bootstrap_timeout_ms", 500)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", place)
    assert f"Kafka at {place} does not answer" in cli.refused(*AGAINST)
    assert "'archive', 'kafka'" in cli.refused("verify", "--all", "--against", "tape", code=2)
