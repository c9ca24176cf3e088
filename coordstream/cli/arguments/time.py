"""Times that users type: the parser of every option and argument that takes a time."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import typer

from coordstream.cli.arguments.duration import parse_ago
from eventlog.log import Clock, system_clock

SECONDS_OF_2001_TO_2099: Final = range(978_307_200, 4_102_444_800)
"""Numbers in this range may be meant as seconds since 1970."""

_NAMES_UTC: Final = re.compile(r"\s+(?:UTC|GMT)$", re.IGNORECASE)
_DAY: Final = re.compile(r"(today|yesterday)(?:\s+(\d\d:\d\d(?::\d\d)?))?", re.IGNORECASE | re.ASCII)
_NUMBER: Final = re.compile(r"\d+", re.ASCII)
_DAY_DIGITS: Final = 8
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(text: str, clock: Clock = system_clock) -> datetime:
    """Parse a time:

    * ISO 8601, such as ``2026-01-31T12:00+01:00``, in UTC if it has no zone; also ``2026-01-31 12:00 UTC``.
    * How long ago it was, as in `parse_ago`: ``2 hours ago``, ``90m``, ``-2h``, ``PT2H``.
    * ``now``; ``today`` and ``yesterday``, which begin at 00:00 UTC; ``yesterday 14:30``.
    * Milliseconds since 1970, as commands print them: any number except one with eight digits, a day (``20260131``).

    Raises:
        typer.BadParameter: The text is none of these, or a number that looks like seconds since 1970.
    """
    given = text.strip()
    try:
        return _parse(given, clock)
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            f'Invalid time {text!r}. Use ISO 8601 (2026-01-31T12:00Z), a duration ("90m", "2 hours ago") or "now".'
        ) from None


def _parse(given: str, clock: Clock) -> datetime:
    if given.lower() == "now":
        return clock()
    ago = parse_ago(given)
    if ago is not None:
        return clock() - ago
    if _NUMBER.fullmatch(given) and len(given) != _DAY_DIGITS:
        return _at_milliseconds(int(given))
    bare = _NAMES_UTC.sub("", given)
    day = _DAY.fullmatch(bare)
    time = datetime.fromisoformat(bare) if day is None else _of_day(day, clock)
    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    if bare != given:
        raise ValueError("two zones")
    return time.astimezone(UTC)


def _of_day(day: re.Match[str], clock: Clock) -> datetime:
    days_back = 1 if day[1].lower() == "yesterday" else 0
    date = clock().astimezone(UTC).date() - timedelta(days=days_back)
    return datetime.fromisoformat(f"{date}T{day[2] or '00:00'}")


def _at_milliseconds(number: int) -> datetime:
    if number in SECONDS_OF_2001_TO_2099:
        seconds = datetime.fromtimestamp(number, UTC)
        raise typer.BadParameter(
            f"Invalid time '{number}': it looks like seconds, expected milliseconds since 1970. "
            f"Use {number * 1000} or {seconds:%Y-%m-%dT%H:%M:%SZ}."
        )
    return _EPOCH + timedelta(milliseconds=number)
