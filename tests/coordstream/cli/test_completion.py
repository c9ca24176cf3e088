"""Completion as shells request it, each in its own process; for quoting, with bash itself."""

import shlex
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from tests.coordstream.command_line import (
    CHECKPOINT,
    COORDINATOR,
    CommandLine,
    in_own_process,
    without_settings,
)
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.slow

ASK_BASH: Final = """
source <(coordstream --show-completion bash)
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_coordstream_completion coordstream
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def offered(line: str, **environment: str) -> list[str]:
    """The candidates that fish gets for a line."""
    words = {"_COORDSTREAM_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    finished = in_own_process(**words, _TYPER_COMPLETE_ARGS=line, **environment)
    assert finished.err == ""
    return [candidate.partition("\t")[0] for candidate in finished.out.splitlines() if candidate]


@pytest.fixture
def database(wordcount: CommandLine) -> dict[str, str]:
    return {"COORDSTREAM_DATABASE_URL": wordcount.database_url}


def test_commands_verbs_and_options_are_completed_without_a_database() -> None:
    assert offered("coordstream che") == ["checkpoint"]
    assert sorted(offered("coordstream config ")) == ["delete", "diff", "history", "set", "show"]
    assert sorted(offered("coordstream startpoint ")) == ["delete", "fan-out", "show", "write"]
    assert offered("coordstream config diff --f") == ["--from"]
    assert offered("coordstream startpoint write --i") == ["--input-bootstrap-servers"]


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("coordstream config show ", ["wordcount_pv/1"]),
        ("coordstream config show word", ["wordcount_pv/1"]),
        ("coordstream config show x", []),
        ("coordstream config diff wordcount_pv ", ["wordcount_pv/1"]),
        ("coordstream quarantine show w", ["wordcount_pv/1"]),
        ("coordstream log show ", [CHECKPOINT, COORDINATOR]),
        ("coordstream log tail __samza_co", [COORDINATOR]),
        ("coordstream export __samza_ch", [CHECKPOINT]),
        ("coordstream follow " + COORDINATOR + " __samza_ch", [CHECKPOINT]),
        ("coordstream task show wordcount_pv ", [f"Partition {n}" for n in range(8)]),
        ("coordstream checkpoint show wordcount_pv/1 --task Part", [f"Partition {n}" for n in range(8)]),
        ("coordstream task show nope ", []),
        ("coordstream startpoint write wordcount_pv kaf", ["kafka.page-views", "kafka.rules"]),
        ("coordstream startpoint delete wordcount_pv/1 kafka.p", ["kafka.page-views"]),
        ("coordstream startpoint write wordcount_pv --task Part", [f"Partition {n}" for n in range(8)]),
        ("coordstream startpoint fan-out w", ["wordcount_pv/1"]),
    ],
)
def test_what_the_database_knows_is_offered(database: dict[str, str], line: str, candidates: list[str]) -> None:
    assert offered(line, **database) == candidates


@pytest.mark.parametrize(
    ("words", "candidates"),
    [
        (r"coordstream task show wordcount_pv Part", [rf"Partition\ {n}" for n in range(8)]),
        (r"coordstream task show wordcount_pv 'Partition\ '", [rf"Partition\ {n}" for n in range(8)]),
        (r"""coordstream task show wordcount_pv "'Partition" """, [f"Partition {n}" for n in range(8)]),
        (r"coordstream job show w", ["wordcount_pv/1"]),
        (r"coordstream job show x", [""]),
    ],
)
def test_bash_gets_escaped_candidates(
    database: dict[str, str], tmp_path: Path, words: str, candidates: list[str]
) -> None:
    program = tmp_path / "bin" / "coordstream"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m coordstream.cli "$@"\n')
    program.chmod(0o755)
    kept = without_settings()
    environment = {**kept, **database, "PATH": f"{program.parent}:{kept['PATH']}"}
    ended = subprocess.run(
        ["bash", "--norc", "-c", ASK_BASH.format(words=words)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == candidates


def test_completion_starts_nothing_and_prints_no_error(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert offered("coordstream config show ", COORDSTREAM_HOME=str(home)) == []
    assert not home.exists()
    assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL="no url") == []
    assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL="postgresql://u:p@127.0.0.1:1/d") == []


def test_completion_does_not_wait_for_the_database() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"postgresql://u:p@127.0.0.1:{mute.getsockname()[1]}/d"
        began = monotonic()
        assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL=url) == []
        assert monotonic() - began < PATIENCE / 2
