"""Import rules that import-linter does not express; `make lint` checks its contracts."""

import tomllib
from typing import Final

import grimp

from tests.checkout import CHECKOUT

DRIVERS: Final = ("psycopg", "kafka")


def test_every_module_without_a_driver_is_in_the_contract_of_pure_modules() -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (pure,) = [set(contract["source_modules"]) for contract in contracts if contract["id"] == "pure"]
    graph = grimp.build_graph("eventlog", include_external_packages=True, cache_dir=None)
    for module in graph.find_children("eventlog") - pure:
        chains = [graph.find_shortest_chain(module, driver, as_packages=True) for driver in DRIVERS]
        assert any(chains), f"{module} imports no driver: list it in the contract `pure` of pyproject.toml"
