"""The signals that end a command."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Final, NoReturn

INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM

Handler = Callable[[int, FrameType | None], Any] | int | None


@contextmanager
def interrupted_by_sigterm() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt when SIGTERM comes; the list that is yielded then holds its number.

    psycopg cancels the running query on KeyboardInterrupt, so nothing is left running in the database.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        received.append(number)
        raise KeyboardInterrupt

    with _handled([signal.SIGTERM] if current_thread() is main_thread() else [], interrupt):
        yield received


@contextmanager
def stopped_by_signals(stop: Callable[[int], None]) -> Iterator[None]:
    """Call ``stop`` with the number of the first signal, Ctrl-C included; a second one acts as it did before.

    A SIGHUP that is ignored (nohup) stays ignored.
    """
    numbers: list[int] = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before: dict[int, Handler] = {number: signal.getsignal(number) for number in numbers}

    def stop_once(number: int, frame: FrameType | None) -> None:
        del frame
        _restore(before)
        stop(number)

    with _handled(numbers, stop_once):
        yield


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C while a program in the foreground handles it."""
    with _handled([signal.SIGINT], signal.SIG_IGN):
        yield


@contextmanager
def _handled(numbers: Iterable[int], handler: Handler) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        _restore(before)


def _restore(handlers: dict[int, Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
