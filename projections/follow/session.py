"""Following while nothing is out of reach: attach what is due, read, apply, give signs of life."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import psycopg

from eventlog.errors import EventLogError
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource, Read, SourceUnavailable, StreamMissing
from projections.errors import ProjectionError
from projections.follow.attach import POSTGRES
from projections.follow.attaching import Attacher
from projections.follow.followed_stream import FollowedStream
from projections.follow.following import Following
from projections.follow.gathering import PATIENCE_SECONDS, due_batches
from projections.follow.heartbeat import HEARTBEAT_SECONDS, Beat, write_beats
from projections.follow.outage import OUTAGES, outage_sentence
from projections.follow.refusals import beat_refused, forget_refusals, write_refusal
from projections.follow.tail import Tail
from projections.follow.timetable import NEVER, Recurring
from projections.follow.trouble import Reaction, reaction_to, trouble_sentence
from projections.server_clock import server_now

ATTACHING_SECONDS: Final = 0.5
LISTING_SECONDS: Final = 5.0
LOST_OFFSET_SECONDS: Final = 1.0
_LONGEST_WAIT: Final = 1.0
_GATHERING_WAIT: Final = PATIENCE_SECONDS / 2


class Stopped(Exception):
    """Somebody wants the follower to stop, in the middle of something long."""


@contextmanager
def _unless_refused() -> Iterator[None]:
    """Go on where the database refuses: a stream that cannot be written says so in its own sentence."""
    try:
        yield
    except OUTAGES:
        raise
    except psycopg.Error:
        return


class FollowSession:
    """One life of the follower's connections, with the locks that it holds. Errors of `OUTAGES` end it."""

    def __init__(self, following: Following, attacher: Attacher, beating: Connection, source: EventSource) -> None:
        self._following = following
        self._attacher = attacher
        self._beating = beating
        self._source = source
        self._reports = following.reports
        self._heartbeat = Recurring(HEARTBEAT_SECONDS)
        self._listing = Recurring(LISTING_SECONDS)
        self._assigned: dict[str, Tail] = {}
        self._well_since = monotonic()

    def step(self) -> None:
        """Do what is due, and wait for more no longer than until something is."""
        try:
            self._list_streams()
            self._attach_due()
            with self._troubles_of(None):
                self._assign()
                self._apply_due(self._poll())
        except SourceUnavailable as error:
            self._lose_source(error)
        except Stopped:
            return
        if self._heartbeat.is_due(monotonic()):
            self._beat()

    def stop(self) -> None:
        """Mark what was followed as stopped; what was refused stays so, unless it never was more than a name."""
        missing = [stream.stream_name for stream in self._following.streams.values() if stream.is_missing]
        with _unless_refused():
            forget_refusals(self._beating, missing)
        for stream in self._following.streams.values():
            if not stream.is_over:
                self._end(stream)

    def _list_streams(self) -> None:
        following, plan = self._following, self._following.plan
        is_wanted = plan.follows_all and not (plan.once and following.is_listed)
        if is_wanted and self._listing.is_due(monotonic()):
            for name in self._source.stream_names():
                following.streams.setdefault(name, FollowedStream(name))
            if not following.is_listed:
                self._reports.tell(f"found {len(following.streams)} streams")
            following.is_listed = True

    def _attach_due(self) -> None:
        """Attach for a while; with many streams, those that are attached already are read in between.

        Of those that were refused one is tried, so that however many there are, others wait for one question.
        """
        began, has_retried = monotonic(), False
        for stream in list(self._following.streams.values()):
            if self._following.stopping.is_set or monotonic() > began + ATTACHING_SECONDS:
                return
            if stream.is_to_attach and stream.due_at <= monotonic():
                if stream.refusal and has_retried:
                    continue
                has_retried = has_retried or bool(stream.refusal)
                with self._troubles_of(stream):
                    self._attacher.attach(stream, monotonic(), self._while_resyncing)
                    stream.believed_at = monotonic() + HEARTBEAT_SECONDS
                    self._heartbeat.hasten()
                    self._advance(stream)

    def _while_resyncing(self) -> None:
        self._attacher.locks.check()
        if self._heartbeat.is_due(monotonic()):
            self._beat()
        if self._following.stopping.is_set:
            raise Stopped

    def _assign(self) -> None:
        tails = {name: stream.tail for name, stream in self._following.streams.items() if stream.tail is not None}
        if tails != self._assigned:
            self._source.assign({name: tail.gathering.next_offset for name, tail in tails.items()})
            self._assigned = tails

    def _poll(self) -> list[Read]:
        timeout = self._patience()
        if self._assigned:
            return self._source.poll(timeout)
        self._following.stopping.wait(timeout)
        return []

    def _patience(self) -> float:
        """How long to wait for events: short if some wait to be applied already."""
        waiting = [tail for tail in self._assigned.values() if tail.gathering]
        if waiting:
            return 0.0 if any(tail.is_live or tail.gathering.is_full for tail in waiting) else _GATHERING_WAIT
        due = [stream.due_at for stream in self._following.streams.values() if stream.is_to_attach]
        due.append(self._heartbeat.due_at)
        return min(max(min(due) - monotonic(), 0.0), _LONGEST_WAIT)

    def _apply_due(self, reads: list[Read]) -> None:
        now = monotonic()
        for read in reads:
            if read.stream_name in self._assigned:
                self._assigned[read.stream_name].add(read, now)
        for name in due_batches(self._assigned.values(), {read.stream_name for read in reads}, now):
            stream = self._following.streams[name]
            with self._troubles_of(stream):
                self._apply(stream, self._assigned[name])

    def _apply(self, stream: FollowedStream, tail: Tail) -> None:
        before = tail.state
        self._attacher.locks.check()
        progress = tail.apply()
        self._following.events += progress.events
        stream.take(progress)
        self._reports.progress(progress)
        self._recover()
        self._believe(stream)
        self._advance(stream)
        if stream.tail is not tail or tail.state != before:
            self._heartbeat.hasten()

    def _advance(self, stream: FollowedStream) -> None:
        """Go over to what comes next where the stream has arrived at something."""
        tail = stream.tail
        if tail is None:
            return
        if tail.has_replaced:
            self._attacher.complete(stream, tail)
        if tail.is_at_limit or (self._following.plan.once and stream.end is not None and tail.position >= stream.end):
            self._end(stream)

    def _end(self, stream: FollowedStream) -> None:
        self._mark_stopped(stream)
        self._release(stream)

    def _mark_stopped(self, stream: FollowedStream) -> None:
        if stream.has_lock and stream.log_id is not None:
            end = None
            if self._source.backend == POSTGRES and stream.tail is not None:
                end = max(stream.tail.position, stream.tail.target)
            write_beats(self._beating, [Beat(stream.log_id, "stopped", end)], server_now(self._beating))

    def _release(self, stream: FollowedStream, failure: str = "") -> None:
        self._give_lock_back(stream)
        stream.detach()
        stream.is_over, stream.failure = True, failure

    def _give_lock_back(self, stream: FollowedStream) -> None:
        if stream.has_lock:
            self._attacher.locks.release(stream.stream_name)
        stream.has_lock = False

    def _believe(self, stream: FollowedStream) -> None:
        """Something of a refused stream was read, or nothing failed for some time."""
        if stream.refusal and stream.tail is not None:
            stream.believe()
            self._heartbeat.hasten()
            name = stream.stream_name
            self._reports.say(name, f"{name} can be followed: this follower goes on at offset {stream.tail.position}")

    @contextmanager
    def _troubles_of(self, stream: FollowedStream | None) -> Iterator[None]:
        """Let a stream's own troubles be that stream's alone; an error of a source names its stream."""
        try:
            yield
        except OUTAGES:
            raise
        except (EventLogError, ProjectionError, psycopg.Error) as error:
            named = self._following.streams.get(getattr(error, "stream_name", ""))
            troubled = stream or named
            if troubled is None:
                raise
            self._take_trouble(troubled, error)

    def _take_trouble(self, stream: FollowedStream, error: Exception) -> None:
        self._heartbeat.hasten()
        reaction = reaction_to(error, has_end=self._following.plan.has_end)
        if reaction is Reaction.ATTACH_AGAIN:
            stream.detach(monotonic() + LOST_OFFSET_SECONDS)
            return
        sentence = trouble_sentence(stream.stream_name, error)
        self._reports.say(stream.stream_name, sentence)
        if reaction is not Reaction.LEAVE:
            self._write_refusal(stream, error, sentence)
        if reaction is Reaction.TRY_LATER:
            self._give_lock_back(stream)  # another follower may be let in, or what mends the log needs it
            stream.refuse(sentence, monotonic(), is_missing=isinstance(error, StreamMissing))
        else:
            self._release(stream, sentence)

    def _write_refusal(self, stream: FollowedStream, error: Exception, sentence: str) -> None:
        """Not of a name that is on no log, where somebody may just have mistyped it."""
        name, plan, backend = stream.stream_name, self._following.plan, self._source.backend
        if stream.has_lock:
            with _unless_refused():
                may_begin = not (plan.has_end and isinstance(error, StreamMissing))
                write_refusal(self._beating, name, plan.kind, backend, sentence, may_begin=may_begin)

    def _lose_source(self, error: SourceUnavailable) -> None:
        """Keep the locks, and attach anew when the source answers again: it may have other logs then."""
        self._following.suffer(error, monotonic())
        sentence = outage_sentence(error)
        self._well_since = NEVER
        due_at = monotonic() + self._following.backoff.next()
        for stream in self._following.streams.values():
            if not stream.is_over:
                stream.lose_source(due_at, sentence)
        self._listing.due_at = max(self._listing.due_at, due_at)
        self._assigned = {}

    def _beat(self) -> None:
        self._attacher.locks.check()
        now = server_now(self._beating)
        ends = self._ends()
        if monotonic() >= self._well_since + HEARTBEAT_SECONDS:
            self._recover()
        for stream in self._following.streams.values():
            if monotonic() >= stream.believed_at:
                self._believe(stream)
        beats = [stream.beat(ends.get(name)) for name, stream in self._following.streams.items()]
        write_beats(self._beating, [beat for beat in beats if beat is not None], now)
        refused = [stream for stream in self._following.streams.values() if stream.refusal and stream.tail is None]
        with _unless_refused():
            beat_refused(self._beating, [stream.stream_name for stream in refused])

    def _ends(self) -> dict[str, int]:
        """Where the streams end that are read; nothing of them if nobody can say it."""
        if not self._assigned:
            return {}
        try:
            ends = self._source.end_offsets(list(self._assigned))
        except SourceUnavailable as error:
            self._lose_source(error)
            return {}
        self._well_since = min(self._well_since, monotonic())
        return ends

    def _recover(self) -> None:
        """All is well: a batch was applied, or there was none and yet nothing failed for some time."""
        self._following.recover()
