"""Positions that users type: ``oldest``, ``upcoming``, an offset or a time."""

import re
from datetime import UTC, datetime
from typing import Final

import typer

from coordstream.cli.arguments.time import parse_time
from coordstream.times import SECONDS_OF_2001_TO_2099
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
    """Parse ``oldest``, ``upcoming``, an offset (a number, or ``offset:TEXT``), or a time as in `parse_time`.

    A number is always an offset; one that may be meant as a time since 1970 is rejected. ``now`` is when the startpoint
    is created, and what ``2 hours ago`` refers to.

    Raises:
        typer.BadParameter: The text is none of these.
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


def format_position(startpoint: Startpoint) -> str | None:
    """The text that `parse_position` parses to this startpoint; None if there is none."""
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
            f"Ambiguous position {text!r}: an offset that looks like a time. Use {OFFSET}{text} or {meant}."
        )
    return text


def _time_meant(digits: str) -> str | None:
    """The time that a number may stand for, as seconds or milliseconds since 1970."""
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
            f"Invalid position {text!r}. Use oldest, upcoming, an offset (a number, or {OFFSET}TEXT), or a time "
            '("2 hours ago", 2026-01-31T12:00Z).'
        ) from None


def _utc(ms: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(ms // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
