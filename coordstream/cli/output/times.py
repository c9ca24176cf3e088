"""Times in tables: relative to now, such as "2 hours ago", or in UTC, to the second or the millisecond."""

import re
from datetime import datetime
from typing import Final, NamedTuple

import humanize

_PARTS: Final = re.compile(r"(.+?)(?:\.(\d+))?Z(.*)")


class Times(NamedTuple):
    """The format of the times in a table: relative to ``now``, or in UTC to the second if ``is_exact``."""

    now: datetime
    is_exact: bool = False

    def heading(self, heading: str, *, is_exact: bool = False) -> str:
        """The heading of a column of times."""
        return f"{heading} (UTC)" if self.is_exact or is_exact else heading

    def shown(self, time: str | None, *, is_exact: bool = False) -> str | None:
        """Format a time of a row (ISO 8601 in UTC); to the millisecond if ``is_exact``."""
        if time is None:
            return None
        if is_exact:
            return exact(time)
        return moment(time) if self.is_exact else in_words(time, self.now)


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
