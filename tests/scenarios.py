"""The behaviours of Samza that tests name: ``@pytest.mark.scenario("CON-01")`` above the test that shows one."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
_NUMBERS: Final = {
    "MSG": (1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 20),
    "CON": (1, 2, 3, 4, 5, 7, 8),
    "PRO": (1, 2, 4, 5, 6, 8),
    "CSS": (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15),
    "CFG": (1, 2, 4, 5, 6, 7, 9, 10, 11),
    "CKS": (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14, 15, 19, 20, 21),
    "CKM": (2, 3, 4, 5, 9, 10),
    "KCM": (1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 20, 21, 22, 23, 24, 25),
    "OFF": (1, 2, 3, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22),
    "CKT": (1, 2, 3, 4, 5, 7, 10, 12),
    "CLG": (1, 2, 3, 4, 5, 8, 9, 10, 12, 13),
    "LOC": (1, 2, 3, 5, 6),
    "TAM": (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13),
    "JMM": (1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 14),
    "JCM": (1, 2, 3, 6, 7, 9, 12, 13, 14, 17, 18, 20),
    "SPM": (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 14, 15, 17, 18, 19, 22, 26, 27),
    "SPR": (1, 2, 3, 4, 5, 8),
    "SCM": (1, 4, 6, 7, 9, 11),
    "TCM": (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 19, 20, 22),
    "CSM": (1, 2, 3, 4, 5, 8),
    "HRD": (
        *(1, 2, 3, 4, 6, 8, 10, 11, 13, 14, 16, 19, 20, 21, 22, 24, 25, 28, 29, 31, 32, 33, 35, 36, 37, 38, 39),
        *(42, 43, 44, 45, 46, 47, 48, 49, 50, 52, 53, 54, 55, 56, 57),
    ),
}
SCENARIOS: Final = {group: tuple(f"{group}-{number:02}" for number in numbers) for group, numbers in _NUMBERS.items()}
"""The ids of each group: messages, consumer, producers, store, config, checkpoints, their managers and their tool,
changelog partitions, locality, task assignments, job models, job coordinator metadata, startpoints, their offsets,
state checkpoint markers, commits of state, and hard cases."""


def named(item: pytest.Item) -> set[str]:
    """The scenarios that a test shows."""
    return {name for mark in item.iter_markers("scenario") for name in mark.args}


@cache
def marked_in_sources() -> frozenset[str]:
    """The scenarios that any test of this folder names, whether it is run or not."""
    return frozenset(name for path in _sources() for name in _marked(ast.parse(path.read_text())))


def summary_line(shown: set[str]) -> str:
    """One line for the end of a test run: how many scenarios of each group were shown."""
    counts = {group: (len(shown.intersection(ids)), len(ids)) for group, ids in SCENARIOS.items()}
    listed = ", ".join(f"{group} {count} of {total}" for group, (count, total) in counts.items())
    return f"scenarios: {sum(count for count, _ in counts.values())} ({listed})"


def id_lines(shown: set[str]) -> list[str]:
    """A line for each group with the ids that were shown."""
    found = {group: [name for name in ids if name in shown] for group, ids in SCENARIOS.items()}
    return [f"  {' '.join(names)}" for names in found.values() if names]


def _sources() -> list[Path]:
    """What holds tests: files of them, and contracts, which such files inherit."""
    return sorted([*TESTS.rglob("test_*.py"), *(TESTS / "contracts").glob("*.py")])


def _marked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "scenario":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
