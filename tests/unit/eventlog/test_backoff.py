"""Waits between retries, and the deadline after which nothing is retried."""

import pytest

from eventlog.backoff import Backoff, RetryDeadline, no_jitter


def test_each_wait_is_twice_the_last_up_to_ten_seconds() -> None:
    backoff = Backoff(no_jitter)
    assert [backoff.next() for _ in range(9)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_jitter_shortens_a_wait_by_up_to_half() -> None:
    draws = iter([0.0, 0.5, 1.0])
    backoff = Backoff(lambda: next(draws))
    assert [backoff.next() for _ in range(3)] == pytest.approx([0.1, 0.15, 0.2])


def test_a_reset_begins_with_the_first_wait() -> None:
    backoff = Backoff(no_jitter)
    last = [backoff.next() for _ in range(5)][-1]
    backoff.reset()
    assert (last, backoff.next()) == (1.6, 0.1)


def test_a_deadline_cuts_the_last_wait_short() -> None:
    now, waits = [100.0], []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    deadline = RetryDeadline(4.0, Backoff(no_jitter, first_seconds=1.0), clock=lambda: now[0], sleep=sleep)
    while not deadline.is_over:
        deadline.wait()
    assert waits == [1.0, 2.0, 1.0]
