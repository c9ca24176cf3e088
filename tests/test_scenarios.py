"""Every scenario has a test that names it, and none is named that is not known."""

from tests.scenarios import SCENARIOS, marked_in_sources


def test_each_scenario_has_a_test() -> None:
    assert {name: SCENARIOS[name] for name in SCENARIOS.keys() - marked_in_sources()} == {}


def test_no_unknown_scenario_is_named() -> None:
    assert sorted(marked_in_sources() - SCENARIOS.keys()) == []
