"""The README's commands and queries are executed in order, as by a new user."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fixtures.new_user import NewUser, new_user

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SPARK_COMMAND = "coordstream spark "


def blocks(language: str) -> list[str]:
    """The README's fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def user() -> Iterator[NewUser]:
    with new_user() as user:
        yield user


@pytest.fixture(scope="module")
def imported(user: NewUser) -> dict[str, str]:
    """The output of each command, except Spark's."""
    return {command: user.run(*shlex.split(command)) for command in commands() if not command.startswith(SPARK_COMMAND)}


def test_every_command_prints_something(imported: dict[str, str]) -> None:
    silent = [command for command, output in imported.items() if not output.strip() and " export " not in command]
    expected = [command for command in imported if command == "coordstream quarantine show"]
    assert len(imported) > 8
    assert set(silent) <= set(expected)


def test_written_messages_have_the_current_time(imported: dict[str, str]) -> None:
    assert "years ago" not in imported["coordstream config show orders"]
    assert [command for command, output in imported.items() if "1970-" in output] == []


def test_every_query_returns_rows(user: NewUser, imported: dict[str, str]) -> None:
    assert imported
    address = re.search(r"postgresql://[^\s\"]+", user.run("coordstream", "up", "--json"))
    assert address is not None
    queries = [query for block in blocks("sql") for query in block.split(";") if query.strip()]
    assert len(queries) >= 4
    with psycopg.connect(address[0]) as connection:
        empty = [query for query in queries if not connection.execute(query.encode()).fetchall()]
    assert empty == []


def test_every_relation_is_in_the_readme(user: NewUser) -> None:
    address = re.search(r"postgresql://[^\s\"]+", user.run("coordstream", "up", "--json"))
    assert address is not None
    with psycopg.connect(address[0]) as connection:
        rows = connection.execute("select viewname from pg_views where schemaname = 'coordinator'").fetchall()
    assert [name for (name,) in rows if f"`{name}`" not in README] == []


@pytest.mark.spark
def test_the_spark_job_writes_its_results(user: NewUser, imported: dict[str, str], tmp_path: Path) -> None:
    assert imported
    (command,) = [command for command in commands() if command.startswith(SPARK_COMMAND)]
    output = user.run(*shlex.split(command.replace("--output progress", f"--output {tmp_path / 'progress'}")))
    assert "Partition 0" in output
    assert list((tmp_path / "progress").rglob("*.parquet"))
    assert list((tmp_path / "progress").rglob("*.png"))
