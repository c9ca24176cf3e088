"""The import contracts are kept, and detect violations."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import grimp
import pytest

CHECKOUT: Final = Path(__file__).parents[2]
DRIVERS: Final = ("psycopg", "sqlalchemy", "kafka")
ROOMS: Final = ("coordstream", "eventlog", "managers", "projections", "spark_jobs")


def test_the_contracts_are_kept() -> None:
    kept = _lint_imports(CHECKOUT)
    assert kept.returncode == 0, kept.stdout


@pytest.mark.parametrize(
    ("module", "imported", "contract"),
    [
        ("eventlog/planted.py", "projections", "The rooms import one way only"),
        ("managers/planted.py", "projections", "The rooms import one way only"),
        ("projections/planted.py", "managers", "The rooms import one way only"),
        ("spark_jobs/planted.py", "coordstream", "The rooms import one way only"),
        ("spark_jobs/lake/planted.py", "spark_jobs.reports", "The folders of spark_jobs import one way only"),
        ("eventlog/planted.py", "kafka", "kafka is imported under eventlog.kafka only"),
        ("coordstream/planted.py", "pyspark", "pyspark is imported under spark_jobs only"),
        ("eventlog/wire/planted.py", "psycopg", "The pure parts import no driver"),
    ],
)
def test_a_forbidden_import_is_detected(tmp_path: Path, module: str, imported: str, contract: str) -> None:
    for room in ROOMS:
        shutil.copytree(CHECKOUT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    (tmp_path / module).write_text(f"import {imported}\n")
    broken = _lint_imports(tmp_path)
    assert broken.returncode == 1
    assert f"{contract} BROKEN" in broken.stdout


def test_every_module_without_a_driver_is_in_the_contract_of_pure_modules() -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (pure,) = [set(contract["source_modules"]) for contract in contracts if contract["id"] == "pure"]
    graph = grimp.build_graph("eventlog", include_external_packages=True, cache_dir=None)
    for module in graph.find_children("eventlog") - pure:
        drivers = [driver for driver in DRIVERS if driver in graph.modules]
        chains = [graph.find_shortest_chain(module, driver, as_packages=True) for driver in drivers]
        assert any(chains), f"{module} imports no driver: list it in the contract `pure` of pyproject.toml"


def test_revisions_import_no_room() -> None:
    """A revision is frozen: its effect must not change with the tables."""
    revisions = sorted((CHECKOUT / "migrations" / "versions").glob("*.py"))
    assert revisions
    for revision in revisions:
        assert not _imports(revision) & set(ROOMS), revision.name


def _imports(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in named}


def _lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "lint-imports"
    environment = os.environ | {"PYTHONPATH": str(folder), "NO_COLOR": "1"}
    return subprocess.run(
        [program, "--no-cache"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
