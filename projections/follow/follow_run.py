"""The plan of a follower's run, what it reports, and the state of its streams, which outlive database sessions."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from eventlog.backoff import Backoff, StopFlag
from eventlog.notice import Notice
from eventlog.source import FOREVER_MS, StreamFacts
from projections.follow.error_policy import is_login_refused, outage_message, outage_reason
from projections.follow.heartbeat import AT_ONCE, Beat
from projections.follow.tail import Progress, Tail

RETRY_FIRST_SECONDS: Final = 1.0
RETRY_LONGEST_SECONDS: Final = 30.0
_DIGITS: Final = re.compile(r"\d+")


ProblemKind = Literal["held", "missing", "refused", "unavailable", "blocked", "outage", "database"]


@dataclass(frozen=True)
class Problem:
    """Why a stream is not read, ``since`` a monotonic time in seconds.

    ``held``: another follower reads it. ``missing``, ``refused``: it cannot be followed at present. ``unavailable``:
    the source answers, but not for this stream. ``blocked``: another session has locked its rows. ``outage``: brokers
    do not answer. ``database``: a session ended that attached or wrote it.
    """

    kind: ProblemKind
    reason: str
    since: float = AT_ONCE


@dataclass
class FollowedStream:
    """A stream is attached (it has a ``tail``), or waits to be attached at ``due_at``, or is over.

    Times are monotonic, in seconds. ``failure``: why it was given up. ``planned``: the stream when ``--once``, which
    reads to its end, was planned. ``events``: how many were applied.

    ``problem``: why it was not read when that was last tried. A refused or blocked stream is shown as such until some
    of it was read, or nothing failed until ``accepted_at``. ``next_offset``: the offset after the last applied event;
    None: it was never read. ``longest_absence_ms``: see `continuity`.
    """

    stream_name: str
    due_at: float = AT_ONCE
    has_lock: bool = False
    tail: Tail | None = None
    log_id: int | None = None
    planned: StreamFacts | None = None
    is_over: bool = False
    failure: str = ""
    problem: Problem | None = None
    accepted_at: float = AT_ONCE
    events: int = 0
    next_offset: int | None = None
    longest_absence_ms: int = FOREVER_MS
    retries: Backoff = field(
        default_factory=lambda: Backoff(first_seconds=RETRY_FIRST_SECONDS, longest_seconds=RETRY_LONGEST_SECONDS)
    )

    @property
    def is_to_attach(self) -> bool:
        return self.tail is None and not self.is_over

    def has(self, *kinds: ProblemKind) -> bool:
        """Return whether the stream has a problem of one of these kinds."""
        return self.problem is not None and self.problem.kind in kinds

    @property
    def is_refused(self) -> bool:
        return self.has("refused", "missing")

    @property
    def end(self) -> int | None:
        """Where ``--once`` ends; None: not known yet."""
        return None if self.planned is None else self.planned.end_offset

    def plan_end(self, facts: StreamFacts, *, is_new: bool = False) -> None:
        """Let ``--once`` end at the stream's end, unless an earlier one was planned, of the same topic.

        ``is_new``: a new incarnation is read, so an end that was planned before belongs to another one.
        """
        planned = self.planned
        is_other = planned is None or is_new or facts.topic_id != planned.topic_id
        if is_other or (planned is not None and facts.end_offset < planned.end_offset):
            self.planned = facts

    def attach(self, tail: Tail) -> None:
        self.tail, self.log_id, self.next_offset = tail, tail.log.log_id, tail.position
        if self.has("outage", "unavailable"):
            self.accept()

    def count(self, progress: Progress) -> None:
        self.events += progress.events
        self.next_offset = progress.next_offset

    def detach(self, due_at: float = AT_ONCE) -> None:
        self.tail, self.due_at = None, due_at

    def finish(self, failure: str = "") -> None:
        """Stop reading for good: the stream was read as far as planned, or is given up because of ``failure``."""
        self.detach()
        self.is_over, self.failure = True, failure

    def wait(self, kind: ProblemKind, reason: str, due_at: float) -> None:
        """Detach until then. A stream that is refused, unavailable or held stays so, with a later time to retry."""
        if self.is_refused or self.has("unavailable") or (kind == "outage" and self.has("held")):
            self.detach(max(due_at, self.due_at))
        else:
            self.detach(due_at)
            self.problem = Problem(kind, reason)

    def retry(self, kind: ProblemKind, reason: str, now: float) -> None:
        """Detach, and retry after a time that grows until the stream is accepted."""
        since = self.problem.since if self.problem is not None and self.has(kind) else now
        self.problem = Problem(kind, reason, since)
        self.detach(now + self.retries.next())

    def lose_session(self) -> None:
        self.detach()
        self.has_lock = False

    def accept(self) -> None:
        self.problem = None
        self.retries.reset()

    def beat(self, end_offset: int | None) -> Beat | None:
        """Return its heartbeat; None while another follower, or no log, is to be written."""
        if self.log_id is None or not self.has_lock:
            return None
        if self.problem is not None and not self.has("held"):  # its lock was only just taken
            return Beat(self.log_id, "refused" if self.is_refused else "waiting", end_offset, self.problem.reason)
        return Beat(self.log_id, self.tail.state if self.tail else None, end_offset)


@dataclass(frozen=True)
class FollowPlan:
    """Which streams to follow, and how far.

    ``follows_all``: all of Samza's streams that the source has or gets. ``once``: to their present ends; otherwise
    follow until stopped.
    """

    stream_names: tuple[str, ...] = ()
    follows_all: bool = False
    once: bool = False
    kind: str | None = None


@dataclass
class FollowRun:
    """What a follower knows of its streams, and of the outage that it waits for; ``say`` gets messages for operators.

    ``is_listed``: the source has listed its streams. ``outage_timeout``: with an end, the seconds after which an outage
    ends the run (None: wait without limit). ``outage``: what the run waits for, in an outage since ``outage_since``,
    empty if nothing; each reason is said once, whatever numbers it has. ``refusal``: why brokers or database refused
    the login, empty if they did not.
    """

    plan: FollowPlan
    streams: dict[str, FollowedStream]
    say: Callable[[str], None]
    on_progress: Callable[[Progress], None]
    outage_timeout: float | None = None
    backoff: Backoff = field(default_factory=Backoff)
    stop_flag: StopFlag = field(default_factory=StopFlag)
    is_listed: bool = False
    outage: str = ""
    outage_since: float = 0.0
    refusal: str = ""
    _said: set[str] = field(default_factory=set)
    _last_messages: dict[str, str] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """How many events were applied."""
        return sum(stream.events for stream in self.streams.values())

    def say_of(self, stream_name: str, code: str, message: str) -> None:
        """Report a message about a stream, with its code of a `Notice`, unless it is empty or repeats the last one."""
        if message and self._last_messages.get(stream_name) != message:
            self._last_messages[stream_name] = message
            self.say(Notice(message, code, stream_name))

    def is_over(self) -> bool:
        return self.is_complete() or self.stop_flag.is_set

    def is_complete(self) -> bool:
        """Return whether all streams were read as far as planned, or given up."""
        has_all = self.is_listed or not self.plan.follows_all
        expects_more = self.plan.follows_all and not self.plan.once
        return has_all and not expects_more and all(stream.is_over for stream in self.streams.values())

    def begin_outage(self, error: Exception, now: float) -> None:
        """Record that brokers or database failed; with an end, stop if they refused the login or time is up."""
        if self.plan.once and is_login_refused(error):
            self.refusal = outage_reason(error)
            self.say(Notice(self.refusal, "login-refused"))
            self.stop_flag.set()
            return
        if not self.outage:
            self.outage_since = now
        self.outage = outage_reason(error)
        if (alike := _DIGITS.sub("", self.outage)) not in self._said:
            self._said.add(alike)
            self.say(Notice(outage_message(error), "login-refused" if is_login_refused(error) else "outage"))
        if self.plan.once and self.outage_timeout is not None and now >= self.outage_since + self.outage_timeout:
            self.stop_flag.set()

    def unavailable_reason(self) -> str:
        """Why one of the streams that are not over is unavailable; empty if all are available."""
        left = [stream.problem for stream in self.streams.values() if not stream.is_over]
        return next((each.reason for each in left if each is not None and each.kind == "unavailable"), "")

    def stop_if_unavailable(self, now: float) -> None:
        """With an end, stop if all that is left are streams that were unavailable for as long as an outage may take."""
        left = [stream.problem for stream in self.streams.values() if not stream.is_over]
        if self.plan.once and self.outage_timeout is not None:
            since = [now if each is None or each.kind != "unavailable" else each.since for each in left]
            if now >= max(since, default=now) + self.outage_timeout:
                self.stop_flag.set()

    def end_outage(self) -> None:
        self.backoff.reset()
        if self.outage:
            self.outage = ""
            self._said.clear()
            self.say(Notice("Connections are restored: following continues.", "outage-over"))
