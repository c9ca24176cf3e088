"""Import rules that import-linter does not express; `make lint` checks its contracts."""

import ast
import tomllib
from pathlib import Path
from typing import Final

import grimp

CHECKOUT: Final = Path(__file__).parents[2]
DRIVERS: Final = ("psycopg", "sqlalchemy", "kafka")
PACKAGES: Final = {"coordstream", "eventlog", "managers", "projections", "spark_jobs"}


def test_every_module_without_a_driver_is_in_the_contract_of_pure_modules() -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (pure,) = [set(contract["source_modules"]) for contract in contracts if contract["id"] == "pure"]
    graph = grimp.build_graph("eventlog", include_external_packages=True, cache_dir=None)
    for module in graph.find_children("eventlog") - pure:
        chains = [graph.find_shortest_chain(module, driver, as_packages=True) for driver in DRIVERS]
        assert any(chains), f"{module} imports no driver: list it in the contract `pure` of pyproject.toml"


def test_revisions_import_no_package() -> None:
    """A revision is frozen: its effect must not change with the tables."""
    revisions = sorted((CHECKOUT / "migrations" / "versions").glob("*.py"))
    assert revisions
    for revision in revisions:
        assert not _imports(revision) & PACKAGES, revision.name


def _imports(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in named}
