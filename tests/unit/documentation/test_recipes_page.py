"""What docs/recipes.md shows is run as it stands there, in the order in which it stands, as a new user would run it."""

import re
from typing import Final

import pytest

from tests.checkout import CHECKOUT
from tests.fixtures.new_user import NewUser

pytestmark = pytest.mark.slow

TEXT: Final = (CHECKOUT / "docs" / "recipes.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def printed(user: NewUser) -> list[str]:
    """What each block for the shell prints."""
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    return [user.run("bash", "-euo", "pipefail", "-c", block) for block in blocks]


def test_what_the_shell_runs_prints_rows(user: NewUser, printed: list[str]) -> None:
    imported, tasks, as_of, waited, positions, archived = printed
    assert "wordcount-pv" in imported
    assert tasks.count("Partition ") == 8
    assert as_of.count("page-views") == 8
    assert waited == "t\n"
    assert archived.startswith("Run 1: 815 events")
    assert [line for line in positions.splitlines() if line.endswith("rows)")] == ["(16 rows)", "(8 rows)"]
    assert "app.note," in (user.folder / "config.csv").read_text(encoding="utf-8")


def test_the_examples_of_python_give_what_they_show(user: NewUser, printed: list[str]) -> None:
    assert printed
    assert user.run_examples("recipes.md", TEXT) > 25
