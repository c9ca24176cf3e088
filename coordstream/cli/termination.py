"""The signals that end a command: what each part of a command does when one comes, and the handlers restored after."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Timer, current_thread, main_thread
from types import FrameType
from typing import Any, Final, NoReturn

_REPEAT_SECONDS: Final = 0.05

TERMINATION_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)

Handler = Callable[[int, FrameType | None], Any] | int | None


@contextmanager
def interrupted_by_signals() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt when SIGTERM or SIGHUP comes; the list that is yielded then holds its number.

    psycopg cancels the running query on KeyboardInterrupt, so nothing is left running in the database. A signal that is
    ignored (nohup) or has another handler is left alone.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        received.append(number)
        raise KeyboardInterrupt

    is_main = current_thread() is main_thread()
    free = [number for number in TERMINATION_SIGNALS if is_main and signal.getsignal(number) == signal.SIG_DFL]
    with _handled(free, interrupt), _lost_interrupts_repeated(received):
        yield received


@contextmanager
def _lost_interrupts_repeated(received: Sequence[int]) -> Iterator[None]:
    """Send a signal again whose KeyboardInterrupt was raised in a destructor or a weak reference's callback.

    Python prints and drops an exception there, as while it imports a module, and the command would go on.
    """
    before = sys.unraisablehook

    def repeat(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            number = received[-1] if received else signal.SIGINT
            Timer(_REPEAT_SECONDS, os.kill, (os.getpid(), number)).start()  # at once, it could be lost again
        else:
            before(lost)

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = before


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
