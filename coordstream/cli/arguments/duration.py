"""Durations that users type."""

from datetime import timedelta
from typing import Final

import typer

from coordstream.times import parse_length

LONGEST: Final = timedelta(days=365)


def parse_duration(text: str) -> float:
    """Return the seconds in a duration: a number of seconds, or units as in ``90s``, ``5m``, ``1h 30m`` or ``PT5M``.

    Raises:
        typer.BadParameter: The text is not a duration, or not between 0 (exclusive) and 365 days.
    """
    seconds = _parse_seconds(text)
    if not 0 < seconds <= LONGEST.total_seconds():
        raise _invalid(text, "more than 0")
    return seconds


def parse_duration_or_zero(text: str | float) -> float:
    """As `parse_duration`, but 0 is valid, too."""
    seconds = _parse_seconds(str(text))
    if not 0 <= seconds <= LONGEST.total_seconds():
        raise _invalid(str(text), "0 or more")
    return seconds


def _parse_seconds(text: str) -> float:
    """Seconds; negative if the text is not a duration."""
    try:
        length = parse_length(text)
        return float(text) if length is None else length.total_seconds()
    except (ValueError, OverflowError):
        return -1.0


def _invalid(text: str, least: str) -> typer.BadParameter:
    return typer.BadParameter(
        f'Invalid duration {text!r}. Use seconds, or units as in "90s", "5m" or "1h 30m"; {least}, '
        f"at most {LONGEST.days} days."
    )
