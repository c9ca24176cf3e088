"""Property files of Java: their lines, and the configs in them."""

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from eventlog.errors import ConfigError, printable_text
from eventlog.secret_policy import holds_fingerprint

BLANKS: Final = " \t\f"
"""The white space of the format."""

_LINE_END: Final = re.compile("\r\n|\n|\r")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
ENCODING: Final = "iso-8859-1"
"""Java's encoding of property files. Other characters are written as ``\\uXXXX``."""
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_KEY: Final = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")


class Line(NamedTuple):
    """A logical line: natural lines joined where one ends with a backslash. ``number`` is that of the first."""

    number: int
    text: str


def logical_lines(text: str) -> Iterator[Line]:
    """The lines that are neither empty nor comments, without the blanks at their beginning, and with escapes."""
    number, joined, is_continued = 0, "", False
    for here, natural in enumerate(_natural_lines(text), 1):
        line = natural.lstrip(BLANKS)
        if not joined:  # also after a backslash alone, which Java forgets
            is_continued = False
            if not line or line[0] in "#!":
                continue
            number = here
        is_continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        joined += line.removesuffix("\\") if is_continued else line
        if not is_continued:
            yield Line(number, joined)
            joined = ""
    if is_continued:
        yield Line(number, joined)


def unescape(text: str) -> str:
    """The text that escapes stand for. Raises ValueError, which does not repeat the text: it may be a secret."""
    plain = _ESCAPE.sub(_replacement, text)
    try:
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")  # Java writes one character as a pair
    except UnicodeDecodeError:
        raise ValueError(r"a \u escape is only half of a surrogate pair") from None


def _natural_lines(text: str) -> list[str]:
    *lines, last = _LINE_END.split(text)
    return [*lines, last] if last else lines


def _replacement(found: re.Match[str]) -> str:
    escape = found[1]
    if escape == "u":
        raise ValueError(r"malformed \u escape. Expected four hexadecimal digits")
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _LETTERS.get(escape, escape)


class PropertyFileError(ConfigError):
    """A line of a property file cannot be used. ``reason`` is the end of the sentence, without its full stop."""

    def __init__(self, place: str, line: int, reason: str) -> None:
        self.place = place
        self.line = line
        super().__init__(f"Invalid line {line} of {place}: {reason}.")


class Property(NamedTuple):
    """A key and its value, and the number of the line where it begins."""

    line: int
    key: str
    value: str


def as_config(properties: Iterable[Property]) -> dict[str, str]:
    return {each.key: each.value for each in properties}


def parse_properties(file: bytes, place: str) -> list[Property]:
    """The properties of a file, in order. ``place`` is its name in errors.

    Raises `PropertyFileError`: a ``\\u`` escape is malformed, a key is empty, a character is half of a pair, a key or
    value has a null character or the fingerprint of a secret, or the file begins with a byte order mark.
    """
    if file.startswith(_BYTE_ORDER_MARKS):
        raise PropertyFileError(
            place, 1, "it has a byte order mark, which Samza takes for a part of the key. Save the file without it"
        )
    return [_parse(line, place) for line in logical_lines(file.decode(ENCODING))]


def _parse(line: Line, place: str) -> Property:
    found = _KEY.match(line.text)
    end = 0 if found is None else found.end()
    separator = _SEPARATOR.match(line.text, end)
    value = line.text[end if separator is None else separator.end() :]
    try:
        return _checked(Property(line.number, unescape(line.text[:end]), unescape(value)))
    except ValueError as error:
        raise PropertyFileError(place, line.number, str(error)) from None


def _checked(read: Property) -> Property:
    if not read.key:
        raise ValueError("the key is empty. Expected key=value")
    if "\0" in read.key + read.value:
        raise ValueError(f"{printable_text(read.key)} has a null character, which Postgres cannot store. Remove it")
    if holds_fingerprint(f"{read.key}\n{read.value}".encode()):
        raise ValueError(f"{printable_text(read.key)} has the fingerprint of a secret. Use the secret itself")
    return read
