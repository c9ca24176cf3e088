"""Fixtures of the command line's tests."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordstream.postgres import EmbeddedPostgres
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, MASK_KEY, RECORDING_A, CommandLine
from tests.fixtures.postgres_server import temporary_home


@pytest.fixture
def cli(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """The command line on a migrated, empty database, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", database_url)
    monkeypatch.setenv("COORDSTREAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", MASK_KEY)
    for name in ("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "COORDSTREAM_KAFKA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    for progress in ("recording.import_progress.PROGRESS_AFTER_SECONDS", "follow.progress.LINE_SECONDS"):
        monkeypatch.setattr(f"coordstream.cli.{progress}", math.inf)  # a busy machine may take long
    return CommandLine(database_url, capsys)


@pytest.fixture
def home(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for an embedded server, which is stopped however the test ends."""
    monkeypatch.delenv("COORDSTREAM_DATABASE_URL")
    with temporary_home() as folder:
        monkeypatch.setenv("COORDSTREAM_HOME", str(folder))
        try:
            yield folder
        finally:
            EmbeddedPostgres(folder).stop()


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables as in a terminal of 80 columns."""
    monkeypatch.setattr("coordstream.cli.output.tables.page_width", lambda: 80)


@pytest.fixture
def kafka_cli(cli: CommandLine, kafka_bootstrap_servers: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on an empty database, with the test broker set."""
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", kafka_bootstrap_servers)
    return cli


@pytest.fixture
def wordcount(cli: CommandLine) -> CommandLine:
    """The command line on a database that holds recording A."""
    cli.done("import", *RECORDING_A)
    return cli


@pytest.fixture
def appendable(cli: CommandLine) -> CommandLine:
    """The command line with recording A's job in Postgres logs, which accept appends."""
    for stream, recording in zip((COORDINATOR, CHECKPOINT), RECORDING_A, strict=True):
        cli.done("log", "create", stream)
        cli.done("log", "append", stream, "--file", recording)
    return cli
