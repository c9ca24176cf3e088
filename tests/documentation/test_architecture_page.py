"""Documentation names files that exist; the paths through the code in docs/architecture.md are short."""

import re
from pathlib import Path
from typing import Final

import pytest

CHECKOUT: Final = Path(__file__).parents[2]
PAGE: Final = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAGES: Final = ("README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in (CHECKOUT / "docs").glob("*.md")))
_PATH: Final = re.compile(
    r"`((?:benchmarks|coordstream|eventlog|managers|migrations|projections|spark_jobs|tests)/[^`*<{]*)`"
)


def section(heading: str) -> str:
    """The text below a heading, up to the next heading of the same or a higher level."""
    level = heading.split(" ", maxsplit=1)[0]
    return re.split(rf"^#{{2,{len(level)}}} ", PAGE.partition(f"{heading}\n")[2], flags=re.MULTILINE)[0]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    paths = _PATH.findall((CHECKOUT / page).read_text(encoding="utf-8"))
    assert [path for path in paths if not (CHECKOUT / path.partition(" ")[0]).exists()] == []


@pytest.mark.parametrize("path", re.findall(r"^### .+$", section("## Paths through the code"), re.MULTILINE))
def test_a_path_has_at_most_12_files(path: str) -> None:
    steps = re.findall(r"^\d+\. `([^`]+)`: .+\.$", section(path), re.MULTILINE)
    assert 1 < len(steps) <= 12
    assert all((CHECKOUT / step).is_file() for step in steps)
    assert len(set(steps)) == len(steps)


def test_questions_have_a_file_as_answer() -> None:
    answers = re.findall(r"^\d+\. Where [^?]+\? `([^`]+)`$", section("## Where is …?"), re.MULTILINE)
    assert len(answers) == 26
    assert [path for path in answers if not (CHECKOUT / path).is_file()] == []
