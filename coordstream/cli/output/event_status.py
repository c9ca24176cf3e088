"""A line on standard error with the number of events that a command has read so far."""

from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from rich.console import Console

OnProgress = Callable[[int], None]
"""Called with each further number of events."""


class EventStatus:
    """The line, shown on a terminal only and while the context manager is active."""

    def __init__(self) -> None:
        """Nothing is shown before the context manager is entered."""
        self._status: Final = Console(stderr=True).status("")

    def __enter__(self) -> Self:
        """Show the line."""
        self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove the line."""
        self._status.stop()

    def started(self, work: str) -> OnProgress:
        """Start to count the events of a piece of work, such as ``orders, verify``."""
        events = 0

        def show(added: int) -> None:
            nonlocal events
            events += added
            self._status.update(f"{work}: {events:,} events")

        show(0)
        return show
