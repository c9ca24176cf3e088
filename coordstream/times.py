"""Times and durations as users type them, and times as they are shown: relative to now, or in UTC."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import humanize

from coordstream.errors import CoordstreamError
from eventlog.log import Clock, system_clock

_UNITS: Final = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_PART: Final = r"(\d+(?:\.\d+)?|an?\b)\s*(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])"
_LENGTH: Final = re.compile(rf"(?:{_PART}[\s,]*)+", re.ASCII)
SECONDS_OF_2001_TO_2099: Final = range(978_307_200, 4_102_444_800)
"""Numbers in this range may be meant as seconds since 1970."""

_NAMES_UTC: Final = re.compile(r"\s+(?:UTC|GMT)$", re.IGNORECASE)
_DAYS_BACK: Final = {"today": 0, "yesterday": 1}
_NUMBER: Final = re.compile(r"\d+", re.ASCII)
_DAY_DIGITS: Final = 8
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST_FIRST: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_PARTS: Final = re.compile(r"(.+?)(?:\.(\d+))?Z(.*)")


class InvalidTime(CoordstreamError):
    """A text is not a time; the message says what is."""


def exact(time: str) -> str:
    """A time of a row to the millisecond, the precision of Kafka's record times."""
    parts = _PARTS.fullmatch(time)
    if parts is None:  # infinity
        return time
    return f"{parts[1].replace('T', ' ')}.{(parts[2] or '')[:3]:0<3}{parts[3]}"


def moment(time: str | None) -> str | None:
    """A time of a row to the second."""
    return None if time is None else time.replace("T", " ").partition(".")[0].removesuffix("Z")


def in_words(time: str, now: datetime) -> str:
    """How long before or after ``now`` a time of a row is; the time itself if it is outside the range of datetime."""
    try:
        return humanize.naturaltime(now - datetime.fromisoformat(time))
    except (ValueError, OverflowError):
        return moment(time) or ""


def as_datetime(time: str | None) -> datetime | None:
    """A time of a row; None if it is null, or outside the range of datetime."""
    try:
        return None if time is None else datetime.fromisoformat(time)
    except ValueError:
        return None


def duration(seconds: int) -> str:
    """Seconds in the two largest units, such as ``2 h 5 min``."""
    parts = []
    for unit, size in _LARGEST_FIRST:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or "0 s"


def parse_time(text: str, clock: Clock = system_clock) -> datetime:
    """Parse a time:

    * ISO 8601, such as ``2026-01-31T12:00+01:00``, in UTC if it has no zone; also ``2026-01-31 12:00 UTC``.
    * How long ago it was, as in `parse_ago`: ``2 hours ago``, ``90m``.
    * ``now``; ``today`` and ``yesterday``, which begin at 00:00 UTC.
    * Milliseconds since 1970, as commands print them: any number except one with eight digits, a day (``20260131``).

    Raises `InvalidTime`: the text is none of these, or a number that looks like seconds since 1970.
    """
    given = text.strip()
    try:
        return _parse(given, clock)
    except OverflowError:
        raise InvalidTime(f"Invalid time {text!r}. Use one in the years 1 to 9999.") from None
    except ValueError:
        raise InvalidTime(
            f'Invalid time {text!r}. Use ISO 8601 (2026-01-31T12:00Z), a duration ("90m", "2 hours ago") or "now".'
        ) from None


def _parse(given: str, clock: Clock) -> datetime:
    if given.lower() == "now":
        return clock()
    if given.lower() in _DAYS_BACK:
        day = clock().astimezone(UTC) - timedelta(days=_DAYS_BACK[given.lower()])
        return day.replace(hour=0, minute=0, second=0, microsecond=0)
    ago = parse_ago(given)
    if ago is not None:
        return clock() - ago
    if _NUMBER.fullmatch(given) and len(given) != _DAY_DIGITS:
        return _at_milliseconds(int(given))
    bare = _NAMES_UTC.sub("", given)
    time = datetime.fromisoformat(bare)
    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    if bare != given:
        raise ValueError("two zones")
    return time.astimezone(UTC)


def _at_milliseconds(number: int) -> datetime:
    if number in SECONDS_OF_2001_TO_2099:
        seconds = datetime.fromtimestamp(number, UTC)
        raise InvalidTime(
            f"Invalid time '{number}': it looks like seconds, expected milliseconds since 1970. "
            f"Use {number * 1000} or {seconds:%Y-%m-%dT%H:%M:%SZ}."
        )
    return _EPOCH + timedelta(milliseconds=number)


def parse_length(text: str) -> timedelta | None:
    """Return the duration that ``90m`` or ``1 day, 6h`` is; None for any other text, as for ``90``.

    Months and years are not supported, because their lengths differ. Raises `OverflowError`: the duration is longer
    than a timedelta can be.
    """
    text = text.strip().lower()
    if not _LENGTH.fullmatch(text):
        return None
    parts = ((1 if number.startswith("a") else float(number), unit) for number, unit in re.findall(_PART, text))
    return sum((timedelta(**{_UNITS[unit[0]]: number}) for number, unit in parts), timedelta())


def parse_ago(text: str) -> timedelta | None:
    """Return how long ago ``2 hours ago`` or ``90m`` is; see `parse_length`, which it may raise."""
    return parse_length(text.strip().lower().removesuffix(" ago"))
