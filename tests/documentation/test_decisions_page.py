"""docs/decisions.md: every decision has a number of its own and a date."""

import re
from datetime import date
from pathlib import Path
from typing import Final

PAGE: Final = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text(encoding="utf-8")
DECISIONS, LIMITATIONS = PAGE.split("## Known limitations")
_DECISION: Final = re.compile(r"^- \*\*(\d+)\.\*\* (\d{4}-\d\d-\d\d)\. \*\*", re.MULTILINE)


def test_every_decision_has_a_number_and_a_date() -> None:
    bullets = re.findall(r"^- .*", DECISIONS, re.MULTILINE)
    assert [bullet for bullet in bullets if not _DECISION.match(bullet)] == []


def test_numbers_are_unique_without_gaps_and_dates_exist() -> None:
    found = _DECISION.findall(DECISIONS)
    assert sorted(int(number) for number, _ in found) == list(range(1, len(found) + 1))
    assert min(date.fromisoformat(day) for _, day in found) >= date(2026, 11, 1)
