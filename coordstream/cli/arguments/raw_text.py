"""Arguments are text in UTF-8, except those that may have any bytes, as paths do."""

from collections.abc import Iterable
from typing import Any

import typer

from eventlog.errors import is_utf8


class RawText(str):
    """The parser of an argument or option that need not be UTF-8; Python escapes its other bytes (surrogateescape)."""

    __slots__ = ()


def require_utf8(context: typer.Context, parameters: Iterable[Any]) -> None:
    """Raise typer.BadParameter for the first value that is text, but not UTF-8: no stream and no row can contain it."""
    for parameter in parameters:
        given = context.params.get(parameter.name)
        values = given if isinstance(given, list | tuple) else [given]
        if not all(_is_text(value) for value in values):
            raise typer.BadParameter("Expected text in UTF-8.", ctx=context, param=parameter)


def _is_text(value: object) -> bool:
    return not isinstance(value, str) or isinstance(value, RawText) or is_utf8(value)
