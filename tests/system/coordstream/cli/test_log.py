"""`coordstream log`: show, create, append and retire."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from eventlog.events import NewEvent, RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.recording import encode_line
from projections.follow.heartbeat import write_refusal
from projections.stream_lock import StreamLocks
from tests.fixtures.coordstream.command_line import COORDINATOR, RECORDING_A, CommandLine, config_event, recording
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import seem_old
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.slow

STREAM = "__samza_coordinator_counts_1"
KEY = '[1,"set-config","a"]'


def held(cli: CommandLine) -> list[RecordedEvent]:
    """The events of the log."""
    with PostgresEventLog(cli.database_url, STREAM) as log:
        return list(log.read())


def append(cli: CommandLine, *events: RecordedEvent) -> None:
    with PostgresEventLog(cli.database_url, STREAM) as log:
        log.append([NewEvent(event.key, event.value, event.timestamp) for event in events])


def test_an_event_is_appended_byte_for_byte(logged: CommandLine) -> None:
    assert logged.done("log", "append", STREAM, "--key", KEY, "--value", "ü\udcff") == f"{STREAM}: offset 0\n"
    assert logged.done("log", "append", STREAM, "--key", KEY, "--tombstone") == f"{STREAM}: offset 1\n"
    assert logged.done("log", "append", STREAM, "--key", "", "--value", "") == f"{STREAM}: offset 2\n"
    assert [(event.key, event.value) for event in held(logged)] == [
        (KEY.encode(), b"\xc3\xbc\xff"),
        (KEY.encode(), None),
        (b"", b""),
    ]


def test_the_records_of_a_recording_are_appended_with_their_times(logged: CommandLine, tmp_path: Path) -> None:
    header = RecordedEvent(40, 7, 0, b"k", b"v", (("h", b"x"), ("n", None)))
    events = [config_event(3, "a", "1", time=5), config_event(9, "a", None, time=6), header]
    path = recording(tmp_path / "r.jsonl.gz", events, STREAM)
    assert logged.done("log", "append", STREAM, "--from-file", path) == f"{STREAM}: offsets 0 to 2\n"
    assert held(logged) == [event._replace(offset=offset) for offset, event in enumerate(events)]
    assert logged.rows("log", "append", STREAM, "--from-file", path) == [
        {"stream_name": STREAM, "first_offset": 3, "next_offset": 6}
    ]


def test_records_of_other_streams_are_left_out(logged: CommandLine, tmp_path: Path) -> None:
    lines = [encode_line("other", config_event(0, "a", "1")), encode_line(STREAM, config_event(0, "b", "1"))]
    (tmp_path / "both.jsonl").write_bytes(b"".join(lines))
    logged.done("log", "append", STREAM, "--from-file", tmp_path / "both.jsonl")
    assert [event.key for event in held(logged)] == [b'[1,"set-config","b"]']
    refused = logged.refused("log", "append", STREAM, "--from-file", RECORDING_A[0])
    assert refused.endswith(f"Its streams: {COORDINATOR}.")


def test_a_fingerprint_is_not_appended_as_a_secret(cli: CommandLine, tmp_path: Path) -> None:
    cli.done(
        "import",
        recording(tmp_path / "r.jsonl", [config_event(0, "db.password", "hunter2")], "__samza_coordinator_old_1"),
    )
    exported = tmp_path / "out.jsonl"
    assert cli("export", "__samza_coordinator_old_1", "-o", exported).code == 0
    exported.write_text(exported.read_text().replace("__samza_coordinator_old_1", STREAM))
    cli.done("log", "create", STREAM)
    refused = cli.refused("log", "append", STREAM, "--from-file", exported)
    assert refused == "Event 1 has a fingerprint in place of a secret. Export the stream with --raw and append that."
    assert held(cli) == []


def test_events_are_appended_to_a_topic(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, tmp_path: Path
) -> None:
    assert kafka_cli.done("log", "append", coordinator_topic, "--key", KEY, "--value", "1").endswith(": offset 0\n")
    events = [config_event(0, f"k{number}", "x" * 1_000, time=5) for number in range(1_500)]
    path = recording(tmp_path / "r.jsonl.gz", enumerated(events), coordinator_topic)
    # more than a topic takes in one batch
    assert kafka_cli.done("log", "append", coordinator_topic, "--from-file", path).endswith(": offsets 1 to 1500\n")
    kept = topics.kept(coordinator_topic)
    assert [(event.key, event.value) for event in kept[1:]] == [(event.key, event.value) for event in events]
    assert kafka_cli.is_empty()


def test_what_kafka_refuses_is_reported(kafka_cli: CommandLine, coordinator_topic: str, tmp_path: Path) -> None:
    refused = kafka_cli.refused("log", "append", coordinator_topic, "--key", KEY, "--value", "x" * 1_100_000)
    assert refused.startswith(f"Cannot append to {coordinator_topic}: ")
    assert "are more than its max.message.bytes" in refused
    events = enumerated([*[config_event(0, "a", "1")] * 2_000, RecordedEvent(0, 1, 0, None, b"")])
    path = recording(tmp_path / "r.jsonl", events, coordinator_topic)
    refused = kafka_cli.refused("log", "append", coordinator_topic, "--from-file", path)
    assert refused.startswith("Events 1 to 2000 of 2001 were appended, at offsets 0 to 1999. Cannot append to ")


def enumerated(events: list[RecordedEvent]) -> list[RecordedEvent]:
    """The events, at offsets from 0."""
    return [event._replace(offset=offset) for offset, event in enumerate(events)]


def test_with_brokers_a_stream_is_a_topic_with_samzas_settings(
    kafka_cli: CommandLine, kafka_options: KafkaOptions, topics: Topics, job_name: str
) -> None:
    stream = f"__samza_checkpoint_ver_1_for_{job_name}_1"
    servers = kafka_options.bootstrap_servers
    assert kafka_cli.done("log", "create", stream) == f"{stream} created on Kafka at {servers}\n"
    with KafkaAdmin(kafka_options) as admin:
        topic = admin.topic(stream)
    assert (topic.partitions, topic.cleanup_policy, topic.max_message_bytes) == (1, frozenset({"compact"}), 1_000_012)
    assert kafka_cli.is_empty()
    assert f"already has a topic {stream}. Use it" in kafka_cli.refused("log", "create", stream)
    topics.delete(stream)


def test_the_newest_and_new_events_are_shown_until_ctrl_c(logged: CommandLine) -> None:
    assert "'--json' only" in logged.refused("log", "show", STREAM, "--follow", "--limit", "5", code=2)
    append(logged, *(config_event(0, f"k{number}", str(number)) for number in range(25)))
    with following(STREAM) as lines:
        assert [next(lines).split()[0] for _ in range(10)] == [str(offset) for offset in range(15, 25)]
        append(logged, config_event(0, "db.password", "hunter2", time=1_700_000_000_123))
        shown = next(lines)
        assert shown.startswith('      25  2023-11-14 22:13:20.123  [1,"set-config","db.password"]  {')
        assert "hmac-sha256:" in shown
        append(logged, config_event(0, "a\x1b[31m", None))
        assert next(lines).endswith("  (tombstone)\n")


def test_the_new_events_of_a_topic_are_shown(kafka_cli: CommandLine, topics: Topics, coordinator_topic: str) -> None:
    topics.write_transaction(coordinator_topic, [NewEvent(b"%d" % number, b"v", 1) for number in range(2)])
    with following(coordinator_topic) as lines:
        assert [next(lines).split()[0] for _ in range(2)] == ["0", "1"]
        came = ThreadPoolExecutor(1).submit(next, lines)
        while not came.done():  # it begins at the end that it finds
            topics.write(coordinator_topic, [NewEvent(b"new", b"v", 1)])
        assert "  new  v" in came.result()
        topics.write(coordinator_topic, [NewEvent(b"last", b"v", 1)])
        assert next(line for line in lines if "  new  v" not in line).endswith("  last  v\n")
    assert kafka_cli.is_empty()


@contextmanager
def following(stream: str, *words: str) -> Iterator[Iterator[str]]:
    """The lines of a command that follows the stream; at Ctrl-C it must succeed and print nothing more."""
    command = [sys.executable, "-m", "coordstream", "log", "show", stream, "--follow", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as shown:
        assert shown.stdout is not None
        try:
            yield iter(shown.stdout)
            shown.send_signal(signal.SIGINT)
            out, err = shown.communicate(timeout=PATIENCE)
        finally:
            shown.kill()
    assert (shown.returncode, out, err) == (0, "", "")


@pytest.fixture
def lost(cli: CommandLine) -> CommandLine:
    """The command line on a database with a log whose follower is lost."""
    cli.done("log", "create", STREAM)
    append(cli, config_event(0, "a", "1"))
    assert cli("follow", STREAM, "--once").code == 0
    with cli.connection() as connection:
        seem_old(connection)
        connection.execute("update projection.position set state = 'live', heartbeat_at = now() - interval '1 hour'")
    return cli


def states(cli: CommandLine) -> list[str]:
    return [row["state"] for row in cli("status", "--json").json]


def test_a_stream_that_is_followed_is_not_retired(lost: CommandLine) -> None:
    with connect(lost.database_url) as following:
        StreamLocks(following).take(STREAM)
        refused = lost.refused("log", "retire", STREAM)
    assert f"{STREAM} is being read by " in refused
    assert states(lost) == ["lost"]


def test_a_refused_stream_without_a_log_is_retired(cli: CommandLine) -> None:
    with cli.connection() as connection:
        write_refusal(connection, STREAM, None, "kafka", "it has 2 partitions")
    assert cli("status").code == 1
    cli.done("log", "retire", STREAM)
    assert (states(cli), cli("status").code) == (["retired"], 0)
