"""The README's commands and queries are executed in order, as by a new user."""

import re
import shlex
from pathlib import Path

import psycopg
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
    address = re.search(r"postgresql://[^\s\"]+", user.run("coordstream", "up", "--json"))
    assert address is not None
    examples = list(zip(blocks("sql"), blocks("text"), strict=True))
    assert len(examples) >= 3
    with psycopg.connect(address[0]) as connection:
        connection.execute("set time zone 'UTC'")
        assert [table(connection.execute(query.encode())) for query, _ in examples] == [rows for _, rows in examples]


def table(cursor: psycopg.Cursor[tuple[object, ...]]) -> str:
    """The rows of a query as the README shows them: aligned, with a line below the names of the columns."""
    names = [column.name for column in cursor.description or ()]
    rows = [["" if value is None else str(value) for value in row] for row in cursor.fetchall()]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    lines = [" | ".join(map(str.ljust, row, widths)).rstrip() for row in (names, *rows)]
    return "".join(f"{line}\n" for line in (lines[0], "-+-".join("-" * width for width in widths), *lines[1:]))


@pytest.mark.spark
@pytest.mark.long  # test_spark_page runs the same command in the session of the tests
def test_the_spark_job_writes_its_results(user: NewUser, imported: dict[str, str], tmp_path: Path) -> None:
    assert imported
    (command,) = [command for command in commands() if command.startswith(SPARK_COMMAND)]
    output = user.run(*shlex.split(command.replace("--output progress", f"--output {tmp_path / 'progress'}")))
    assert "Partition 0" in output
    assert list((tmp_path / "progress").rglob("*.parquet"))
