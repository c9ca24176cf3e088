"""What docs/spark.md shows is run as it stands there, in order, in the run's Spark session."""

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import SparkSession

from coordstream.cli.app import main
from eventlog.postgres.connection import connect
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.odd_jobs import import_recording_a

COMMAND: Final = re.compile(r"^coordstream (spark .*)$", re.MULTILINE)
SHELL: Final = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGE: Final = CHECKOUT / "docs" / "spark.md"


@pytest.fixture
def settings(database_url: str, jdbc_jar: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The settings of a database with the recorded job."""
    with connect(database_url) as connection:
        import_recording_a(connection)
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", database_url)
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jdbc_jar))
    yield
    monkeypatch.undo()


def test_the_examples_give_what_they_show(spark: SparkSession, settings: None) -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    spark.catalog.dropTempView("checkpoint_history")
    assert results.failed == 0
    assert results.attempted > 15


def test_the_commands_write_what_the_page_says(
    spark: SparkSession,
    settings: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(type(spark), "stop", lambda _: None)  # the jobs stop their session, which is the run's
    blocks = SHELL.findall(PAGE.read_text(encoding="utf-8"))
    commands = [command for block in blocks for command in COMMAND.findall(block)]
    assert set(COMMAND.findall((CHECKOUT / "README.md").read_text(encoding="utf-8"))) <= set(commands)
    for command in commands:
        assert main(shlex.split(command)) == 0, command
    assert "Startpoint effects of wordcount_pv/1" in capsys.readouterr().out
    outputs = [words[words.index("--output") + 1] for words in map(shlex.split, commands) if "--output" in words]
    assert [list(Path(output).glob("*.png")) != [] for output in outputs] == [True] * 3


def test_the_commands_that_need_brokers_or_a_cluster_exist(capsys: pytest.CaptureFixture[str]) -> None:
    commands = COMMAND.findall(SHELL.sub("", PAGE.read_text(encoding="utf-8")))
    assert commands
    for command in commands:
        assert main([*shlex.split(command, comments=True), "--help"]) == 0, command
    assert "Usage: coordstream spark replay" in capsys.readouterr().out
