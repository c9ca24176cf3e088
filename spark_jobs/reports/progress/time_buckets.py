"""Widths of time buckets: parsing, formatting (`5s`, `1m`, `2h`, `1d`) and choosing one."""

import re
from datetime import datetime

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
ROUND_WIDTHS = ("1s", "2s", "5s", "10s", "15s", "30s", "1m", "2m", "5m", "10m", "15m", "30m",
                "1h", "2h", "3h", "6h", "12h", "1d", "2d", "7d", "14d", "30d", "90d", "365d")  # fmt: skip
MOST_BUCKETS = 60
MOST_DRAWN = 500
"""More would be narrower than the pixels of a picture with two columns of panels."""

LONGEST_DAYS = 36_500


def parse_width(text: str) -> int:
    """The seconds of a width such as `30s` or `2h`. Raises ValueError with a message for users."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})([smhd])", text)
    seconds = int(found[1]) * UNITS[found[2]] if found else 0
    if not 0 < seconds <= LONGEST_DAYS * UNITS["d"]:
        raise ValueError(f"Invalid bucket width {text!r}. Expected a number followed by s, m, h or d, for example 30s.")
    return seconds


def format_width(seconds: int) -> str:
    """The shortest form of a width, such as `90s` or `2m`."""
    unit, size = max(((u, s) for u, s in UNITS.items() if seconds % s == 0), key=lambda pair: pair[1])
    return f"{seconds // size}{unit}"


def width_for(first: datetime | None, last: datetime | None) -> int:
    """The narrowest round width, in seconds, that covers `first` to `last` (aware) with at most 60 buckets."""
    if first is None or last is None:
        return 1
    start, end = int(first.timestamp()), int(last.timestamp())
    widths = [parse_width(text) for text in ROUND_WIDTHS]
    return next((w for w in widths if end // w - start // w < MOST_BUCKETS), widths[-1])


def drawn_width(seconds: int, first: datetime, last: datetime) -> int:
    """The width to draw buckets of `seconds` with: a multiple that has at most 500 buckets, if possible a round one."""
    span = int((last - first).total_seconds())
    narrowest = seconds * (span // (seconds * (MOST_DRAWN - 1)) + 1)
    round_widths = (parse_width(text) for text in ROUND_WIDTHS)
    widths = (width for width in round_widths if narrowest <= width <= 4 * narrowest and width % seconds == 0)
    return seconds if narrowest == seconds else next(widths, narrowest)
