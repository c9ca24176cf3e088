"""Which config keys a user means."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Annotated

import typer

from coordstream.cli.rows import Row

KeyPattern = Annotated[
    str | None, typer.Option("--key", metavar="PATTERN", help="Keys that match, such as 'systems.*'.")
]


def matching(rows: Iterable[Row], pattern: str | None) -> Iterator[Row]:
    """The rows whose ``config_key`` matches the pattern of a shell; None: all of them."""
    return (row for row in rows if pattern is None or fnmatchcase(row["config_key"], pattern))
