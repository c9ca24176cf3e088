"""A check that a thread repeats, as Samza's monitors do."""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final

from managers.errors import NotReady

OnFailure = Callable[[Exception], None]

_JOIN_SECONDS: Final = 1.0


class PeriodicCheck:
    """Calls ``check`` every ``seconds`` in a thread of its own, first after ``first_after`` seconds.

    With 0 seconds or less it is never called, as in Samza. An error of ``check`` does not end the thread.
    """

    def __init__(
        self,
        name: str,
        check: Callable[[], None],
        seconds: float,
        *,
        first_after: float,
        on_failure: OnFailure = lambda _error: None,
    ) -> None:
        """``on_failure`` gets an error of ``check``, once while the type of the error stays the same."""
        self._name: Final = name
        self._check: Final = check
        self._seconds: Final = seconds
        self._first_after: Final = first_after
        self._on_failure: Final = on_failure
        self.failure: Exception | None = None
        """The error of the last check; None: it raised none."""
        self._is_stopped: Final = Event()
        self._lock: Final = Lock()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it was started before.

        Raises:
            NotReady: the check was stopped. It cannot be started again.
        """
        with self._lock:
            if self._is_stopped.is_set():
                raise NotReady(f"the {self._name}", "was stopped", "create another one")
            if self._thread is None and self._seconds > 0:
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop for good. A check that is under way may take a while to end; it is waited for up to a second."""
        self._is_stopped.set()
        with self._lock:
            if self._thread is not None:
                self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        wait = self._first_after
        while not self._is_stopped.wait(wait):
            self.check_once()
            wait = self._seconds

    def check_once(self) -> None:
        """Call ``check``, and keep its error."""
        try:
            self._check()
        except Exception as error:
            is_new = type(error) is not type(self.failure)
            self.failure = error
            if is_new:
                self._on_failure(error)
        else:
            self.failure = None
