"""Documentation names files that exist."""

import re
from typing import Final

import pytest

from tests.checkout import CHECKOUT

PAGES: Final = ("README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in (CHECKOUT / "docs").glob("*.md")))
_PATH: Final = re.compile(
    r"`((?:benchmarks|coordstream|eventlog|managers|migrations|projections|spark_jobs|tests)/[^`*<{]*)`"
)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    paths = _PATH.findall((CHECKOUT / page).read_text(encoding="utf-8"))
    assert [path for path in paths if not (CHECKOUT / path.partition(" ")[0]).exists()] == []
