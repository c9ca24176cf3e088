"""What a user probably meant by a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from eventlog.printable_text import printable_text

MOST_NAMES: Final = 3
MOST_COMPARED: Final = 10_000
"""Names that a word is compared with: about 0.2 s."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names up to three similar names, with a space before it; empty where none is similar."""
    found = [printable_text(name) for name in similar_names(word, known)]
    return f" Did you mean {' or '.join(found)}?" if found else ""


def similar_names(word: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that are spelled like the word, in any case of letters, the most similar first."""
    by_folded: dict[str, str] = {}
    for name in sorted(known):
        by_folded.setdefault(name.casefold(), name)
    compared = list(by_folded)[:MOST_COMPARED]
    return [by_folded[name] for name in get_close_matches(word.casefold(), compared, n=MOST_NAMES)]
