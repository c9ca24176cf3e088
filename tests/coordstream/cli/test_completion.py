"""Completion as a shell requests it: by environment variables."""

import os
from collections.abc import Callable
from typing import Final

import pytest

from coordstream.cli import main
from tests.coordstream.command_line import without_settings

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


def test_commands_verbs_and_options_are_completed_without_a_database(offered: Offered) -> None:
    assert offered("coordstream che") == ["checkpoint"]
    assert sorted(offered("coordstream startpoint ")) == ["delete", "fan-out", "show", "write"]
    assert offered("coordstream config diff --f") == ["--from"]
