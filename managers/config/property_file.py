"""Reads a config file of Samza: the format of java.util.Properties, as PropertiesConfigLoader of Samza reads it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from eventlog.error_text import printable_text
from eventlog.errors import ConfigError
from eventlog.secrets.secret_policy import holds_fingerprint

ENCODING: Final = "iso-8859-1"
"""Java's encoding of property files. Other characters are written as ``\\uXXXX``."""

_LINE_END: Final = re.compile("\r\n|\n|\r")
_BLANKS: Final = " \t\f"
_KEY: Final = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class PropertyFileError(ConfigError):
    """A line of a property file cannot be used."""

    def __init__(self, place: str, line: int, reason: str) -> None:
        self.place = place
        self.line = line
        super().__init__(f"Invalid line {line} of {place}: {reason}.")


class _Line(NamedTuple):
    """A logical line: natural lines joined where one ends with a backslash. ``number`` is that of the first."""

    number: int
    text: str


def read_property_file(path: Path) -> dict[str, str]:
    """The keys and values of a file. Raises OSError, and `PropertyFileError` as `parse_properties`."""
    return parse_properties(path.read_bytes().decode(ENCODING), str(path))


def parse_properties(text: str, place: str) -> dict[str, str]:
    """The keys and values of a property file; the last value of a key counts. ``place`` is its name in errors.

    Raises:
        PropertyFileError: a ``\\u`` escape is malformed, a key is empty, a character is half of a pair, or a value is
            the fingerprint of a secret.
    """
    return dict(_parse(line, place) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[_Line]:
    number, joined = 0, ""
    for here, natural in enumerate(_LINE_END.split(text), 1):
        line = natural.lstrip(_BLANKS)
        if not joined:
            if not line or line[0] in "#!":
                continue
            number = here
        is_continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        joined += line.removesuffix("\\") if is_continued else line
        if not is_continued:
            yield _Line(number, joined)
            joined = ""
    if joined:
        yield _Line(number, joined)


def _parse(line: _Line, place: str) -> tuple[str, str]:
    found = _KEY.match(line.text)
    end = 0 if found is None else found.end()
    separator = _SEPARATOR.match(line.text, end)
    value = line.text[end if separator is None else separator.end() :]
    try:
        return _checked(_unescape(line.text[:end]), _unescape(value))
    except ValueError as error:
        raise PropertyFileError(place, line.number, str(error)) from None


def _checked(key: str, value: str) -> tuple[str, str]:
    if not key:
        raise ValueError("the key is empty. Expected key=value")
    if holds_fingerprint(f"{key}\n{value}".encode()):
        raise ValueError(f"{printable_text(key)} has the fingerprint of a secret. Use the secret itself")
    return key, value


def _unescape(text: str) -> str:
    """The text that escapes stand for. Raises ValueError, which does not repeat the text: it may be a secret."""
    plain = _ESCAPE.sub(_replacement, text)
    try:
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")  # Java writes one character as a pair
    except UnicodeDecodeError:
        raise ValueError(r"a \u escape is only half of a surrogate pair") from None


def _replacement(found: re.Match[str]) -> str:
    escape = found[1]
    if escape == "u":
        raise ValueError(r"malformed \u escape. Expected four hexadecimal digits")
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _LETTERS.get(escape, escape)
