"""The example queries: a file a relation in docs/queries, three questions each.

A query stands below its question, a comment. It returns rows over the recorded job unless the line after the
question says that it may well find nothing.
"""

import re
from pathlib import Path
from typing import Final

from tests.documentation.relations_page import Example

FOLDER: Final = Path(__file__).parents[2] / "docs" / "queries"
MAY_BE_EMPTY: Final = "-- May well find nothing."

_EXAMPLE: Final = re.compile(r"^-- (.+\?)\n((?:(?!^-- .+\?\n).*\n?)+)", re.MULTILINE)


def example_files() -> dict[str, Path]:
    """The files, by relation."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.sql"))}


def examples_of(relation: str) -> tuple[Example, ...]:
    """A relation's examples, in the order of its file.

    Raises:
        ValueError: there is something in the file that belongs to no question.
    """
    text = example_files()[relation].read_text(encoding="utf-8")
    if _EXAMPLE.sub("", text).strip():
        raise ValueError(f"docs/queries/{relation}.sql has a line that stands below no question")
    return tuple(Example(question, query.strip()) for question, query in _EXAMPLE.findall(text))
