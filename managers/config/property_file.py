"""Reads a config file of Samza: the format of java.util.Properties, as PropertiesConfigLoader of Samza reads it."""

import codecs
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from eventlog.error_text import printable_text
from eventlog.errors import ConfigError
from eventlog.secrets.secret_policy import holds_fingerprint
from managers.java_properties import Line, logical_lines, unescape

ENCODING: Final = "iso-8859-1"
"""Java's encoding of property files. Other characters are written as ``\\uXXXX``."""

_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_KEY: Final = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")


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
    """The keys and values; the last value of a key counts."""
    return {each.key: each.value for each in properties}


def parse_properties(file: bytes, place: str) -> list[Property]:
    """The properties of a file, in order. ``place`` is its name in errors.

    Raises:
        PropertyFileError: a ``\\u`` escape is malformed, a key is empty, a character is half of a pair, a key or value
            has a null character or the fingerprint of a secret, or the file begins with a byte order mark.
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
