"""The description of the machine includes the load of other processes."""

import pytest

from benchmarks.machine import busy_between, busy_share, machine

BEFORE = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
AFTER = "cpu  150 0 75 900 75 0 0 0 0 0\n"


def test_what_is_neither_idle_nor_waiting_is_busy() -> None:
    assert busy_between(BEFORE, AFTER) == pytest.approx(0.375)
    assert busy_between(BEFORE, BEFORE) == 0.0


def test_the_sentence_says_it() -> None:
    assert machine(0.25).startswith("Measured on 20")
    assert machine(0.25).endswith("in use by others just before: 25%.")
    assert machine(None).endswith("just before: unknown.")
    assert (busy_share(0.05) or 0.0) <= 1.0
