"""Where to start, as it is typed: a word, an offset or a time, and never one taken for another."""

import re
from datetime import UTC, datetime
from typing import Final

import typer

from coordstream.cli.arguments.time import SECONDS_OF_2001_TO_2099, parse_time
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.timestamps import ms_of

OFFSET: Final = "offset:"
_NUMBER: Final = re.compile(r"[0-9]+", re.ASCII)


def parse_position(text: str, now: datetime) -> Startpoint:
    """``oldest``, ``upcoming``, a number or ``offset:TEXT`` for an offset, or a time as `parse_time` reads it.

    A number is always an offset. One that might be meant as a time since 1970 is refused. The startpoint is created
    at ``now``, which ``2 hours ago`` is also counted from.

    Raises:
        typer.BadParameter: it is none of them.
    """
    given, created_ms = text.strip(), ms_of(now)
    if given.lower() == StartpointOldest.kind:
        return StartpointOldest(created_ms)
    if given.lower() == StartpointUpcoming.kind:
        return StartpointUpcoming(created_ms)
    offset = _offset(given)
    if offset is not None:
        return StartpointSpecific(offset, created_ms)
    return StartpointTimestamp(ms_of(_time(given, now)), created_ms)


def position_word(startpoint: Startpoint) -> str | None:
    """What to type for the place of a startpoint, as `parse_position` reads it; None: it has none that can be typed."""
    match startpoint:
        case StartpointSpecific(str(offset)) if offset:
            is_plain = _NUMBER.fullmatch(offset) and _time_meant(offset) is None
            return offset if is_plain else f"{OFFSET}{offset}"
        case StartpointTimestamp(int(ms)):
            time = _utc(ms)
            return None if time is None else f"{time:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03}Z"
        case StartpointOldest() | StartpointUpcoming():
            return startpoint.kind
    return None


def _offset(text: str) -> str | None:
    if text.startswith(OFFSET) and text != OFFSET:
        return text.removeprefix(OFFSET)
    if not _NUMBER.fullmatch(text):
        return None
    meant = _time_meant(text)
    if meant is not None:
        raise typer.BadParameter(
            f"{text} is a number, so an offset, and looks like a time: write {OFFSET}{text}, or {meant}"
        )
    return text


def _time_meant(digits: str) -> str | None:
    """The time that a number may be meant as: seconds or milliseconds since 1970."""
    number = int(digits) if len(digits) < 20 else 0
    for seconds in (number, number // 1000):
        if seconds in SECONDS_OF_2001_TO_2099:
            return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return None


def _time(text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, lambda: now)
    except typer.BadParameter:
        raise typer.BadParameter(
            f"{text!r} is no place to start: write oldest, upcoming, an offset (a number, or {OFFSET}TEXT), "
            "or a time such as '2 hours ago' or '2026-01-31 12:00 UTC'"
        ) from None


def _utc(ms: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(ms // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
