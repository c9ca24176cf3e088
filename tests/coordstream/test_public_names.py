"""What Python programs import from `coordstream`."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import coordstream


def named_for_type_checkers() -> dict[str, str]:
    """Each name that the package tells type checkers, and its module."""
    tree = ast.parse(Path(coordstream.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.col_offset]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def test_type_checkers_and_programs_know_the_same_names() -> None:
    assert named_for_type_checkers() == coordstream._MODULES


@pytest.mark.parametrize("name", coordstream._MODULES)
def test_a_name_is_what_its_module_has(name: str) -> None:
    assert getattr(coordstream, name) is getattr(sys.modules[coordstream._MODULES[name]], name)
    assert name in dir(coordstream)


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'coordstream' has no attribute 'Nothing'"):
        coordstream.Nothing  # noqa: B018


def test_the_package_itself_loads_nothing() -> None:
    heavy = "{'kafka', 'psycopg', 'pydantic', 'pyspark', 'sqlalchemy', 'eventlog', 'managers'}"
    program = f"import sys, coordstream; print(sorted({heavy} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
