"""Every constant with a config key of a job is used."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from managers.config.write_once import DEFAULTS

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("eventlog", "managers", "projections", "coordstream", "spark_jobs")
KEY: Final = re.compile(r"(task|job|app|yarn|cluster-manager|samza)(\.[a-z][a-z0-9_-]*)+\.?")
LIST: Final = "DEFAULTS"
"""The list of write-once keys, which does not count as a use."""


def trees() -> Iterator[ast.Module]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"))


def unread(modules: list[ast.Module]) -> set[str]:
    """The config keys that these modules only define, list or describe."""
    named: dict[str, str] = {}
    used: set[str] = set()
    for module in modules:
        for node in module.body:
            target, value = assigned(node)
            if target is not None and isinstance(value, ast.Constant) and is_key(value.value):
                named[str(value.value)] = target
            elif target == LIST and isinstance(value, ast.Dict):
                named |= {str(each.value): "" for each in value.keys if isinstance(each, ast.Constant)}
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                used |= set(mentioned(node))
    return {key for key, name in named.items() if name not in used and key not in used}


def assigned(node: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """The name and the value of a constant of a module."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    return None, None


def mentioned(node: ast.AST) -> Iterator[str]:
    """Names that are read, and texts that are config keys."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, ast.Constant) and is_key(each.value):
            yield str(each.value)


def is_key(value: object) -> bool:
    return isinstance(value, str) and KEY.fullmatch(value) is not None


def test_every_config_key_is_used() -> None:
    modules = list(trees())
    assert unread(modules) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('K: Final = "job.a"', {"job.a"}),
        ('K: Final = "job.a"\ndef f(c): return c.get(K)', set()),
        ('DEFAULTS: Final = {"job.a": "1"}', {"job.a"}),
        ('DEFAULTS: Final = {"job.a": "1"}\ndef f(c): return c["job.a"]', set()),
        ('K: Final = "job.a"\nDEFAULTS: Final = {K: "1"}', {"job.a"}),
    ],
)
def test_an_unused_one_would_be_found(text: str, found: set[str]) -> None:
    assert unread([ast.parse(text)]) == found


def test_the_write_once_keys_are_included() -> None:
    assert all(is_key(key) for key in DEFAULTS)
