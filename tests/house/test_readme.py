"""What the README shows is run, in the order in which it stands, as a new user would run it."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fixtures.postgres_server import temporary_home

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SPARK_COMMAND = "coordstream spark "


def blocks(language: str) -> list[str]:
    """The README's fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line.strip()]


class Shell:
    """A new user's shell: a folder with the recordings in it, an empty data folder, and no other setting."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "tests").symlink_to(ROOT / "tests")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COORDSTREAM_")}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = kept | {"PATH": path, "COORDSTREAM_HOME": str(folder / "home")}

    def run(self, command: str) -> str:
        done = subprocess.run(
            shlex.split(command), cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with temporary_home() as folder:
        shell = Shell(folder)
        yield shell
        shell.run("coordstream down")


@pytest.fixture(scope="module")
def imported(shell: Shell) -> dict[str, str]:
    """Output of every command but Spark's, by command."""
    return {command: shell.run(command) for command in commands() if not command.startswith(SPARK_COMMAND)}


def test_every_command_prints_something(imported: dict[str, str]) -> None:
    silent = [command for command, output in imported.items() if not output.strip() and " export " not in command]
    expected = [command for command in imported if command == "coordstream quarantine show"]
    assert len(imported) > 8
    assert set(silent) <= set(expected)


def test_every_query_returns_rows(shell: Shell, imported: dict[str, str]) -> None:
    assert imported
    address = re.search(r"postgresql://[^\s\"]+", shell.run("coordstream up --json"))
    assert address is not None
    queries = [query for block in blocks("sql") for query in block.split(";") if query.strip()]
    assert len(queries) >= 4
    with psycopg.connect(address[0]) as connection:
        empty = [query for query in queries if not connection.execute(query.encode()).fetchall()]
    assert empty == []


def test_every_relation_is_in_the_readme(shell: Shell) -> None:
    address = re.search(r"postgresql://[^\s\"]+", shell.run("coordstream up --json"))
    assert address is not None
    with psycopg.connect(address[0]) as connection:
        rows = connection.execute("select viewname from pg_views where schemaname = 'coordinator'").fetchall()
    assert [name for (name,) in rows if f"`{name}`" not in README] == []


@pytest.mark.spark
def test_the_spark_job_writes_its_results(shell: Shell, imported: dict[str, str], tmp_path: Path) -> None:
    assert imported
    (command,) = [command for command in commands() if command.startswith(SPARK_COMMAND)]
    output = shell.run(command.replace("--output progress", f"--output {tmp_path / 'progress'}"))
    assert "Partition 0" in output
    assert list((tmp_path / "progress").rglob("*.parquet"))
    assert list((tmp_path / "progress").rglob("*.png"))
