"""Texts for people are plain English: strings, comments and docstrings, documentation, SQL.

The patterns are the most frequent ones that read like a translation. They cannot prove that a sentence is good.
"""

import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
PLACES: Final = (
    *("benchmarks", "coordstream", "docs", "eventlog", "managers", "migrations", "projections", "spark_jobs", "tests"),
    *("CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "Makefile", "README.md", "docker-compose.yml", "pyproject.toml"),
)
SUFFIXES: Final = {".md", ".py", ".sql", ".toml", ".yml"}
EXEMPT: Final = {Path(__file__), CHECKOUT / "tests" / "migrations" / "schema.sql"}
"""This file contains the patterns; the schema is generated from SQL files that are checked themselves."""

PATTERNS: Final = (
    r"(?<![Tt]here )\b(?:is|are|was|were|be) no (?!longer|more|less|later|older|newer|one)",  # is not a, has no
    r"\b(?:by themselves|for ever|in vain|in the midst|of (?:its|their) own accord|without a word)\b",
    r"\b(?:is told|told|say so|says so|what was said|tell apart|as who|nobody(?!['\"])|none but)\b",
    r"\b(?:hand(?:s|ed|ing)? (?:out|on)|given back|passes? over|goes before|spoken for|looks? alive|wish to)\b",
    r"\b(?:anew|made again|mend(?:s|ed|ing)?|so already|[Ss]o many|such that|the like|laid out|still holds)\b",
    r"\b(?:living|held text|untaken|steered|unforeseen|thereof|whence|wherein|whereby|hitherto|vouch(?:es)?)\b",
    r"\bby itself\b",
    r"\bseed 00\d\b",  # name the Samza class; docs/sources.md has the documents
)
NOT_PLAIN: Final = re.compile("|".join(PATTERNS))


def test_texts_are_plain() -> None:
    found = [place for path in files() for place in not_plain(path)]
    assert found == [], "Reword these texts:\n" + "\n".join(found)


def test_strings_comments_and_docstrings_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text('"""It is no list."""\n\nliving = 1  # made again\nname = f"{living} seed 001"\n')
    assert [place.rpartition("module.py:")[2][0] for place in not_plain(path)] == ["1", "3", "4"]


def files() -> Iterator[Path]:
    for place in PLACES:
        path = CHECKOUT / place
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in below if each not in EXEMPT and (each == path or each.suffix in SUFFIXES))


def not_plain(path: Path) -> list[str]:
    """The lines to reword, with their places."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if not NOT_PLAIN.search(text):
        return []
    lines = texts(text) if path.suffix == ".py" else enumerate(text.splitlines(), 1)
    name = path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path
    return [f"{name}:{number}: {line.strip()}" for number, line in lines if NOT_PLAIN.search(line)]


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The lines of the strings and comments in Python code."""
    for token in tokenize.generate_tokens(StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name in {"STRING", "COMMENT"} or name.startswith("FSTRING"):
            yield from enumerate(token.string.splitlines(), token.start[0])
