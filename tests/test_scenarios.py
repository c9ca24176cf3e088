"""Every scenario has a test that names it, and none is named that is not known."""

import pytest

from tests.scenarios import SCENARIOS, id_lines, marked_in_sources, summary_line


@pytest.mark.parametrize("group", SCENARIOS)
def test_each_scenario_of_a_group_has_a_test(group: str) -> None:
    assert sorted(set(SCENARIOS[group]) - marked_in_sources()) == []


def test_no_unknown_scenario_is_named() -> None:
    known = {name for ids in SCENARIOS.values() for name in ids}
    assert sorted(marked_in_sources() - known) == []


def test_a_run_reports_its_scenarios() -> None:
    line = summary_line({"CON-01", "CON-03"})
    assert id_lines({"HRD-48", "CON-03", "CON-01"}) == ["  CON-01 CON-03", "  HRD-48"]
    assert line.startswith("scenarios: 2 (MSG 0 of 12, CON 2 of 7, PRO 0 of 6, ")
