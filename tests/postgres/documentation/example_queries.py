"""The example queries: a file per relation, beside the relation in projections/sql, with three questions each.

A query follows its question, a comment. It returns rows for the recorded job unless the line after the question says
that it may find nothing.
"""

import re
from pathlib import Path
from typing import Final

from tests.checkout import CHECKOUT
from tests.fixtures.documentation.relations_page import Example

FOLDER: Final = CHECKOUT / "projections" / "sql"
SUFFIX: Final = ".queries.sql"
MAY_BE_EMPTY: Final = "-- May find nothing."

_EXAMPLE: Final = re.compile(r"^-- (.+\?)\n((?:(?!^-- .+\?\n).*\n?)+)", re.MULTILINE)


def example_files() -> dict[str, Path]:
    """The files, by relation."""
    return {path.name.removesuffix(SUFFIX): path for path in sorted(FOLDER.rglob(f"*{SUFFIX}"))}


def examples_of(relation: str) -> tuple[Example, ...]:
    """A relation's examples, in the order of its file.

    Raises:
        ValueError: the file has a line that follows no question.
    """
    text = example_files()[relation].read_text(encoding="utf-8")
    if _EXAMPLE.sub("", text).strip():
        raise ValueError(f"{relation}{SUFFIX} has a line that follows no question.")
    return tuple(Example(question, query.strip()) for question, query in _EXAMPLE.findall(text))
