"""Completion as a shell requests it: by environment variables."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from coordstream.cli import main
from coordstream.postgres import EmbeddedPostgres
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, without_settings
from tests.fixtures.postgres import CloneSeries

pytestmark = pytest.mark.slow

FISH: Final = {"_COORDSTREAM_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}

Offered = Callable[..., list[str]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Offered:
    """The candidates that fish gets for a line, with these environment variables."""

    def complete(line: str, **environment: str) -> list[str]:
        with monkeypatch.context() as changed:
            for name, value in {**FISH, "_TYPER_COMPLETE_ARGS": line, **environment}.items():
                changed.setenv(name, value)
            with pytest.raises(SystemExit) as exited:
                main([])
        printed = capsys.readouterr()
        assert (exited.value.code or 0, printed.err) == (0, "")
        return [candidate.partition("\t")[0] for candidate in printed.out.splitlines() if candidate]

    for name in os.environ.keys() - without_settings().keys():
        monkeypatch.delenv(name)
    return complete


@pytest.fixture(scope="module")
def database(postgres_server: EmbeddedPostgres, wordcount_template: str) -> Iterator[dict[str, str]]:
    """A database that holds recording A, which completion only reads."""
    with CloneSeries(postgres_server, wordcount_template) as series:
        yield {"COORDSTREAM_DATABASE_URL": series.next_url()}


def test_commands_verbs_and_options_are_completed_without_a_database(offered: Offered) -> None:
    assert offered("coordstream che") == ["checkpoint"]
    assert sorted(offered("coordstream startpoint ")) == ["delete", "fan-out", "show", "write"]
    assert offered("coordstream config diff --f") == ["--from"]


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("coordstream config show ", ["wordcount_pv/1"]),
        ("coordstream config show x", []),
        ("coordstream log show ", [CHECKPOINT, COORDINATOR]),
        ("coordstream follow " + COORDINATOR + " __samza_ch", [CHECKPOINT]),
    ],
)
def test_what_the_database_knows_is_offered(
    offered: Offered, database: dict[str, str], line: str, candidates: list[str]
) -> None:
    assert offered(line, **database) == candidates


def test_completion_starts_nothing_and_prints_no_error(offered: Offered, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert offered("coordstream config show ", COORDSTREAM_HOME=str(home)) == []
    assert not home.exists()
    assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL="no url") == []
