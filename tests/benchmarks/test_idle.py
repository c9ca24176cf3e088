"""CPU time becomes a share of a core."""

import pytest

from benchmarks.idle import share


def test_a_share_is_of_the_time_that_passed() -> None:
    assert share(1.0, 1.5, 10.0) == pytest.approx(0.05)


def test_what_is_unknown_stays_unknown() -> None:
    assert (share(None, 1.0, 10.0), share(1.0, None, 10.0)) == (None, None)
