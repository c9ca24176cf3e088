"""Input offsets that are numbers, as those of Kafka: what comes after one, and which of two is before the other."""

from eventlog.errors import WireError
from eventlog.partition import parse_int64


def offset_after(offset: str) -> str | None:
    """The offset after a processed one: one more; None where it is no number, or the last of 64 bits."""
    number = _number(offset)
    following = None if number is None else _number(str(number + 1))
    return None if following is None else str(following)


def compare_offsets(one: str, other: str) -> int | None:
    """-1, 0 or 1 as ``one`` is before, at or after ``other``; None where one is no number."""
    first, second = _number(one), _number(other)
    return None if first is None or second is None else (first > second) - (first < second)


def _number(offset: str) -> int | None:
    try:
        return parse_int64(offset, "bad_number", "an offset")
    except WireError:
        return None
