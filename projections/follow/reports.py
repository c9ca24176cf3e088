"""What a follower tells: sentences, each once, and progress."""

from collections.abc import Callable
from typing import NamedTuple

from projections.follow.heartbeat import State


class Progress(NamedTuple):
    """A batch that was applied: offsets from ``first_offset`` to before ``next_offset``.

    ``target`` is the end that catching up goes to; ``timestamp`` the last event's record time in ms since 1970, None
    where the batch had no event.
    """

    stream_name: str
    state: State
    events: int
    first_offset: int
    next_offset: int
    target: int
    timestamp: int | None


class Reports:
    """Passes on what is told: no sentence of a stream twice in a row, and the begin and the end of an outage."""

    def __init__(self, on_message: Callable[[str], None], on_progress: Callable[[Progress], None]) -> None:
        self._on_message = on_message
        self._said: dict[str, str] = {}
        self._is_outage = False
        self.progress = on_progress

    def say(self, stream_name: str, sentence: str) -> None:
        """Say this of a stream, unless it was the last thing said of it."""
        if sentence and self._said.get(stream_name) != sentence:
            self._said[stream_name] = sentence
            self._on_message(sentence)

    def tell(self, sentence: str) -> None:
        """Say what is of no single stream."""
        self._on_message(sentence)

    def begin_outage(self, sentence: str) -> None:
        """Something that all streams need is out of reach; what is found out about it later is not told."""
        if not self._is_outage:
            self._is_outage = True
            self._on_message(sentence)

    def end_outage(self) -> None:
        """Everything answers again."""
        if self._is_outage:
            self._is_outage = False
            self._on_message("everything is within reach again: going on")
