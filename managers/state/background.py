"""Runs functions in daemon threads, which do not keep a program from ending if they hang."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def run_in_background(name: str, function: Callable[[], Result]) -> Future[Result]:
    """Run a function in a new daemon thread with this name, and return the future of its result or error."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()
    Thread(target=_run, args=(function, future), name=name, daemon=True).start()
    return future


def _run(function: Callable[[], Result], future: Future[Result]) -> None:
    try:
        result = function()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
