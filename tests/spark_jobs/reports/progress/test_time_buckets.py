"""Widths of time buckets."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.reports.progress.time_buckets import (
    MOST_BUCKETS,
    MOST_DRAWN,
    drawn_width,
    format_width,
    parse_width,
    width_for,
)
from spark_jobs.reports.progress.transforms import EPOCH
from tests.spark_jobs.plain_relations import START


@pytest.mark.parametrize(("text", "seconds"), [("5s", 5), ("1m", 60), ("2h", 7200), ("1d", 86_400), ("90s", 90)])
def test_a_width_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_width(text) == seconds
    assert parse_width(format_width(seconds)) == seconds


@pytest.mark.parametrize("text", ["", "5", "s", "0s", "-1s", "1.5s", "1w", "5 s", "99999999d", "१s"])
def test_other_texts_are_invalid(text: str) -> None:
    with pytest.raises(ValueError, match="Invalid bucket width"):
        parse_width(text)


def test_the_shortest_form_is_used() -> None:
    assert [format_width(seconds) for seconds in (1, 60, 90, 3600, 86_400, 5400)] == [
        "1s",
        "1m",
        "90s",
        "1h",
        "1d",
        "90m",
    ]


@given(
    st.integers(min_value=-40 * 365 * 86_400, max_value=40 * 365 * 86_400),
    st.floats(min_value=0, max_value=20 * 365 * 86_400),
)
def test_a_span_has_at_most_60_buckets(first: int, seconds: float) -> None:
    start = START + timedelta(seconds=first)
    last = start + timedelta(seconds=seconds)
    width = width_for(start, last)
    assert int(last.timestamp()) // width - int(start.timestamp()) // width + 1 <= MOST_BUCKETS


def test_a_short_span_has_narrow_buckets() -> None:
    assert width_for(START, START + timedelta(seconds=95)) == 2
    assert width_for(None, None) == 1


@given(
    st.integers(min_value=1, max_value=36_500 * 86_400),
    st.integers(min_value=-40 * 365 * 86_400, max_value=40 * 365 * 86_400),
    st.floats(min_value=0, max_value=2_000 * 365 * 86_400),
)
def test_at_most_500_buckets_are_drawn(seconds: int, first: int, span: float) -> None:
    start = START + timedelta(seconds=first)
    last = start + timedelta(seconds=span)
    width = drawn_width(seconds, start, last)
    assert width % seconds == 0
    assert int(last.timestamp()) // width - int(start.timestamp()) // width + 1 <= MOST_DRAWN


@pytest.mark.parametrize(
    ("seconds", "span", "drawn"), [(1, 498, 1), (1, 501, 2), (7, 7_000, 21), (90, 86_400, 180), (1, 2_592_000, 7_200)]
)
def test_buckets_are_drawn_as_they_are_or_with_a_multiple_of_their_width(seconds: int, span: int, drawn: int) -> None:
    start = EPOCH + timedelta(days=630)
    assert drawn_width(seconds, start, start + timedelta(seconds=span)) == drawn
