from pathlib import Path

import pytest

from coordstream.cli.event_logs import find_log, open_source
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from tests.coordstream.command_line import CommandLine, config_event, recording

STREAM = "__samza_coordinator_counts_1"


def test_without_brokers_the_streams_are_those_of_the_database(cli: CommandLine) -> None:
    cli.done("log", "create", STREAM)
    with open_source() as source:
        assert (source.backend, source.stream_names()) == ("postgres", [STREAM])
        assert source.describe(STREAM).end_offset == 0


def test_no_more_connections_are_held_than_the_source_needs(cli: CommandLine) -> None:
    with open_source() as source:
        assert source.stream_names() == []
        names = cli.ask("select application_name from pg_stat_activity where datname = current_database()")
    assert [name for (name,) in names if name.startswith("coordstream")] == ["coordstream follow (source)"]


def test_with_brokers_the_streams_are_topics_and_need_no_database(
    kafka_cli: CommandLine, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    with open_source() as source:
        assert source.backend == "kafka"
        assert coordinator_topic in source.stream_names()


@pytest.mark.parametrize(
    "words", [("create", STREAM), ("append", STREAM, "--key", "k", "--tombstone"), ("show", STREAM, "--follow")]
)
def test_an_invalid_kafka_option_is_reported_without_its_value(
    cli: CommandLine, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"security_protocol": "hunter2"}')
    refused = cli.refused("log", *words)
    assert refused.startswith(
        "Invalid COORDSTREAM_KAFKA_OPTIONS: invalid value of the Kafka option 'security_protocol'. Expected one of"
    )
    assert "hunter2" not in refused


def test_the_current_incarnation_is_the_default(cli: CommandLine, tmp_path: Path) -> None:
    for value in ("old", "new"):
        cli.done("import", recording(tmp_path / "r.jsonl", [config_event(0, "a", value)]))
    with open_database() as database:
        assert find_log(database.connection, STREAM).incarnation == 2
        assert find_log(database.connection, STREAM, 1).incarnation == 1
    with (
        pytest.raises(CoordstreamError, match=r"has no incarnation 3\. Known incarnations: 1, 2\."),
        open_database() as database,
    ):
        find_log(database.connection, STREAM, 3)
