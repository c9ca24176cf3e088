"""The follower's inner loop, while its connections last: attach streams, poll, apply batches, write heartbeats."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import Final

from eventlog.notice import Notice
from eventlog.postgres.connection import Connection
from eventlog.source import POSTGRES, EventSource, Read, SourceUnavailable, StreamUnavailable
from eventlog.timestamps import ms_of
from projections.follow.attacher import Attacher, Refusals, ignore_rejections
from projections.follow.error_policy import outage_message
from projections.follow.follow_run import FollowedStream, FollowRun
from projections.follow.heartbeat import (
    AT_ONCE,
    HEARTBEAT_SECONDS,
    NEVER,
    Beat,
    Turns,
    beat_refused,
    delete_refusals,
    server_now,
    write_beats,
)
from projections.follow.tail import BUFFER_SECONDS, Tail, due_tails
from projections.planner_statistics import analyze

HEARTBEAT_STREAMS: Final = 100
"""How many heartbeats are written before events are read again: asking for 300 ends takes tens of milliseconds."""
ATTACHING_SECONDS: Final = 0.5
"""How long streams are attached before those that are attached already are read again."""
SUSPENDED_MS: Final = 30_000
"""A follower without a heartbeat for that long counts as lost: it was suspended, with or without its machine."""
LISTING_SECONDS: Final = 5.0
_LONGEST_POLL: Final = 1.0
_BUFFERING_POLL: Final = BUFFER_SECONDS / 2


class Interrupted(Exception):
    """The follower was stopped during a resync, or had been suspended for too long."""


class FollowSession:
    """The follower's work over one pair of connections: ``attacher`` has the one that applies events, ``connection`` is
    for locks and heartbeats. An error in `OUTAGES` ends the session and frees its locks.
    """

    def __init__(self, run: FollowRun, attacher: Attacher, connection: Connection, source: EventSource) -> None:
        self._run = run
        self._attacher = attacher
        self._connection = connection
        self._source = source
        self._heartbeat = Turns(HEARTBEAT_SECONDS, HEARTBEAT_STREAMS)
        self._refusals = Refusals(run, attacher, connection, self._heartbeat)
        self._list_at = AT_ONCE
        self._assigned: dict[str, Tail] = {}
        self._error_ahead: Exception | None = None
        self._source_ok_since = monotonic()
        self._beat_at: datetime | None = None
        self._written = run.events

    def step(self) -> None:
        """Do what is due, and poll for events until something else is due."""
        with suppress(Interrupted):
            try:
                self._list_streams()
                self._attach_due()
                with self._refusals.catch_errors(None):
                    self._assign()
                    self._apply_due(self._poll())
            except SourceUnavailable as error:
                self._lose_source(error)
            self._beat_if_due()

    def stop(self) -> None:
        """Mark streams as stopped; refused ones stay refused, but names that were not read leave no row."""
        streams = self._run.streams.values()
        unread = [each for each in streams if each.has("missing") or (each.has_lock and each.log_id is None)]
        with ignore_rejections():
            delete_refusals(self._connection, [stream.stream_name for stream in unread])
        for stream in streams:
            if not stream.is_over:
                self._end(stream)

    def _list_streams(self) -> None:
        run, plan = self._run, self._run.plan
        is_wanted = plan.follows_all and not (plan.once and run.is_listed)
        if is_wanted and monotonic() >= self._list_at:
            self._list_at = monotonic() + LISTING_SECONDS
            for name in self._source.stream_names():
                run.streams.setdefault(name, FollowedStream(name))
            self._source_ok_since = min(self._source_ok_since, monotonic())
            if not run.is_listed:
                count = len(run.streams)
                run.say(Notice(f"Found {count} stream{'' if count == 1 else 's'}.", "found"))
            run.is_listed = True

    def _attach_due(self) -> None:
        """Attach streams for a while, first those that are due for longest: none waits for others that fail again and
        again. Retry at most one that was refused, so that refusals delay no others.
        """
        began, has_retried, has_asked = monotonic(), False, False
        due = [each for each in self._run.streams.values() if each.is_to_attach and each.due_at <= began]
        due.sort(key=lambda stream: stream.due_at)
        with ignore_rejections():  # each stream is refused below
            self._attacher.take_locks([stream for stream in due if not stream.has_lock and not stream.is_refused])
            has_asked = True
        self._beat_if_due()
        for stream in due:
            if self._run.stop_flag.is_set or monotonic() > began + ATTACHING_SECONDS:
                return
            if stream.is_refused and has_retried:
                continue
            has_retried = has_retried or stream.is_refused
            with self._refusals.catch_errors(stream):
                if has_asked and not stream.has_lock and not stream.is_refused:
                    self._attacher.wait_for_holder(stream, monotonic())
                    continue
                self._attacher.attach(stream, monotonic(), self._on_resync_batch)
                stream.accepted_at = monotonic() + HEARTBEAT_SECONDS
                self._heartbeat.trigger()
                self._finish_if_done(stream)
                self._collect_statistics()

    def _on_resync_batch(self) -> None:
        self._attacher.locks.notice_end()
        self._beat_if_due()
        if self._run.stop_flag.is_set:
            raise Interrupted

    def _assign(self) -> None:
        tails = {name: stream.tail for name, stream in self._run.streams.items() if stream.tail is not None}
        if tails != self._assigned:
            self._source.assign({name: tail.buffer.next_offset for name, tail in tails.items()})
            self._assigned = tails
            self._error_ahead = None  # the source finds it again

    def _poll(self) -> list[Read]:
        if (error := self._error_ahead) is not None:
            self._error_ahead = None
            raise error
        timeout = self._poll_timeout()
        if self._assigned:
            return self._source.poll(timeout)
        self._run.stop_flag.wait(timeout)
        return []

    def _poll_timeout(self) -> float:
        buffered = [tail for tail in self._assigned.values() if tail.buffer]
        if buffered:
            return 0.0 if any(tail.is_live or tail.buffer.is_full for tail in buffered) else _BUFFERING_POLL
        due = [stream.due_at for stream in self._run.streams.values() if stream.is_to_attach]
        due.append(self._heartbeat.due_at)
        return min(max(min(due) - monotonic(), 0.0), _LONGEST_POLL)

    def _read_ahead(self, timeout: float) -> bool:
        """Read what comes while the server stores a batch; return whether anything has come.

        The next poll raises the error of this one.
        """
        reads: list[Read] = []
        if self._error_ahead is None and not any(tail.buffer.is_full for tail in self._assigned.values()):
            try:
                reads = self._source.poll(timeout)
                self._buffer(reads)
            except Exception as error:  # any error here would be taken for one of the batch
                self._error_ahead = error
        return bool(reads)

    def _buffer(self, reads: list[Read]) -> None:
        now = monotonic()
        for read in reads:
            if read.stream_name in self._assigned:
                self._assigned[read.stream_name].add(read, now)

    def _apply_due(self, reads: list[Read]) -> None:
        self._buffer(reads)
        now = monotonic()
        for tail in due_tails(self._assigned.values(), {read.stream_name for read in reads}, now):
            stream = self._run.streams[tail.stream_name]
            if stream.tail is tail:  # a heartbeat may have found that the source is lost
                with self._refusals.catch_errors(stream):
                    self._apply(stream, tail)
            self._beat_if_due()

    def _apply(self, stream: FollowedStream, tail: Tail) -> None:
        before = tail.state
        self._attacher.locks.notice_end()
        progress = tail.apply(self._read_ahead, self._may_go_on)
        stream.count(progress)
        self._run.on_progress(progress)
        self._run.end_outage()
        self._refusals.accept(stream)
        self._finish_if_done(stream)
        if stream.tail is not tail or tail.state != before:
            self._heartbeat.trigger()
            self._collect_statistics()

    def _may_go_on(self) -> bool:
        """Whether the transaction of a stream that catches up may be a long one: no live stream waits for its end."""
        return not self._run.stop_flag.is_set and not any(tail.is_live for tail in self._assigned.values())

    def _collect_statistics(self) -> None:
        """After a catch-up, when no stream is left to be read."""
        streams = [stream for stream in self._run.streams.values() if not stream.is_refused]
        if not any(stream.is_to_attach or (stream.tail and not stream.tail.is_live) for stream in streams):
            with ignore_rejections():
                analyze(self._attacher.connection, self._run.events - self._written)
            self._written = self._run.events

    def _finish_if_done(self, stream: FollowedStream) -> None:
        """Replace the current incarnation if the new one has caught up; end a stream that was read as planned."""
        tail = stream.tail
        if tail is None:
            return
        if tail.is_replacement_complete:
            self._attacher.replace_current(stream, tail)
        if self._run.plan.once and stream.end is not None and tail.position >= stream.end:
            self._end(stream)

    def _end(self, stream: FollowedStream) -> None:
        if stream.has_lock and stream.log_id is not None:
            end = None
            if self._source.backend == POSTGRES and stream.tail is not None:
                end = max(stream.tail.position, stream.tail.target)
            write_beats(self._connection, [Beat(stream.log_id, "stopped", end)], server_now(self._connection))
        self._attacher.release(stream)
        stream.finish()

    def _lose_source(self, error: SourceUnavailable) -> None:
        """Keep the locks, and attach all streams again later: topics may be re-created during the outage."""
        self._run.begin_outage(error, monotonic())
        message = outage_message(error)
        self._source_ok_since = NEVER
        due_at = monotonic() + self._run.backoff.next()
        for stream in self._run.streams.values():
            if not stream.is_over:
                stream.wait("outage", message, due_at)
        self._list_at = max(self._list_at, due_at)
        self._assigned = {}

    def _beat_if_due(self) -> None:
        names = self._heartbeat.next(self._run.streams, monotonic())
        if names:
            self._beat([self._run.streams[name] for name in names])

    def _beat(self, streams: Sequence[FollowedStream]) -> None:
        """Write heartbeats; what did not fail for some time counts as recovered."""
        self._attacher.locks.check()
        now = server_now(self._connection)
        self._detach_unread(now)
        ends = self._ends(streams)
        if monotonic() >= self._source_ok_since + HEARTBEAT_SECONDS:
            self._run.end_outage()
        for stream in streams:
            if monotonic() >= stream.accepted_at:
                self._refusals.accept(stream)
        beats = [beat for stream in streams if (beat := stream.beat(ends.get(stream.stream_name))) is not None]
        write_beats(self._connection, beats, now)
        unread = [stream for stream in streams if stream.tail is None and (stream.is_refused or stream.has_lock)]
        with ignore_rejections():
            beat_refused(self._connection, [stream.stream_name for stream in unread])

    def _detach_unread(self, now: datetime) -> None:
        """Attach all streams again if one needs a resync because the process was suspended, by the server's clock. A
        resync that was suspended may have found keys that are gone since.
        """
        before, self._beat_at = self._beat_at, now
        unread_ms = 0 if before is None else ms_of(now) - ms_of(before)
        streams = self._run.streams.values()
        if unread_ms > max(SUSPENDED_MS, min(stream.longest_absence_ms for stream in streams)):
            for stream in streams:
                stream.detach()
            raise Interrupted

    def _ends(self, streams: Sequence[FollowedStream]) -> dict[str, int]:
        """The ends of the streams that are read or blocked; empty if the source does not answer."""
        names = [stream.stream_name for stream in streams if stream.tail is not None or stream.has("blocked")]
        if not names:
            return {}
        try:
            ends = self._source.end_offsets(names)
        except StreamUnavailable as error:
            self._refusals.lose(error)
            return self._ends(streams)
        except SourceUnavailable as error:
            self._lose_source(error)
            return {}
        self._source_ok_since = min(self._source_ok_since, monotonic())
        return ends
