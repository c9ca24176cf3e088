"""The lines and escapes of property files, as java.util.Properties reads them."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

BLANKS: Final = " \t\f"
"""The white space of the format."""

_LINE_END: Final = re.compile("\r\n|\n|\r")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


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
