from pathlib import Path

import pytest

from coordstream.cli.log.find import find_log
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from projections.job_choice import NO_LOGS
from tests.coordstream.command_line import CommandLine, config_event, recording

STREAM = "__samza_coordinator_counts_1"


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


def test_an_unknown_stream_is_reported_with_the_known_ones(cli: CommandLine, tmp_path: Path) -> None:
    assert cli.refused("log", "show", "x") == NO_LOGS
    cli.done("import", recording(tmp_path / "r.jsonl", [config_event(0, "a", "1")]))
    assert cli.refused("log", "show", "x") == f"No stream 'x'. Known streams: {STREAM}."


def test_a_stream_that_was_not_followed_yet_is_not_unknown(cli: CommandLine) -> None:
    cli.done("log", "create", STREAM)
    for command in (("log", "show", STREAM), ("export", STREAM, "-o", "r.jsonl")):
        assert cli.refused(*command) == (
            f"{STREAM} has not been followed yet. Run `coordstream follow {STREAM} --once` first."
        )
    cli.follow(STREAM, "--once")
    cli.done("log", "show", STREAM)
