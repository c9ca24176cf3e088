"""Why a follower ends before it is done, and the exit code that says so."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any, Final

from coordstream.cli.termination import stopped_by_signals
from projections.follow.follow_run import FollowPlan, StopFlag
from projections.follow.follower import Outcome, StreamOutcome

FAILED: Final = 1
TIMED_OUT: Final = 3
UNREACHABLE: Final = 4
SIGNALLED: Final = 128


class Ending:
    """The wish that a follower ends: by a signal, or because its time is over. ``stop`` is called at the wish."""

    def __init__(self) -> None:
        self.signals: list[int] = []
        self.is_timed_out = False
        self._stopping = StopFlag()
        self._stop: Callable[[], None] = lambda: None

    @property
    def is_wished(self) -> bool:
        """Whether it is to end."""
        return self._stopping.is_set

    def wait(self, seconds: float) -> None:
        """Return after so many seconds, or at the wish."""
        self._stopping.wait(seconds)

    def stop_with(self, stop: Callable[[], None]) -> None:
        """Let the wish stop a follower; at once where it has come already."""
        self._stop = stop
        if self.is_wished:
            stop()

    def by_signal(self, number: int) -> None:
        """Somebody ended the program."""
        self.signals.append(number)
        self._end()

    def by_time(self) -> None:
        """The time is over."""
        self.is_timed_out = True
        self._end()

    def _end(self) -> None:
        self._stopping.set()
        self._stop()


@contextmanager
def ending_after(timeout: float | None) -> Iterator[Ending]:
    """An ending that signals bring, and so many seconds; a second signal ends the program as ever."""
    ending = Ending()
    timer = Timer(0 if timeout is None else timeout, ending.by_time)
    timer.daemon = True
    with stopped_by_signals(ending.by_signal):
        if timeout is not None:
            timer.start()
        try:
            yield ending
        finally:
            timer.cancel()


def exit_code(plan: FollowPlan, ending: Ending, outcome: Outcome) -> int:
    """0: done, or stopped by a signal where there is no end. Else the codes above, or 128 and the signal's number."""
    if outcome.refusal:
        return FAILED
    if plan.has_end and not outcome.is_complete:
        if ending.signals:
            return SIGNALLED + ending.signals[0]
        return UNREACHABLE if outcome.outage else TIMED_OUT
    return FAILED if outcome.failures and not ending.signals else 0


def last_words(plan: FollowPlan, ending: Ending, outcome: Outcome) -> str:
    """Why it ended before it was done; empty where it was done."""
    if not plan.has_end or outcome.is_complete or outcome.refusal:
        return ""
    unread = [stream for stream in outcome.streams if not stream.is_over]
    rest = f"{len(unread)} of {len(outcome.streams)} streams not read to the end" if outcome.streams else "nothing read"
    if ending.signals:
        return f"interrupted by {signal.Signals(ending.signals[0]).name}: {rest}"
    reason = f" ({outcome.outage})" if outcome.outage else ""
    return f"{'timed out' if ending.is_timed_out else 'gave up waiting'}: {rest}{reason}"


def described(plan: FollowPlan, stream: StreamOutcome) -> dict[str, Any]:
    """A stream as a row: its outcome is ``done``, ``refused`` or ``unfinished``; ``stopped`` where there is no end."""
    left = "unfinished" if plan.has_end else "stopped"
    return {
        "stream_name": stream.stream_name,
        "outcome": "refused" if stream.detail else "done" if stream.is_over else left,
        "events": stream.events,
        "next_offset": stream.next_offset,
        "detail": stream.detail,
    }
