"""The wish to stop."""

import os
import signal
import threading
import time

from projections.follow.stopping import Stopping
from tests.fixtures.waiting import PATIENCE, wait_until

LONG = PATIENCE


def test_waiting_takes_its_time() -> None:
    stopping, began = Stopping(), time.monotonic()
    stopping.wait(0.05)
    assert time.monotonic() - began >= 0.05
    assert not stopping.is_set


def test_a_wish_from_another_thread_ends_the_wait() -> None:
    stopping, began = Stopping(), time.monotonic()
    threading.Timer(0.05, stopping.set).start()
    stopping.wait(LONG)
    stopping.wait(LONG)
    assert stopping.is_set
    assert time.monotonic() - began < LONG / 2


def test_a_signal_handler_may_wish_while_its_thread_waits() -> None:
    stopping, began = Stopping(), time.monotonic()
    before = signal.signal(signal.SIGUSR1, lambda *_: stopping.set())
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        stopping.wait(LONG)
        wait_until(lambda: stopping.is_set, what="the handler")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - began < LONG / 2
