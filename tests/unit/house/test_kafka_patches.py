"""Private members of kafka-python are used in one module, which says why."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import kafka

from tests.checkout import CHECKOUT

PRODUCT: Final = ("coordstream", "eventlog", "managers", "projections", "spark_jobs")
PATCHES: Final = CHECKOUT / "eventlog" / "kafka" / "patches.py"
MOST: Final = 12
OF_NAMED_TUPLES: Final = frozenset({"_asdict", "_fields", "_replace"})


def private_names(path: Path, *, of_self: bool) -> Iterator[str]:
    """The private attributes that a module reads of anything (with ``of_self``, of its own objects too) or defines."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            if of_self or not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}):
                yield node.attr
        elif of_self and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("_"):
            yield node.name


def imports_kafka(path: Path) -> bool:
    """Whether a module imports kafka-python, or what it gets from there may be passed to it."""
    return path.parent == PATCHES.parent or "\nfrom kafka" in path.read_text()


def test_private_members_of_kafka_python_are_named_in_one_module() -> None:
    modules = [path for room in PRODUCT for path in (CHECKOUT / room).rglob("*.py") if path != PATCHES]
    assert {
        str(path.relative_to(CHECKOUT)): names
        for path in modules
        if imports_kafka(path) and (names := {*private_names(path, of_self=False)} - OF_NAMED_TUPLES)
    } == {}


def test_they_are_few_and_each_has_its_reason() -> None:
    source = "\n".join(path.read_text() for path in Path(kafka.__file__).parent.rglob("*.py"))
    theirs = {
        name
        for name in private_names(PATCHES, of_self=True)
        if not name.startswith("__") and re.search(rf"(self\.|def ){name}\b", source)
    }
    reasons = ast.get_docstring(ast.parse(PATCHES.read_text())) or ""
    assert {name for name in theirs if name not in reasons} == set()
    assert 0 < len(theirs) <= MOST
