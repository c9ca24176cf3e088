"""The import contracts are kept, and detect violations."""

import ast
import os
import re
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
PACKAGES: Final = ("coordstream", "eventlog", "managers", "projections", "spark_jobs")
PLANTED: Final = (
    ("eventlog.planted_projections", "projections", "The packages import one way only"),
    ("managers.planted", "projections", "The packages import one way only"),
    ("projections.planted", "managers", "The packages import one way only"),
    ("spark_jobs.planted", "coordstream", "The packages import one way only"),
    ("spark_jobs.lake.planted", "spark_jobs.reports", "The folders of spark_jobs import one way only"),
    ("eventlog.planted_kafka", "kafka", "kafka is imported under eventlog.kafka only"),
    ("coordstream.planted", "pyspark", "pyspark is imported under spark_jobs only"),
    ("eventlog.wire.planted", "psycopg", "The pure parts import no driver"),
)
_SECTION: Final = re.compile(r"^([^\n]+)\n-+\n(.*?)(?=^[^\n]+\n-+$|\Z)", re.DOTALL | re.MULTILINE)


def test_the_contracts_are_kept() -> None:
    kept = _lint_imports(CHECKOUT)
    assert kept.returncode == 0, kept.stdout


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The report on a copy with all modules of `PLANTED`: the text about each broken contract, by its name."""
    folder = tmp_path_factory.mktemp("planted")
    for package in PACKAGES:
        shutil.copytree(CHECKOUT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", folder)
    for module, imported, _ in PLANTED:
        (folder / f"{module.replace('.', '/')}.py").write_text(f"import {imported}\n")
    report = _lint_imports(folder)
    assert report.returncode == 1
    return dict(_SECTION.findall(report.stdout))


@pytest.mark.parametrize(("module", "imported", "contract"), PLANTED)
def test_a_forbidden_import_is_detected(broken: dict[str, str], module: str, imported: str, contract: str) -> None:
    assert re.search(rf"{re.escape(module)} -> {re.escape(imported)}\b", broken[contract])


def test_every_module_without_a_driver_is_in_the_contract_of_pure_modules() -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (pure,) = [set(contract["source_modules"]) for contract in contracts if contract["id"] == "pure"]
    graph = grimp.build_graph("eventlog", include_external_packages=True, cache_dir=None)
    for module in graph.find_children("eventlog") - pure:
        drivers = [driver for driver in DRIVERS if driver in graph.modules]
        chains = [graph.find_shortest_chain(module, driver, as_packages=True) for driver in drivers]
        assert any(chains), f"{module} imports no driver: list it in the contract `pure` of pyproject.toml"


def test_revisions_import_no_package() -> None:
    """A revision is frozen: its effect must not change with the tables."""
    revisions = sorted((CHECKOUT / "migrations" / "versions").glob("*.py"))
    assert revisions
    for revision in revisions:
        assert not _imports(revision) & set(PACKAGES), revision.name


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
