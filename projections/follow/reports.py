"""What a follower reports: messages for the operator, without repetitions, and the progress of each batch."""

from collections.abc import Callable
from typing import NamedTuple

from projections.follow.heartbeat import State


class Progress(NamedTuple):
    """A batch that was applied: the offsets from ``first_offset`` to before ``next_offset``.

    ``target``: the end to catch up to. ``timestamp``: the last event's record time in ms since 1970; None if the batch
    had no events.
    """

    stream_name: str
    state: State
    events: int
    first_offset: int
    next_offset: int
    target: int
    timestamp: int | None


class Reports:
    """Reports to callbacks: a stream's message only if it differs from its last one, an outage's begin and end."""

    def __init__(self, on_message: Callable[[str], None], on_progress: Callable[[Progress], None]) -> None:
        self._on_message = on_message
        self._last: dict[str, str] = {}
        self._is_outage = False
        self.progress = on_progress

    def say(self, message: str) -> None:
        """Report a message that concerns no single stream."""
        self._on_message(message)

    def say_of(self, stream_name: str, message: str) -> None:
        """Report a message about a stream, unless it is empty or repeats the last one."""
        if message and self._last.get(stream_name) != message:
            self._last[stream_name] = message
            self._on_message(message)

    def begin_outage(self, message: str) -> None:
        """Report an outage; further messages about it are dropped until `end_outage`."""
        if not self._is_outage:
            self._is_outage = True
            self._on_message(message)

    def end_outage(self) -> None:
        """Report the end of an outage, if there was one."""
        if self._is_outage:
            self._is_outage = False
            self._on_message("Connections are restored: following continues.")
