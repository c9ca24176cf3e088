"""Times as people read them: in words, such as "2 hours ago", or to the second, in UTC."""

from datetime import datetime
from typing import NamedTuple

import humanize


class Times(NamedTuple):
    """How the times of a table are shown; words are as of ``now``."""

    now: datetime
    is_exact: bool = False

    def heading(self, heading: str) -> str:
        """The heading of a column of times."""
        return f"{heading} (UTC)" if self.is_exact else heading

    def shown(self, time: str | None) -> str | None:
        """A time of a row, which is ISO 8601 in UTC; exact where Python's calendar ends."""
        return moment(time) if time is None or self.is_exact else in_words(time, self.now)


def moment(time: str | None) -> str | None:
    """A time of a row to the second."""
    return None if time is None else time.replace("T", " ").partition(".")[0].removesuffix("Z")


def in_words(time: str, now: datetime) -> str:
    """How long a time of a row was before ``now``, or will be after it; exact where Python's calendar ends."""
    try:
        return humanize.naturaltime(now - datetime.fromisoformat(time))
    except (ValueError, OverflowError):
        return moment(time) or ""
