"""Lengths of time as people type them."""

from typing import Final

import typer

from coordstream.cli.arguments.ago import parse_ago

LONGEST_SECONDS: Final = 365 * 86_400.0


def parse_duration(text: str) -> float:
    """A length of time in seconds: a number of them, or such as ``90s``, ``5m`` or ``1h 30m``.

    Raises:
        typer.BadParameter: it is neither, or not longer than zero.
    """
    try:
        length = parse_ago(text)
        seconds = float(text) if length is None else length.total_seconds()
    except (ValueError, OverflowError):
        seconds = 0.0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise typer.BadParameter(f"{text!r} is not a length of time: write seconds, or such as 90s, 5m or 1h")
    return seconds
