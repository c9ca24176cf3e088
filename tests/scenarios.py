"""The behaviours of Samza in ``scenarios.toml``: ``@pytest.mark.scenario("CON-01")`` marks a test that shows one."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
SCENARIOS: Final[dict[str, str]] = tomllib.loads(TESTS.joinpath("scenarios.toml").read_text())


def named(item: pytest.Item) -> set[str]:
    """The scenarios that a test shows."""
    return {name for mark in item.iter_markers("scenario") for name in mark.args}


@cache
def marked_in_sources() -> frozenset[str]:
    """The scenarios that any test of this folder names, whether it is run or not."""
    return frozenset(name for path in _sources() for name in _marked(ast.parse(path.read_text())))


def summary_line(shown: set[str]) -> str:
    """One line for the end of a test run: how many scenarios were shown."""
    return f"scenarios: {len(shown)} of {len(SCENARIOS)}"


def _sources() -> list[Path]:
    """What holds tests: files of them, and contracts, which such files inherit."""
    return sorted([*TESTS.rglob("test_*.py"), *(TESTS / "contracts").glob("*.py")])


def _marked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "scenario":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
