"""Times in ms since 1970, as in Kafka, and in microseconds since 2000, as in Postgres' binary format."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

MS_FROM_1970_TO_2000: Final = 946_684_800_000
FIRST_STORABLE_MS: Final = -210_866_803_200_000  # 4713 BC, where timestamptz begins
LAST_STORABLE_MS: Final = 9_224_318_015_999_999  # the year 294276, where it ends
MICROS_OF_AN_HOUR: Final = 3_600_000_000
MICROS_OF_A_DAY: Final = 24 * MICROS_OF_AN_HOUR

_POSTGRES_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_UNIX_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def storable_micros(ms: int | None) -> int | None:
    """A time in ms since 1970 as microseconds since 2000; None if it is out of range for timestamptz."""
    if ms is None or not FIRST_STORABLE_MS <= ms <= LAST_STORABLE_MS:
        return None
    return (ms - MS_FROM_1970_TO_2000) * 1000


def all_storable_micros(times: Sequence[int]) -> list[int | None]:
    """As `storable_micros` for many times; faster if all are in range."""
    if times and min(times) >= FIRST_STORABLE_MS and max(times) <= LAST_STORABLE_MS:
        return [(ms - MS_FROM_1970_TO_2000) * 1000 for ms in times]
    return [storable_micros(ms) for ms in times]


def ms_of_micros(micros: int) -> int:
    """Milliseconds since 1970 of a time in microseconds since 2000, rounded down."""
    return micros // 1000 + MS_FROM_1970_TO_2000


def micros_of(time: datetime) -> int:
    """Microseconds since 2000 of an aware datetime."""
    return (time - _POSTGRES_EPOCH) // timedelta(microseconds=1)


def datetime_of(micros: int) -> datetime:
    """A time in microseconds since 2000 as an aware datetime."""
    return _POSTGRES_EPOCH + timedelta(microseconds=micros)


def time_of(ms: int) -> datetime | None:
    """A time in ms since 1970 as an aware datetime; None outside the range of datetime."""
    try:
        return _UNIX_EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return None


def current_ms() -> int:
    """Milliseconds since 1970."""
    return ms_of(datetime.now(UTC))


def ms_of(time: datetime) -> int:
    """Milliseconds since 1970 of an aware datetime, rounded down."""
    return (time - _UNIX_EPOCH) // timedelta(milliseconds=1)
