import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from coordstream.cli.log.tail import newest_events
from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.source import StreamFacts
from tests.coordstream.command_line import COORDINATOR, CommandLine, config_event
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.slow

STREAM = "__samza_coordinator_counts_1"


@pytest.fixture
def counts(cli: CommandLine) -> CommandLine:
    """The command line on a database with a log of 25 events that are not projected."""
    cli.done("log", "create", STREAM)
    append(cli, *(config_event(0, f"k{number}", str(number)) for number in range(25)))
    return cli


def append(cli: CommandLine, *events: RecordedEvent) -> None:
    with PostgresEventLog(cli.database_url, STREAM) as log:
        log.append([NewEvent(event.key, event.value, event.timestamp) for event in events])


def offsets(cli: CommandLine, *words: str) -> list[int]:
    return [row["log_offset"] for row in cli.rows("log", "tail", STREAM, *words)]


@pytest.mark.usefixtures("narrow")
def test_the_newest_events_are_shown_before_they_are_projected(counts: CommandLine) -> None:
    assert [(row["next_offset"], row["lag"]) for row in counts.rows("status")] == [(0, 25)]
    assert offsets(counts) == list(range(15, 25))
    assert offsets(counts, "-n", "2") == [23, 24]
    assert offsets(counts, "-n", "99") == list(range(25))
    assert offsets(counts, "-n", "0") == []
    printed = counts.done("log", "tail", STREAM, "-n", "1")
    assert '[1,"set-config","k24"]' in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_secrets_are_fingerprints(counts: CommandLine) -> None:
    append(counts, config_event(0, "db.password", "hunter2"), config_event(0, "db.password", None))
    rows = counts.rows("log", "tail", STREAM, "-n", "2")
    assert "hunter2" not in str(rows)
    assert "hmac-sha256:" in rows[0]["value"]
    assert rows[1]["operation"] == "delete"


def test_an_unknown_stream_is_reported(wordcount: CommandLine) -> None:
    assert f"has no stream {STREAM}" in wordcount.refused("log", "tail", STREAM)
    assert "the archive of a recording log" in wordcount.refused("log", "tail", COORDINATOR, "--follow")


def test_new_events_are_shown_until_ctrl_c(counts: CommandLine) -> None:
    with following(STREAM, "-n", "1") as lines:
        assert '[1,"set-config","k24"]' in next(lines)
        append(counts, config_event(0, "db.password", "hunter2", time=1_700_000_000_123))
        shown = next(lines)
        assert shown.startswith('      25  2023-11-14 22:13:20.123  [1,"set-config","db.password"]  {')
        assert "hmac-sha256:" in shown
        append(counts, config_event(0, "a\x1b[31m", None))
        assert next(lines).endswith("  (tombstone)\n")


def test_an_empty_stream_is_followed(cli: CommandLine) -> None:
    cli.done("log", "create", STREAM)
    with following(STREAM, "--json") as lines:
        append(cli, config_event(0, "a", "1"), config_event(0, "a", None))
        assert [json.loads(next(lines))["operation"] for _ in range(2)] == ["set", "delete"]


def test_the_newest_and_the_new_events_of_a_topic_are_shown(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str
) -> None:
    topics.write_transaction(coordinator_topic, [NewEvent(b"%d" % number, b"v", 1) for number in range(5)])
    topics.write(coordinator_topic, [NewEvent(b"db.password", b"hunter2", 1)])
    rows = kafka_cli.rows("log", "tail", coordinator_topic, "-n", "2")
    assert [row["log_offset"] for row in rows] == [4, 6]
    assert "hunter2" not in str(rows)
    with following(coordinator_topic, "-n", "0") as lines:
        came = ThreadPoolExecutor(1).submit(next, lines)
        while not came.done():  # it begins at the end that it finds
            topics.write(coordinator_topic, [NewEvent(b"new", b"v", 1)])
        assert "  new  v" in came.result()
        last = topics.end_offset(coordinator_topic) - 1
        for line in lines:
            if line.startswith(f"{last:>8}  "):
                break
    assert kafka_cli.is_empty()


def test_a_missing_topic_is_reported(kafka_cli: CommandLine, job_name: str) -> None:
    assert "has no stream" in kafka_cli.refused("log", "tail", f"__samza_coordinator_{job_name}_1")


@contextmanager
def following(stream: str, *words: str) -> Iterator[Iterator[str]]:
    """The lines of a command that follows the stream; at Ctrl-C it must succeed and print nothing more."""
    command = [sys.executable, "-m", "coordstream.cli", "log", "tail", stream, "--follow", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as tail:
        assert tail.stdout is not None
        try:
            yield iter(tail.stdout)
            tail.send_signal(signal.SIGINT)
            out, err = tail.communicate(timeout=PATIENCE)
        finally:
            tail.kill()
    assert (tail.returncode, out, err) == (0, "", "")


class Holed:
    """The reading of a compacted stream that keeps few offsets."""

    def __init__(self, *kept: int) -> None:
        self.kept = kept
        self.asked: list[int] = []

    def read(self, _: str, first: int, until: int) -> Iterator[RecordedEvent]:
        self.asked.append(first)
        return (RecordedEvent(offset, 0, 0, b"k", b"v") for offset in self.kept if first <= offset < until)


@pytest.mark.parametrize(
    ("count", "shown", "asked"),
    [
        (2, [90, 999_999], [999_000, 996_000, 984_000, 936_000, 744_000, 50]),
        (1, [999_999], [999_000]),
        (9, [50, 70, 90, 999_999], [999_000, 996_000, 984_000, 936_000, 744_000, 50]),
        (0, [], [999_000]),
    ],
)
def test_it_reads_back_over_gaps_as_far_as_needed(count: int, shown: list[int], asked: list[int]) -> None:
    source = Holed(50, 70, 90, 999_999)
    facts = StreamFacts(STREAM, None, 50, 1_000_000)
    assert [event.offset for event in newest_events(source.read, facts, count)] == shown
    assert source.asked == asked
