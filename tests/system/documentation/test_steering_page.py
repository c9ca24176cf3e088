"""What docs/steering.md shows is run as it stands there, in order."""

import doctest
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from coordstream.cli.app import main
from eventlog.events import NewEvent
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics

PAGE: Final = CHECKOUT / "docs" / "steering.md"
STREAMS: Final = [
    name(job, "1") for job in ("seen", "clicks", "pages") for name in (coordinator_stream_name, checkpoint_stream_name)
]
BLOCK: Final = re.compile(r"^```(python|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_page_gives_what_it_shows(
    spark: SparkSession, kafka_cli: CommandLine, topics: Topics, jdbc_jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jdbc_jar))
    topic = topics.create("clicks", {}, partitions=2)

    def write_clicks(user: str, count: int, *, partition: int) -> None:
        topics.write(topic, [NewEvent(user.encode(), b"%d" % page) for page in range(count)], partition=partition)

    write_clicks("ada", 50, partition=0)
    write_clicks("bob", 50, partition=1)
    for name in STREAMS:
        topics.will_be_made(name)
    names: dict[str, Any] = {"write_clicks": write_clicks}
    for number, (language, text) in enumerate(BLOCK.findall(PAGE.read_text(encoding="utf-8"))):
        if language == "python":
            run_examples(text, names, number)
        else:
            run_commands(text, [name for name in STREAMS if topics.is_there(name)])


def run_examples(text: str, names: dict[str, Any], number: int) -> None:
    """Run the examples of a block with the names of the blocks before it."""
    test = doctest.DocTestParser().get_doctest(text, names, f"block {number} of {PAGE.name}", str(PAGE), 0)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
    assert results.failed == 0
    names.update(test.globs)


def run_commands(text: str, streams: list[str]) -> None:
    """Run the commands of a block; `--all` would also follow the topics of tests beside this one."""
    for line in text.splitlines():
        program, *words = shlex.split(line)
        assert program == "coordstream"
        assert main([each for word in words for each in (streams if word == "--all" else [word])]) == 0, line
