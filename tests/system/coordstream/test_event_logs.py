from pathlib import Path

import pytest

from coordstream.cli.job_selection import find_log
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.event_logs import streams_of
from eventlog.events import NewEvent
from eventlog.recording import read_recording
from eventlog.streams import StreamIdentity, StreamKind, identify
from projections.job_choice import NO_LOGS, UnknownJob
from tests.fixtures.coordstream.command_line import (
    CHECKPOINT,
    COORDINATOR,
    RECORDING_A,
    CommandLine,
    config_event,
    recording,
)
from tests.fixtures.kafka_topics import Topics

STREAM = "__samza_coordinator_counts_1"


STREAMS = [
    identify(name)
    for name in (
        "__samza_coordinator_a-b_1",
        "__samza_checkpoint_ver_1_for_a-b_1",
        "__samza_coordinator_c_2",
        "__samza_checkpoint_ver_1_for_d_1",
        "__samza_checkpoint_ver_1_for_d_2",
    )
]


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("a_b", {"coordinator", "checkpoint"}),
        ("a-b/1", {"coordinator", "checkpoint"}),
        ("c", {"coordinator"}),
        ("d/2", {"checkpoint"}),
    ],
)
def test_the_streams_of_a_job(word: str, kinds: set[StreamKind]) -> None:
    found = streams_of(STREAMS, word)
    assert {stream.stream_kind for stream in found.values()} == found.keys() == kinds
    assert len({stream.suffix for stream in found.values()}) == 1


@pytest.mark.parametrize(
    ("streams", "word", "brokers", "sentence"),
    [
        (STREAMS, "x", "", 'No job "x". Known jobs: a-b, c, d/1, d/2.'),
        (STREAMS, "d", "", 'Ambiguous job "d". Use one of: d/1, d/2.'),
        (STREAMS, "x", "Kafka at b:1", 'No job "x" in Kafka at b:1. Known jobs: a-b, c, d/1, d/2.'),
        ([], "x", "Kafka at b:1", "No streams of a job in Kafka at b:1. Check COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS."),
        ([], "x", "", NO_LOGS),
        (
            [identify("__samza_coordinator_dr.a_1"), identify("dr.__samza_coordinator_a_1")],
            "dr.a",
            "",
            (
                "Two jobs are called dr.a/1: __samza_coordinator_dr.a_1, dr.__samza_coordinator_a_1. "
                "Use `coordstream log append` with a stream."
            ),
        ),
    ],
)
def test_unknown_and_ambiguous_names_are_refused(
    streams: list[StreamIdentity], word: str, brokers: str, sentence: str
) -> None:
    with pytest.raises((CoordstreamError, UnknownJob)) as refusal:
        streams_of(streams, word, brokers)
    assert str(refusal.value) == sentence


def test_a_stream_has_one_current_log(cli: CommandLine, tmp_path: Path) -> None:
    for value in ("old", "new"):
        cli.done("import", recording(tmp_path / "r.jsonl", [config_event(0, "a", value)]))
    with open_database() as database:
        assert find_log(database.connection, STREAM).incarnation == 2


@pytest.mark.slow
def test_a_mirrored_job_is_one_of_its_own(kafka_cli: CommandLine, topics: Topics) -> None:
    """MirrorMaker puts a prefix before the names of topics."""
    prefixes = ("", "dr.", "eu.")
    names = []
    for prefix in prefixes:
        for stream, path in zip((COORDINATOR, CHECKPOINT), RECORDING_A, strict=True):
            names.append(name := topics.create(f"{prefix}{stream}"))
            topics.write(name, [NewEvent(event.key, event.value, event.timestamp) for _, event in read_recording(path)])
    kafka_cli.done("config", "set", "dr.wordcount_pv", "a", "of dr")
    assert kafka_cli("follow", *names, "--once").code == 0
    jobs = [f"{prefix}wordcount_pv" for prefix in sorted(prefixes)]
    assert sorted(row["job_name"] for row in kafka_cli.rows("job", "list")) == sorted(jobs)
    assert [len(kafka_cli.rows("checkpoint", "show", job)) for job in jobs] == [16, 16, 16]
    found = kafka_cli.ask("select job_name, config_value from coordinator.config where config_key = 'a'")
    assert found == [("dr.wordcount_pv", "of dr")]
    kafka_cli.done("verify", "--all")
    written = kafka_cli.done("checkpoint", "write", "dr.wordcount_pv", "Partition 7/kafka.page-views.7=20", "--dry-run")
    assert "Checkpoints of dr.wordcount_pv/1" in written
