"""The README's commands and queries are executed in order, as by a new user."""

import re
import shlex
from pathlib import Path

import pytest

from tests.checkout import CHECKOUT
from tests.fixtures.new_user import NewUser

pytestmark = pytest.mark.slow

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
SPARK_COMMAND = "coordstream spark "


def blocks(language: str) -> list[str]:
    """The README's fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def imported(user: NewUser) -> dict[str, str]:
    """The output of each command, except Spark's."""
    return {command: user.run(*shlex.split(command)) for command in commands() if not command.startswith(SPARK_COMMAND)}


def test_every_command_prints_something(imported: dict[str, str]) -> None:
    silent = [command for command, output in imported.items() if not output.strip()]
    assert len(imported) > 6
    assert silent == []


def test_every_query_returns_the_rows_that_are_shown(user: NewUser, imported: dict[str, str]) -> None:
    assert imported
    examples = list(zip(blocks("sql"), blocks("text"), strict=True))
    assert len(examples) >= 3
    assert [psql(user, query) for query, _ in examples] == [rows for _, rows in examples]


def psql(user: NewUser, query: str) -> str:
    """What psql prints, without the number of rows and the spaces at the ends of lines."""
    lines = user.run("coordstream", "psql", "--", "-P", "footer=off", "-c", query).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines if line)


@pytest.mark.spark
@pytest.mark.long  # test_spark_page runs the same command in the session of the tests
def test_the_spark_job_writes_its_results(user: NewUser, imported: dict[str, str], tmp_path: Path) -> None:
    assert imported
    (command,) = [command for command in commands() if command.startswith(SPARK_COMMAND)]
    output = user.run(*shlex.split(command.replace("--output progress", f"--output {tmp_path / 'progress'}")))
    assert "Partition 0" in output
    assert list((tmp_path / "progress").rglob("*.parquet"))
