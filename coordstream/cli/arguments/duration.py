"""Durations that users type."""

import re
from datetime import timedelta
from typing import Final

import typer

LONGEST: Final = timedelta(days=365)

_UNITS: Final = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_PART: Final = r"(\d+(?:\.\d+)?|an?\b)\s*(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])"
_LENGTH: Final = re.compile(rf"(?:{_PART}[\s,]*)+", re.ASCII)
_ISO: Final = re.compile(r"p(?=\d|t\d)((?:[\d.]+w)?(?:[\d.]+d)?)(?:t((?:[\d.]+h)?(?:[\d.]+m)?(?:[\d.]+s)?))?", re.ASCII)


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


def parse_length(text: str) -> timedelta | None:
    """Return the duration that ``90m``, ``1 day, 6h`` or ``PT2H`` is; None for any other text, as for ``90``.

    Months and years are not supported, because their lengths differ.

    Raises:
        OverflowError: The duration is longer than a timedelta can be.
    """
    text = text.strip().lower()
    if iso := _ISO.fullmatch(text):
        text = " ".join(filter(None, iso.groups()))
    if not _LENGTH.fullmatch(text):
        return None
    parts = ((1 if number.startswith("a") else float(number), unit) for number, unit in re.findall(_PART, text))
    return sum((timedelta(**{_UNITS[unit[0]]: number}) for number, unit in parts), timedelta())


def parse_ago(text: str) -> timedelta | None:
    """Return how long ago ``2 hours ago``, ``90m``, ``-2h`` or ``PT2H`` is; see `parse_length`, which it may raise."""
    return parse_length(text.strip().lower().removeprefix("-").removesuffix(" ago"))


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
