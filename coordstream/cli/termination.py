"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it asked the database is cancelled there, not left running."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Final, NoReturn

SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interrupted_by_signals() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt where such a signal comes, and give the list that its number is added to.

    psycopg cancels the query under way on KeyboardInterrupt. A signal that is ignored, as by nohup, stays ignored.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        received.append(number)
        raise KeyboardInterrupt

    taken = [number for number in SIGNALS if _is_free(number)]
    for number in taken:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _is_free(number: int) -> bool:
    """Whether nobody handles the signal, and this thread may."""
    return current_thread() is main_thread() and signal.getsignal(number) == signal.SIG_DFL
