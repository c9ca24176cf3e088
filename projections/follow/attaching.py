"""From a stream's name to its tail: the lock first, then what the log is now, then a resync where one is due."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.source import EventSource
from projections.fold.settings import FoldSettings
from projections.follow.attach import POSTGRES, Attachment, attach
from projections.follow.followed_stream import FollowedStream
from projections.follow.plan import FollowPlan
from projections.follow.reports import Reports
from projections.follow.resync import resync
from projections.follow.tail import Tail
from projections.projector import Clock, OnStep, Projector
from projections.stream_lock import LockHolder, StreamLocks
from projections.tracked_logs import TrackedLog, logs_of, make_current

LOCK_RETRY_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Attacher:
    """Attaches streams within one session; ``connection`` is the one that events are applied over."""

    connection: Connection
    locks: StreamLocks
    source: EventSource
    settings: FoldSettings
    clock: Clock
    plan: FollowPlan
    reports: Reports
    on_step: OnStep | None

    def attach(self, stream: FollowedStream, now: float, while_resyncing: Callable[[], None]) -> None:
        """Give the stream its tail, or let it wait for another follower.

        ``while_resyncing`` is called every batch of a resync, which may take long; what it raises ends that.

        Raises:
            EventLogError, ProjectionError: the stream cannot be followed as it is; the sentence says why.
        """
        if not stream.has_lock:
            stream.has_lock = self.locks.take(stream.stream_name)
        if not stream.has_lock:
            self._wait_for_holder(stream, now)
            return
        name, kind = stream.stream_name, self.plan.kind
        found = attach(self.connection, self.source, name, self.settings, self.clock, kind)
        stream.log_id = found.log.log_id
        self._say_attached(stream, found)
        projector = self._projector(found.log)
        if found.resync:
            found = self._resync(found, projector, while_resyncing)
            if found.log.log_id != stream.log_id:
                projector = self._projector(found.log)
        stream.attach(Tail(found.log, projector, found.target, self.plan.until))
        stream.end = found.target if stream.end is None else min(stream.end, found.target)

    def _say_attached(self, stream: FollowedStream, found: Attachment) -> None:
        if stream.is_waiting:
            stream.is_waiting = False
            name = stream.stream_name
            self.reports.say(name, f"{name} is free now: this follower goes on at offset {found.log.next_offset}")
        self.reports.say(stream.stream_name, found.sentence)

    def complete(self, stream: FollowedStream, tail: Tail) -> None:
        """Let a new incarnation, read as far as the stream went when it was found, take the old one's place."""
        with self.connection.transaction():
            make_current(self.connection, tail.log)
        log = replace(tail.log, is_current=True, is_complete=True, next_offset=tail.position)
        stream.attach(Tail(log, self._projector(log), tail.target, self.plan.until))
        name = stream.stream_name
        self.reports.say(name, f"incarnation {log.incarnation} of {name} is complete, and shown from now on")

    def _resync(self, found: Attachment, projector: Projector, while_resyncing: Callable[[], None]) -> Attachment:
        connection, source, settings, clock = self.connection, self.source, self.settings, self.clock
        done = resync(connection, source, projector, found, settings, clock, on_batch=lambda _: while_resyncing())
        self.reports.say(done.log.stream.stream_name, done.sentence)
        return done

    def _projector(self, log: TrackedLog) -> Projector:
        archives = self.source.backend != POSTGRES
        return Projector(self.connection, log, self.settings, self.clock, archives=archives, on_step=self.on_step)

    def _wait_for_holder(self, stream: FollowedStream, now: float) -> None:
        """Try again soon; with ``once`` it is enough that the holder reads as far as we would have."""
        name = stream.stream_name
        stream.due_at = now + LOCK_RETRY_SECONDS
        stream.is_waiting = True
        holder = self.locks.holder(name)
        if holder is not None:
            self._meet(name, holder)
        if self.plan.once:
            if stream.end is None:
                stream.end = self.source.describe(name).end_offset
            known = logs_of(self.connection, name)
            stream.is_over = any(log.is_current and log.next_offset >= stream.end for log in known)

    def _meet(self, name: str, holder: LockHolder) -> None:
        """Say who has the stream; end the sessions of one that has been silent for as long as the plan says."""
        patience = self.plan.take_over_after
        if patience is not None and holder.silent_seconds >= patience:
            self._take_over(name, holder, patience)
        elif holder.is_silent:
            self.reports.say(name, f"{name} is held by {holder}, which is {holder.silence}; this follower waits")
        else:
            self.reports.say(name, f"{name} is read by {holder}: this follower waits, and takes over when that ends")

    def _take_over(self, name: str, holder: LockHolder, patience: float) -> None:
        was_ended = self.locks.end_silent(name, patience)
        if was_ended is None:
            self.reports.say(
                name,
                f"{name} is held by {holder}, which is silent, and this user of the database may not end its session: "
                f"let an administrator run `select pg_terminate_backend({holder.backend_pid})`",
            )
        elif was_ended:
            self.reports.say(name, f"{name} was held by {holder}, which was silent: its session was ended to take over")
