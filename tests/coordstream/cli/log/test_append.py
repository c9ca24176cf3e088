import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.recording import encode_line
from tests.coordstream.command_line import COORDINATOR, RECORDING_A, CommandLine, config_event, recording
from tests.fixtures.kafka_topics import Topics

pytestmark = pytest.mark.slow

STREAM = "__samza_coordinator_counts_1"
KEY = '[1,"set-config","a"]'


@pytest.fixture
def counts(cli: CommandLine) -> CommandLine:
    """The command line on a database with an empty log."""
    cli.done("log", "create", STREAM)
    return cli


def held(cli: CommandLine) -> list[RecordedEvent]:
    """The key and value of each event of the log."""
    with PostgresEventLog(cli.database_url, STREAM) as log:
        return list(log.read())


def test_an_event_is_appended_byte_for_byte(counts: CommandLine) -> None:
    assert counts.done("log", "append", STREAM, "--key", KEY, "--value", "ü\udcff") == f"{STREAM}: offset 0\n"
    assert counts.done("log", "append", STREAM, "--key", KEY, "--tombstone") == f"{STREAM}: offset 1\n"
    assert counts.done("log", "append", STREAM, "--key", "", "--value", "") == f"{STREAM}: offset 2\n"
    assert [(event.key, event.value) for event in held(counts)] == [
        (KEY.encode(), b"\xc3\xbc\xff"),
        (KEY.encode(), None),
        (b"", b""),
    ]


def test_the_records_of_a_recording_are_appended_with_their_times(counts: CommandLine, tmp_path: Path) -> None:
    header = RecordedEvent(40, 7, 0, b"k", b"v", (("h", b"x"), ("n", None)))
    events = [config_event(3, "a", "1", time=5), config_event(9, "a", None, time=6), header]
    path = recording(tmp_path / "r.jsonl.gz", events, STREAM)
    assert counts.done("log", "append", STREAM, "--file", path) == f"{STREAM}: offsets 0 to 2\n"
    assert held(counts) == [event._replace(offset=offset) for offset, event in enumerate(events)]
    assert counts.rows("log", "append", STREAM, "--file", path) == [
        {"stream_name": STREAM, "first_offset": 3, "next_offset": 6}
    ]


def test_records_of_other_streams_are_left_out(counts: CommandLine, tmp_path: Path) -> None:
    lines = [encode_line("other", config_event(0, "a", "1")), encode_line(STREAM, config_event(0, "b", "1"))]
    (tmp_path / "both.jsonl").write_bytes(b"".join(lines))
    counts.done("log", "append", STREAM, "--file", tmp_path / "both.jsonl")
    assert [event.key for event in held(counts)] == [b'[1,"set-config","b"]']
    refused = counts.refused("log", "append", STREAM, "--file", RECORDING_A[0])
    assert refused.endswith(f"Its streams: {COORDINATOR}.")


def test_a_recording_is_read_from_standard_input(counts: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    line = encode_line(STREAM, config_event(0, "a", "1"))
    give(line + b"\n" + line)
    assert counts.done("log", "append", STREAM, "--file", "-") == f"{STREAM}: offsets 0 to 1\n"
    give(line + b"hunter2\n")
    refused = counts.refused("log", "append", STREAM, "--file", "-")
    assert refused == (
        "Invalid line 2 of standard input: not a line of JSON, so the file is not a recording. Nothing was appended."
    )
    give(b"")
    assert " in standard input. Its streams: none." in counts.refused("log", "append", STREAM, "--file", "-")
    assert len(held(counts)) == 2


def test_an_event_is_appended_only_at_the_expected_offset(counts: CommandLine) -> None:
    words = ("log", "append", STREAM, "--key", KEY, "--value", "1", "--expected-offset")
    counts.done(*words, "0")
    assert "ends at offset 1, not at 0. Read the new events" in counts.refused(*words, "0")
    counts.done(*words, "1")
    assert len(held(counts)) == 2


def test_a_fingerprint_is_not_appended_as_a_secret(cli: CommandLine, tmp_path: Path) -> None:
    cli.done(
        "import",
        recording(tmp_path / "r.jsonl", [config_event(0, "db.password", "hunter2")], "__samza_coordinator_old_1"),
    )
    exported = tmp_path / "out.jsonl"
    assert cli("export", "__samza_coordinator_old_1", "-o", exported).code == 0
    exported.write_text(exported.read_text().replace("__samza_coordinator_old_1", STREAM))
    cli.done("log", "create", STREAM)
    refused = cli.refused("log", "append", STREAM, "--file", exported)
    assert refused == "Event 1 has a fingerprint in place of a secret. Export the stream with --raw and append that."
    assert held(cli) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Missing option: use --key with --value or --tombstone, or --file."),
        (("--value", "v"), "Missing option: use --key with --value or --tombstone, or --file."),
        (("--key", "k"), "--key needs either --value or --tombstone"),
        (("--key", "k", "--value", "v", "--tombstone"), "--key needs either --value or --tombstone"),
        (("--key", "k", "--file", "f"), "--file cannot be used with --key, --value or --tombstone."),
        (("--tombstone", "--file", "f"), "--file cannot be used with --key, --value or --tombstone."),
        (("--key", "k", "--value", "v", "--expected-offset", "-1"), "Invalid value for '--expected-offset'"),
    ],
)
def test_invalid_usage_appends_nothing(counts: CommandLine, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in counts.refused("log", "append", STREAM, *words, code=2)
    assert held(counts) == []


@pytest.mark.scenario("PRO-06")
def test_a_config_key_is_set_as_samza_s_script_does(counts: CommandLine) -> None:
    words = ("--type", "set-config", "--key", "job.container.count", "--value", "8")
    assert counts.done("log", "append", STREAM, *words) == f"{STREAM}: job.container.count set\n"
    (event,) = held(counts)
    assert event.key == b'[1,"set-config","job.container.count"]'
    assert b'"source":"coordinator-stream-writer","values":{"value":"8"}' in (event.value or b"")


@pytest.mark.scenario("PRO-06")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--type", "set-config", "--value", "8"), "--type needs --key and --value"),
        (("--type", "set-config", "--key", "a"), "--type needs --key and --value"),
        (("--type", "set-config", "--key", "a", "--tombstone"), "--type needs --key and --value"),
        (
            ("--type", "set-config", "--key", "a", "--value", "8", "--file", "f"),
            "only --force, --kind and --json go with it",
        ),
        (("--type", "set-config", "--key", "a", "--value", "\udcff"), "key and value must be UTF-8"),
        (("--type", "delete", "--key", "a", "--value", "8"), "Invalid --type 'delete'. Expected set-config."),
        (("--key", "a", "--value", "8", "--force"), "--force goes with --type only."),
    ],
)
def test_a_wrong_type_or_a_missing_key_appends_nothing(
    counts: CommandLine, words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in counts.refused("log", "append", STREAM, *words, code=2)
    assert held(counts) == []


def test_config_is_not_set_on_a_checkpoint_topic(cli: CommandLine) -> None:
    topic = "__samza_checkpoint_ver_1_for_counts_1"
    cli.done("log", "create", topic)
    refused = cli.refused("log", "append", topic, "--type", "set-config", "--key", "a", "--value", "1")
    assert refused == f"{topic} contains checkpoints, not config. Use the job's coordinator stream."


def test_only_logs_in_postgres_and_topics_accept_appends(wordcount: CommandLine) -> None:
    words = ("--key", "k", "--value", "v")
    assert "was imported from a recording" in wordcount.refused("log", "append", COORDINATOR, *words)


def test_a_missing_stream_is_reported_alike_by_append_and_tail(wordcount: CommandLine) -> None:
    missing = COORDINATOR.replace("wordcount", "wordcuont")
    refused = wordcount.refused("log", "append", missing, "--key", "k", "--value", "v")
    advice = f"The database has no stream {missing}. Create it with `coordstream log create`, or check the name. "
    assert refused.startswith(f'{advice}Did you mean "{COORDINATOR}"')
    assert wordcount.refused("log", "tail", missing) == refused


def test_events_are_appended_to_a_topic(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, tmp_path: Path
) -> None:
    assert kafka_cli.done("log", "append", coordinator_topic, "--key", KEY, "--value", "1").endswith(": offset 0\n")
    events = [config_event(0, f"k{number}", "x" * 1_000, time=5) for number in range(1_500)]
    path = recording(tmp_path / "r.jsonl.gz", enumerated(events), coordinator_topic)
    # more than a topic takes in one batch, so it is a transaction: whole or not at all
    assert kafka_cli.done("log", "append", coordinator_topic, "--file", path).endswith(": offsets 1 to 1500\n")
    kept = topics.kept(coordinator_topic)
    assert [(event.key, event.value) for event in kept[1:]] == [(event.key, event.value) for event in events]
    assert kafka_cli.is_empty()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--value", "1", "--expected-offset", "0"), "Kafka has no conditional append"),
        (("--value", "x" * 1_100_000), "are more than its max.message.bytes"),
    ],
)
def test_what_kafka_refuses_is_reported(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, words: tuple[str, ...], reason: str
) -> None:
    refused = kafka_cli.refused("log", "append", coordinator_topic, "--key", KEY, *words)
    assert refused.startswith(f"Cannot append to {coordinator_topic}: ")
    assert reason in refused
    assert topics.kept(coordinator_topic) == []


def test_a_missing_topic_is_reported(kafka_cli: CommandLine, job_name: str) -> None:
    stream = f"__samza_coordinator_{job_name}_1"
    refused = kafka_cli.refused("log", "append", stream, "--key", KEY, "--tombstone")
    assert refused.endswith(f"has no stream {stream}. Create it with `coordstream log create`, or check the name.")
    assert "'coordinator' or 'checkpoint'" in kafka_cli.refused("log", "append", job_name, "--key", KEY, "--tombstone")


def enumerated(events: list[RecordedEvent]) -> list[RecordedEvent]:
    """The events, at offsets from 0."""
    return [event._replace(offset=offset) for offset, event in enumerate(events)]
