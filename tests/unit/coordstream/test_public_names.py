"""What Python programs import from `coordstream`."""

import subprocess
import sys
from importlib import metadata

import pytest

import coordstream


def test_each_name_is_the_object_of_its_module() -> None:
    assert set(coordstream._MODULES) <= set(dir(coordstream))
    assert set(coordstream._MODULES) == set(coordstream.__all__)  # type: ignore[attr-defined]
    for name, module in coordstream._MODULES.items():
        assert getattr(coordstream, name) is getattr(sys.modules[module], name), name


def test_the_version_is_that_of_the_distribution() -> None:
    assert coordstream.__version__ == metadata.version("coordstream")
    assert "__version__" in dir(coordstream)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'coordstream' has no attribute 'Nothing'"):
        coordstream.Nothing  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_loads_nothing_else() -> None:
    heavy = "{'importlib.metadata', 'kafka', 'psycopg', 'pydantic', 'pyspark', 'sqlalchemy', 'eventlog', 'managers'}"
    program = f"import sys, coordstream; print(sorted({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
