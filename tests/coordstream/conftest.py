"""Fixtures of the command line's tests."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from coordstream.cli import main
from coordstream.postgres import EmbeddedPostgres
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, MASK_KEY, RECORDING_A, CommandLine
from tests.fixtures.postgres import create_clone, replace_by_clone
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


@pytest.fixture(scope="session")
def wordcount_template(postgres_server: EmbeddedPostgres, template_database: str) -> str:
    """The name of a database that holds recording A, to be cloned."""
    return _template(postgres_server, template_database, "wordcount", [("import", *map(str, RECORDING_A))])


@pytest.fixture
def wordcount(cli: CommandLine, postgres_server: EmbeddedPostgres, wordcount_template: str) -> CommandLine:
    """The command line on a database that holds recording A."""
    replace_by_clone(postgres_server, cli.database_url, wordcount_template)
    return cli


@pytest.fixture(scope="session")
def appendable_template(postgres_server: EmbeddedPostgres, template_database: str) -> str:
    """The name of a database with recording A's job in Postgres logs, to be cloned."""
    commands = [
        command
        for stream, recording in zip((COORDINATOR, CHECKPOINT), map(str, RECORDING_A), strict=True)
        for command in (("log", "create", stream), ("log", "append", stream, "--file", recording))
    ]
    return _template(postgres_server, template_database, "appendable", commands)


@pytest.fixture
def appendable(cli: CommandLine, postgres_server: EmbeddedPostgres, appendable_template: str) -> CommandLine:
    """The command line with recording A's job in Postgres logs, which accept appends."""
    replace_by_clone(postgres_server, cli.database_url, appendable_template)
    return cli


def _template(server: EmbeddedPostgres, template: str, name: str, commands: Sequence[Sequence[str]]) -> str:
    """A clone of a template named ``name``, as the commands leave it."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("COORDSTREAM_DATABASE_URL", create_clone(server, template, name))
        environment.setenv("COORDSTREAM_MASK_KEY", MASK_KEY)
        assert [main(command) for command in commands] == [0] * len(commands)
    return name
