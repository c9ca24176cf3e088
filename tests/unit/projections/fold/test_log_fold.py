"""The log's time: no far-off record time moves it, and few rows hold it."""

from eventlog.timestamps import MICROS_OF_AN_HOUR
from projections.fold.log_fold import STRIDE, LogClock

ARCHIVED = 10 * MICROS_OF_AN_HOUR


def ticked(*times: int | None) -> LogClock:
    clock = LogClock(None, ARCHIVED)
    clock.take(range(len(times)), times)
    return clock


def test_an_hour_ahead_counts_and_more_does_not() -> None:
    latest = ARCHIVED + MICROS_OF_AN_HOUR
    assert ticked(5, latest).now == latest
    assert ticked(5, latest + 1).now == 5


def test_an_event_with_another_time_than_the_log_has_a_row() -> None:
    assert ticked(5, 7, 6, 7, None, 8).rows == [(0, 5), (2, 7), (4, 7)]
    after = ticked(5, 4, *range(5, 5 + STRIDE)).rows
    assert after == [(0, 5), (1, 5), (STRIDE + 1, STRIDE + 4)]
