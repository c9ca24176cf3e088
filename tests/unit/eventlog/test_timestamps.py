"""Times as Kafka and as Postgres have them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from eventlog.timestamps import (
    FIRST_STORABLE_MS,
    LAST_STORABLE_MS,
    all_storable_micros,
    micros_of,
    ms_of,
    storable_micros,
)

MILLISECOND = timedelta(milliseconds=1)
TIMES = st.datetimes(timezones=st.just(UTC))


@given(
    st.lists(
        st.sampled_from([FIRST_STORABLE_MS, LAST_STORABLE_MS]) | st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9)
    )
)
def test_many_times_are_what_each_is(times: list[int]) -> None:
    assert all_storable_micros(times) == [storable_micros(ms) for ms in times]


@given(TIMES)
def test_both_clocks_have_the_same_time(time: datetime) -> None:
    assert datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros_of(time)) == time
    assert timedelta() <= time - (datetime(1970, 1, 1, tzinfo=UTC) + ms_of(time) * MILLISECOND) < MILLISECOND
