"""Fixtures of the command line's tests."""

from pathlib import Path

import pytest

from tests.coordstream.command_line import MASK_KEY, RECORDING_A, CommandLine
from tests.fixtures.spark import jdbc_jar

__all__ = ["cli", "jdbc_jar", "wordcount"]


@pytest.fixture
def cli(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """The command line on a migrated, empty database, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", database_url)
    monkeypatch.setenv("COORDSTREAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", MASK_KEY)
    return CommandLine(database_url, capsys)


@pytest.fixture
def wordcount(cli: CommandLine) -> CommandLine:
    """The command line on a database that holds recording A."""
    cli.done("import", *RECORDING_A)
    return cli
