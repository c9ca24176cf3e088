"""The order in which to run the files of views and functions: each after those that create what it uses.

What a file uses is read from its text. A file that concerns what others create without naming it declares that in its
first line: ``-- Needs: *`` (every file without such a line), or ``-- Needs: *, grants`` (another file too).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

_NEEDS: Final = re.compile(r"\A-- Needs: (.+)\n")
_COMMENT_OR_TEXT: Final = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_CREATED: Final = re.compile(r"^create (?:view|function) (\w+\.\w+)", re.MULTILINE)
_USED: Final = re.compile(r"\b(?:projection|coordinator)\.\w+")


def creation_order(definitions: Mapping[str, str], tables: Collection[str]) -> list[str]:
    """The paths of the files in the order to run them; always the same for the same definitions.

    Raises:
        ValueError: a file uses or needs what neither a file creates nor ``tables`` names, or files need each other.
    """
    creators = {name: path for path, sql in definitions.items() for name in _CREATED.findall(sql)}
    needs = {path: set(_needed_files(path, definitions, creators, tables)) for path in sorted(definitions)}
    try:
        return list(TopologicalSorter({path: sorted(needs[path]) for path in needs}).static_order())
    except CycleError as error:
        raise ValueError(f"SQL files need each other: {' -> '.join(error.args[1])}.") from None


def _needed_files(
    path: str, definitions: Mapping[str, str], creators: Mapping[str, str], tables: Collection[str]
) -> Iterator[str]:
    declared = _NEEDS.match(definitions[path])
    for need in declared[1].split(", ") if declared else ():
        if need == "*":
            yield from (other for other, sql in definitions.items() if not _NEEDS.match(sql))
        elif need in definitions:
            yield need
        else:
            raise ValueError(f"The SQL file {path!r} needs {need!r}, which does not exist.")
    for name in sorted(set(_USED.findall(_COMMENT_OR_TEXT.sub("", definitions[path]))).difference(tables)):
        if name not in creators:
            raise ValueError(f"The SQL file {path!r} uses {name!r}, which is not a table and which no file creates.")
        if creators[name] != path:
            yield creators[name]
