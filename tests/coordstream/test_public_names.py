"""What Python programs import from `coordstream`."""

import ast
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import coordstream


def named_for_type_checkers() -> dict[str, str]:
    """Each name that type checkers see, and its module."""
    tree = ast.parse(Path(coordstream.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.col_offset]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def test_type_checkers_and_programs_see_the_same_names() -> None:
    assert named_for_type_checkers() == coordstream._MODULES


def test_each_name_is_the_object_of_its_module() -> None:
    assert set(coordstream._MODULES) <= set(dir(coordstream))
    for name, module in coordstream._MODULES.items():
        assert getattr(coordstream, name) is getattr(sys.modules[module], name), name


def test_the_version_is_that_of_the_distribution() -> None:
    assert coordstream.__version__ == metadata.version("coordstream")
    assert "__version__" in dir(coordstream)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'coordstream' has no attribute 'Nothing'"):
        coordstream.Nothing  # noqa: B018


def test_importing_the_package_loads_nothing_else() -> None:
    heavy = "{'importlib.metadata', 'kafka', 'psycopg', 'pydantic', 'pyspark', 'sqlalchemy', 'eventlog', 'managers'}"
    program = f"import sys, coordstream; print(sorted({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
