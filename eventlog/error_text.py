"""Parts of error messages: suggestions for an unknown name, printable text, names of JSON types."""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

MOST_SIMILAR: Final = 3
MOST_LISTED: Final = 10
MOST_COMPARED: Final = 10_000
"""How many names a word is compared with: this many take about 0.2 s."""

_JSON_TYPES: Final = {
    dict: "an object",
    tuple: "an object",  # decoded as pairs, because a name may occur twice
    list: "a list",
    str: "a text",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    type(None): "null",
}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question with up to three similar names, after a space; empty if no name is similar."""
    found = [f'"{printable_text(name)}"' for name in similar_names(word, known)]
    return f" Did you mean {' or '.join(found)}?" if found else ""


def known_names(noun: str, word: str, known: Collection[str]) -> str:
    """What to add to an error about an unknown name: ``did_you_mean`` and the known names, as in `` Known jobs: a, b.``

    ``noun`` is in the plural.
    """
    return f"{did_you_mean(word, known)} Known {noun}: {list_names(known) or 'none'}."


def system_reason(error: BaseException) -> str:
    """The reason that the operating system gives, for the middle of a sentence: ``no space left on device``."""
    text = getattr(error, "strerror", None) or type(error).__name__
    return text[:1].lower() + text[1:]


def list_names(names: Collection[str], most: int = MOST_LISTED) -> str:
    """The first names with commas between them, and how many more there are."""
    listed = ", ".join(printable_text(name) for name in islice(names, most))
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def similar_names(word: str, known: Iterable[str]) -> list[str]:
    """Up to three known names with a similar spelling, ignoring case, the most similar first."""
    from difflib import get_close_matches  # noqa: PLC0415 (takes 8 ms to load, and only a wrong name needs it)

    by_folded: dict[str, str] = {}
    for name in sorted(known):
        by_folded.setdefault(name.casefold(), name)
    compared = list(by_folded)[:MOST_COMPARED]
    return [by_folded[name] for name in get_close_matches(word.casefold(), compared, n=MOST_SIMILAR)]


def printable_text(text: str) -> str:
    """The text on one line: control characters, line ends and tabs are escaped as in Python."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def json_type(value: object) -> str:
    """The JSON type of a decoded value, with its article, for an error that must not show the value."""
    return _JSON_TYPES[type(value)]
