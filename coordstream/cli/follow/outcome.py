"""How a follower ended: its exit code, the reason on standard error, and the rows of --json."""

import signal
from typing import Any, Final

from coordstream.cli.follow.stop import StopRequest
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Outcome, StreamOutcome

FAILED: Final = 1
TIMED_OUT: Final = 3
UNREACHABLE: Final = 4
SIGNALLED: Final = 128
"""Plus the number of the signal."""


def exit_code(plan: FollowPlan, stop: StopRequest, outcome: Outcome) -> int:
    """The exit code: 0 if done, or stopped by a signal where the plan has no end."""
    if outcome.refusal:
        return FAILED
    if plan.has_end and not outcome.is_complete:
        if stop.signals:
            return SIGNALLED + stop.signals[0]
        return UNREACHABLE if outcome.outage else TIMED_OUT
    return FAILED if outcome.failures and not stop.signals else 0


def describe_end(plan: FollowPlan, stop: StopRequest, outcome: Outcome) -> str:
    """Why the follower ended before it was done; empty if it was done."""
    if not plan.has_end or outcome.is_complete or outcome.refusal:
        return ""
    unread = [stream for stream in outcome.streams if not stream.is_over]
    rest = (
        f"{len(unread)} of {len(outcome.streams)} streams were not read to the end"
        if outcome.streams
        else "nothing was read"
    )
    if stop.signals:
        return f"Interrupted by {signal.Signals(stop.signals[0]).name}: {rest}."
    reason = f" ({outcome.outage.rstrip('.')})" if outcome.outage else ""
    return f"{'Timed out' if stop.is_timed_out else 'Gave up waiting'}: {rest}{reason}."


def stream_row(plan: FollowPlan, stream: StreamOutcome) -> dict[str, Any]:
    """A stream for --json: ``done``, ``refused`` or ``unfinished``; ``stopped`` if the plan has no end."""
    unread = "unfinished" if plan.has_end else "stopped"
    return {
        "stream_name": stream.stream_name,
        "outcome": "refused" if stream.detail else "done" if stream.is_over else unread,
        "events": stream.events,
        "next_offset": stream.next_offset,
        "detail": stream.detail,
    }
