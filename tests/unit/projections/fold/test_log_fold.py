"""The log's time: never runs backward, and no far-off record time moves it."""

from hypothesis import given
from hypothesis import strategies as st

from eventlog.timestamps import MICROS_OF_AN_HOUR
from projections.fold.log_fold import STRIDE, LogClock

ARCHIVED = 10 * MICROS_OF_AN_HOUR
TIMES = st.lists(st.none() | st.integers(0, 20 * MICROS_OF_AN_HOUR), max_size=3 * STRIDE)


def ticked(*times: int | None, now: int | None = None) -> LogClock:
    clock = LogClock(now, ARCHIVED)
    clock.take(range(len(times)), times)
    return clock


def test_an_hour_ahead_counts_and_more_does_not() -> None:
    latest = ARCHIVED + MICROS_OF_AN_HOUR
    assert ticked(5, latest).now == latest
    assert ticked(5, latest + 1).now == 5


def test_until_a_time_counts_it_is_that_of_archiving() -> None:
    assert ticked(None).rows == [(0, ARCHIVED)]
    assert ticked(ARCHIVED + MICROS_OF_AN_HOUR + 1).rows == [(0, ARCHIVED)]
    assert ticked(None, 5).now == ARCHIVED


def test_an_event_with_another_time_than_the_log_has_a_row() -> None:
    assert ticked(5, 7, 6, 7, None, 8).rows == [(0, 5), (2, 7), (4, 7)]
    after = ticked(5, 4, *range(5, 5 + STRIDE)).rows
    assert after == [(0, 5), (1, 5), (STRIDE + 1, STRIDE + 4)]


@given(TIMES, st.none() | st.integers(0, ARCHIVED))
def test_it_never_runs_backward(times: list[int | None], now: int | None) -> None:
    rows = ticked(*times, now=now).rows
    shown = [time for _, time in rows]
    assert shown == sorted(shown)
    assert all(time >= (now or 0) for time in shown)
