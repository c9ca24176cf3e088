"""Gaps between a log's events."""

import pytest

from projections.fold.batch import gaps_between
from projections.fold.log_fold import BEFORE_THE_FIRST


@pytest.mark.parametrize(
    ("last", "offsets", "found"),
    [
        (BEFORE_THE_FIRST, (), []),
        (BEFORE_THE_FIRST, (0, 1, 2), []),
        (BEFORE_THE_FIRST, (3, 4), [(0, 2)]),
        (4, (5, 7, 8, 11), [(6, 6), (9, 10)]),
        (4, (6,), [(5, 5)]),
        (4, (5,), []),
        (0, (10**9,), [(1, 10**9 - 1)]),
    ],
)
def test_what_is_missing_between_events(last: int, offsets: tuple[int, ...], found: list[tuple[int, int]]) -> None:
    assert gaps_between(last, offsets) == found
