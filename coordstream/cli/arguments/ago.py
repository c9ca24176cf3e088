"""How long ago something was, as people type it."""

import re
from datetime import timedelta
from typing import Final

_UNITS: Final = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_PART: Final = r"(\d+(?:\.\d+)?|an?\b)\s*(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])"
_AGO: Final = re.compile(rf"-?(?:{_PART}[\s,]*)+(?:ago)?", re.ASCII)
_ISO: Final = re.compile(
    r"-?p(?=\d|t\d)((?:[\d.]+w)?(?:[\d.]+d)?)(?:t((?:[\d.]+h)?(?:[\d.]+m)?(?:[\d.]+s)?))?", re.ASCII
)


def parse_ago(text: str) -> timedelta | None:
    """A length of time such as ``2 hours ago``, ``90m``, ``-2h``, ``1 day, 6h`` or ``PT2H``; None: the text is none.

    ``PT2H`` is a duration of ISO 8601. Months and years are not known, since they differ in length.

    Raises:
        OverflowError: it is longer than Python's calendar.
    """
    given = text.strip().lower()
    if iso := _ISO.fullmatch(given):
        given = " ".join(filter(None, iso.groups()))
    if not _AGO.fullmatch(given):
        return None
    parts = ((1 if number.startswith("a") else float(number), unit) for number, unit in re.findall(_PART, given))
    return sum((timedelta(**{_UNITS[unit[0]]: number}) for number, unit in parts), timedelta())
