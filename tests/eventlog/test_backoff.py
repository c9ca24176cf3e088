"""Waits between failed tries."""

import pytest

from eventlog.backoff import Backoff


def test_each_wait_is_twice_the_last_up_to_ten_seconds() -> None:
    backoff = Backoff(lambda: 0.0)
    assert [backoff.next() for _ in range(9)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_a_wait_is_shortened_by_up_to_half() -> None:
    draws = iter([0.0, 0.5, 1.0])
    backoff = Backoff(lambda: next(draws))
    assert [backoff.next() for _ in range(3)] == pytest.approx([0.1, 0.15, 0.2])


def test_two_programs_do_not_wait_alike() -> None:
    assert [Backoff().next() for _ in range(3)] != [Backoff().next() for _ in range(3)]


def test_after_a_success_the_waits_are_short_again() -> None:
    backoff = Backoff(lambda: 0.0)
    long = [backoff.next() for _ in range(5)][-1]
    backoff.reset()
    assert (long, backoff.next()) == (1.6, 0.1)
