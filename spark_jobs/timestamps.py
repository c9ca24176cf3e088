"""Spark's timestamps: microseconds since 1970 in 64 bits, which end before those of Postgres, in the year 294247."""

from typing import Final

from eventlog.timestamps import MS_FROM_1970_TO_2000, storable_micros

MICROS_FROM_1970_TO_2000: Final = MS_FROM_1970_TO_2000 * 1_000
LAST_MICROS: Final = 2**63 - 1 - MICROS_FROM_1970_TO_2000
"""In microseconds since 2000, as in Postgres' binary format."""

LAST_TIMESTAMPTZ: Final = "294247-01-10 04:00:54.775807+00"
"""The same time for SQL."""


def spark_micros(ms: int) -> int | None:
    """A time in ms since 1970 as Spark's; None if Postgres or Spark cannot represent it."""
    micros = storable_micros(ms)
    return None if micros is None or micros > LAST_MICROS else micros + MICROS_FROM_1970_TO_2000
