"""Times as Kafka has them (ms since 1970) and as Postgres' binary format has them (microseconds since 2000)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

MS_FROM_1970_TO_2000: Final = 946_684_800_000
FIRST_HELD_MS: Final = -210_866_803_200_000  # 4713 BC, where timestamptz begins
LAST_HELD_MS: Final = 9_224_318_015_999_999  # the year 294276, where it ends
MICROS_OF_AN_HOUR: Final = 3_600_000_000

_POSTGRES_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_UNIX_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def held_micros(ms: int | None) -> int | None:
    """Microseconds since 2000 of a time in ms since 1970; None where timestamptz cannot hold it."""
    if ms is None or not FIRST_HELD_MS <= ms <= LAST_HELD_MS:
        return None
    return (ms - MS_FROM_1970_TO_2000) * 1000


def all_held_micros(times: Sequence[int]) -> list[int | None]:
    """As `held_micros` for each of many times, which mostly are all held."""
    if times and min(times) >= FIRST_HELD_MS and max(times) <= LAST_HELD_MS:
        return [(ms - MS_FROM_1970_TO_2000) * 1000 for ms in times]
    return [held_micros(ms) for ms in times]


def micros_of(time: datetime) -> int:
    """Microseconds since 2000 of an aware datetime."""
    return (time - _POSTGRES_EPOCH) // timedelta(microseconds=1)


def ms_of(time: datetime) -> int:
    """Milliseconds since 1970 of an aware datetime, rounded down."""
    return (time - _UNIX_EPOCH) // timedelta(milliseconds=1)
