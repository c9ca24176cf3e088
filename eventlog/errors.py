"""The base classes of the errors, those that several modules raise, and parts of their messages."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any, Final, Literal

Reason = Literal[
    "null_key",
    "not_utf8",
    "not_json",
    "empty",
    "wrong_type",
    "missing_field",
    "bad_partition",
    "bad_number",
    "unknown_startpoint",
    "bad_checkpoint_id",
    "nul",
    "surrogate",
    "duplicate_partition",
]


class PortableError(Exception):
    """The base class of all errors of this project; they can be pickled, to be raised in another process.

    By default Python unpickles an exception by calling its class with the message only.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args), self.__dict__


def _restore(error_class: type[PortableError], args: tuple[Any, ...]) -> PortableError:
    return error_class.__new__(error_class, *args)


class EventLogError(PortableError):
    def __init__(self, message: str | None = None) -> None:
        super().__init__(message if message is not None else type(self).__doc__)


class WireError(EventLogError):
    """The bytes of a record could not be decoded.

    ``reason`` is the code that the relation ``quarantine`` shows. ``detail`` names the field or JSON type that is wrong
    and never includes a value of the record, which may be a secret.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Final[Reason] = reason
        self.detail: Final = detail


class RecordingError(EventLogError):
    """A recording file could not be read or written."""


class StreamKindError(EventLogError):
    """A stream is not of the kind expected, or its name does not say of which kind it is."""


class ConfigError(EventLogError, ValueError):
    """A value in a job's config cannot be used."""


NO_LIST: Final = "Invalid {0} {1!r}. Expected a list of names, for example [{1!r}]."
"""Of a text, whose letters would be taken for names."""
MOST_SIMILAR: Final = 3
MOST_LISTED: Final = 10
MOST_OF_A_CAUSE: Final = 3
_DIGITS: Final = re.compile(r"[0-9]+")
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
    """`did_you_mean`, and the known names as in `` Known jobs: a, b.``; ``noun`` is in the plural."""
    return f"{did_you_mean(word, known)} Known {noun}: {list_names(known) or 'none'}."


def system_reason(error: BaseException) -> str:
    """The reason that the operating system gives, for the middle of a sentence: ``no space left on device``."""
    text = getattr(error, "strerror", None) or type(error).__name__
    return text[:1].lower() + text[1:]


def list_names(names: Collection[str], most: int = MOST_LISTED) -> str:
    """The first names with commas between them, and how many more there are."""
    listed = ", ".join(printable_text(name) for name in islice(names, most))
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def by_cause(found: Iterable[tuple[str, str]]) -> list[str]:
    """One message for all names that have the same, but for the name and numbers in it: how many, and the first."""
    causes: dict[str, list[tuple[str, str]]] = {}
    for name, fault in found:
        causes.setdefault(_DIGITS.sub("0", fault.replace(name, "")), []).append((name, fault))
    return [_of_cause(same) for same in causes.values()]


def _of_cause(same: Sequence[tuple[str, str]]) -> str:
    (_, fault), *further = same
    names = list_names([name for name, _ in further], most=MOST_OF_A_CAUSE)
    return f"{fault} The same for {len(further)} more: {names}." if further else fault


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


def is_utf8(text: str) -> bool:
    """Whether a text has no lone surrogates, which neither UTF-8 nor Postgres can represent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
