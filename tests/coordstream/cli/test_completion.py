"""Completion as shells request it: by environment variables in this process, once in its own, and by bash itself."""

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from coordstream.cli import main
from coordstream.postgres import EmbeddedPostgres
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, in_own_process, without_settings
from tests.fixtures.postgres import CloneSeries
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.slow

LOAD_INTO_BASH: Final = "source <(coordstream --show-completion bash)"
ASK_BASH: Final = """
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_coordstream_completion coordstream
printf '%s\\n' "${{COMPREPLY[@]}}" end
"""


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
                main()
        printed = capsys.readouterr()
        assert (exited.value.code or 0, printed.err) == (0, "")
        return candidates_of(printed.out)

    for name in os.environ.keys() - without_settings().keys():
        monkeypatch.delenv(name)
    return complete


def candidates_of(printed: str) -> list[str]:
    return [candidate.partition("\t")[0] for candidate in printed.splitlines() if candidate]


@pytest.fixture(scope="module")
def database(postgres_server: EmbeddedPostgres, wordcount_template: str) -> Iterator[dict[str, str]]:
    """A database that holds recording A, which completion only reads."""
    with CloneSeries(postgres_server, wordcount_template) as series:
        yield {"COORDSTREAM_DATABASE_URL": series.next_url()}


def test_a_shell_gets_candidates_on_standard_output_alone() -> None:
    finished = in_own_process(**FISH, _TYPER_COMPLETE_ARGS="coordstream che")
    assert (finished.code, finished.err) == (0, "")
    assert candidates_of(finished.out) == ["checkpoint"]


def test_commands_verbs_and_options_are_completed_without_a_database(offered: Offered) -> None:
    assert offered("coordstream che") == ["checkpoint"]
    assert sorted(offered("coordstream config ")) == ["check", "delete", "diff", "history", "set", "show", "write"]
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
        ("coordstream explain wordcount_pv ", [f"Partition {n}" for n in range(8)]),
        ("coordstream checkpoint show wordcount_pv/1 --task Part", [f"Partition {n}" for n in range(8)]),
        ("coordstream explain nope ", []),
        ("coordstream startpoint write wordcount_pv kaf", ["kafka.page-views", "kafka.rules"]),
        ("coordstream startpoint delete wordcount_pv/1 kafka.p", ["kafka.page-views"]),
        ("coordstream startpoint write wordcount_pv --task Part", [f"Partition {n}" for n in range(8)]),
        ("coordstream startpoint fan-out w", ["wordcount_pv/1"]),
    ],
)
def test_what_the_database_knows_is_offered(
    offered: Offered, database: dict[str, str], line: str, candidates: list[str]
) -> None:
    assert offered(line, **database) == candidates


BASH_LINES: Final = {
    r"coordstream explain wordcount_pv Part": [rf"Partition\ {n}" for n in range(8)],
    r"coordstream explain wordcount_pv 'Partition\ '": [rf"Partition\ {n}" for n in range(8)],
    r"""coordstream explain wordcount_pv "'Partition" """: [f"Partition {n}" for n in range(8)],
    r"coordstream job show w": ["wordcount_pv/1"],
    r"coordstream job show x": [],
}


def test_bash_gets_escaped_candidates(database: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "bin" / "coordstream"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m coordstream.cli "$@"\n')
    program.chmod(0o755)
    kept = without_settings()
    environment = {**kept, **database, "PATH": f"{program.parent}:{kept['PATH']}"}
    ended = subprocess.run(
        ["bash", "--norc", "-c", LOAD_INTO_BASH + "".join(ASK_BASH.format(words=words) for words in BASH_LINES)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    answers = ended.stdout.split("end\n")[:-1]
    assert dict(zip(BASH_LINES, map(str.splitlines, answers), strict=True)) == BASH_LINES


def test_completion_starts_nothing_and_prints_no_error(offered: Offered, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert offered("coordstream config show ", COORDSTREAM_HOME=str(home)) == []
    assert not home.exists()
    assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL="no url") == []
    assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL="postgresql://u:p@127.0.0.1:1/d") == []


def test_completion_does_not_wait_for_the_database(offered: Offered) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"postgresql://u:p@127.0.0.1:{mute.getsockname()[1]}/d"
        began = monotonic()
        assert offered("coordstream config show ", COORDSTREAM_DATABASE_URL=url) == []
        assert monotonic() - began < PATIENCE / 2
