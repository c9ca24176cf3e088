"""Times as Kafka and as Postgres have them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.postgres.connection import connect
from eventlog.timestamps import (
    FIRST_STORABLE_MS,
    LAST_STORABLE_MS,
    MS_FROM_1970_TO_2000,
    all_storable_micros,
    micros_of,
    ms_of,
    storable_micros,
)

MILLISECOND = timedelta(milliseconds=1)
TIMES = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("ms", "micros"),
    [
        (None, None),
        (MS_FROM_1970_TO_2000, 0),
        (0, -946_684_800_000_000),
        (-1, -946_684_800_001_000),
        (FIRST_STORABLE_MS, -211_813_488_000_000_000),
        (FIRST_STORABLE_MS - 1, None),
        (LAST_STORABLE_MS, 9_223_371_331_199_999_000),
        (LAST_STORABLE_MS + 1, None),
        (2**63 - 1, None),
        (-(2**63), None),
    ],
)
def test_microseconds_since_2000(ms: int | None, micros: int | None) -> None:
    assert storable_micros(ms) == micros


@given(
    st.lists(
        st.sampled_from([FIRST_STORABLE_MS, LAST_STORABLE_MS]) | st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9)
    )
)
def test_many_times_are_what_each_is(times: list[int]) -> None:
    assert all_storable_micros(times) == [storable_micros(ms) for ms in times]


def test_the_limits_are_those_of_timestamptz(database_url: str) -> None:
    with connect(database_url) as connection:
        row = connection.execute(
            "select (extract(epoch from timestamptz '4713-01-01 00:00:00+00 BC') * 1000)::bigint,"
            " (extract(epoch from timestamptz '294276-12-31 23:59:59.999+00') * 1000)::bigint"
        ).fetchone()
    assert row is not None
    assert FIRST_STORABLE_MS <= row[0] < FIRST_STORABLE_MS + 366 * 24 * 3_600_000
    assert row[1] == LAST_STORABLE_MS


@given(TIMES)
def test_both_clocks_have_the_same_time(time: datetime) -> None:
    assert datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros_of(time)) == time
    assert timedelta() <= time - (datetime(1970, 1, 1, tzinfo=UTC) + ms_of(time) * MILLISECOND) < MILLISECOND


def test_a_time_counts_in_its_own_zone() -> None:
    assert ms_of(datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))) == 0
    assert micros_of(datetime(2000, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))) == 0
