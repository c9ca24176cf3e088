"""Attaches streams: takes the lock, finds where to resume, resyncs if necessary, and gives the stream its tail."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.source import POSTGRES, EventSource
from projections.fold.settings import FoldSettings
from projections.follow.continuity import is_another_topic, longest_absence_ms
from projections.follow.follow_run import FollowPlan
from projections.follow.followed_stream import FollowedStream
from projections.follow.reports import Reports
from projections.follow.resume import ResumePoint, find_resume_point
from projections.follow.resync import resync
from projections.follow.tail import Tail
from projections.projector import Clock, MakeProjector, Projector
from projections.stream_lock import LockHolder, StreamLocks
from projections.tracked_logs import TrackedLog, logs_of, make_current

LOCK_RETRY_SECONDS: Final = 1.0

MakeTail = Callable[[TrackedLog, Projector, int, int | None], Tail]


@dataclass(frozen=True)
class Attacher:
    """Attaches streams within one session; events are applied over ``connection``, unless ``make_tail`` differs."""

    connection: Connection
    locks: StreamLocks
    source: EventSource
    settings: FoldSettings
    clock: Clock
    plan: FollowPlan
    reports: Reports
    make_projector: MakeProjector = Projector
    make_tail: MakeTail = Tail

    def attach(self, stream: FollowedStream, now: float, on_resync_batch: Callable[[], None]) -> None:
        """Attach the stream, or let it wait for the follower that holds it.

        An exception from ``on_resync_batch``, which is called after each batch of a resync, ends the resync.

        Raises:
            EventLogError, ProjectionError: the stream cannot be followed at present.
        """
        if not stream.has_lock:
            stream.has_lock = self.locks.take(stream.stream_name)
        if not stream.has_lock:
            self._wait_for_holder(stream, now)
            return
        name = stream.stream_name
        found = find_resume_point(self.connection, self.source, name, self.settings, self.clock, self.plan.kind)
        if self.plan.until is not None:
            found = found.without_resync()
        stream.log_id = found.log.log_id
        stream.longest_absence_ms = longest_absence_ms(found.topic.facts)
        self._report(stream, found)
        projector = self._projector(found.log)
        if found.resync:
            found = self._resync(found, projector, on_resync_batch)
            stream.events += found.events
            if found.log.log_id != stream.log_id:
                projector = self._projector(found.log)
        elif projector.next_offset < (start := found.topic.facts.start_offset):
            projector.pass_to(start)
        stream.attach(self.make_tail(found.log, projector, found.target, self.plan.until))
        stream.plan_end(found.topic.facts, is_new=not found.log.is_complete)

    def release(self, stream: FollowedStream) -> None:
        """Release the stream's lock, if it has it."""
        if stream.has_lock:
            self.locks.release(stream.stream_name)
        stream.has_lock = False

    def replace_current(self, stream: FollowedStream, tail: Tail) -> None:
        """Make a new incarnation that has caught up the current one."""
        with self.connection.transaction():
            make_current(self.connection, tail.log)
        log = replace(tail.log, is_current=True, is_complete=True, next_offset=tail.position)
        stream.attach(self.make_tail(log, self._projector(log), tail.target, self.plan.until))
        name = stream.stream_name
        self.reports.say_of(name, f"{name}: incarnation {log.incarnation} is complete; relations show it from now on.")

    def _report(self, stream: FollowedStream, found: ResumePoint) -> None:
        if stream.is_waiting:
            stream.is_waiting = False
            name = stream.stream_name
            self.reports.say_of(name, f"{name} is free: this follower continues at offset {found.log.next_offset}.")
        if stream.unavailable_since is not None:
            name = stream.stream_name
            self.reports.say_of(name, f"{name} is available again: continuing at offset {found.log.next_offset}.")
        self.reports.say_of(stream.stream_name, found.message)

    def _resync(self, found: ResumePoint, projector: Projector, on_batch: Callable[[], None]) -> ResumePoint:
        connection, source, settings, clock = self.connection, self.source, self.settings, self.clock
        resumed = resync(connection, source, projector, found, settings, clock, on_batch=lambda _: on_batch())
        self.reports.say_of(resumed.log.stream.stream_name, resumed.message)
        return resumed

    def _projector(self, log: TrackedLog) -> Projector:
        archives = self.source.backend != POSTGRES
        return self.make_projector(self.connection, log, self.settings, self.clock, archives=archives)

    def _wait_for_holder(self, stream: FollowedStream, now: float) -> None:
        """Retry soon; a plan with an end is over when the holder has read as far."""
        name = stream.stream_name
        stream.due_at = now + LOCK_RETRY_SECONDS
        stream.is_waiting = True
        holder = self.locks.holder(name)
        if holder is not None:
            self._handle_holder(name, holder)
        elif self.locks.is_entry_locked(name):
            place = f"the row of {name} in projection.stream_holder"
            self.reports.say_of(name, f"Another session has locked {place}. This follower waits.")
        stream.is_over = self.plan.has_end and self._is_read_as_planned(stream)

    def _is_read_as_planned(self, stream: FollowedStream) -> bool:
        """Return whether another follower has read the stream's present topic as far as planned."""
        name = stream.stream_name
        log = next((log for log in logs_of(self.connection, name) if log.is_current), None)
        if stream.planned is None or (log is not None and is_another_topic(log, stream.planned)):
            stream.plan_end(self.source.describe(name))
        if log is None or stream.planned is None or is_another_topic(log, stream.planned):
            return False
        end = stream.planned.end_offset if self.plan.until is None else self.plan.until + 1
        return log.backend == self.source.backend and log.next_offset >= end

    def _handle_holder(self, name: str, holder: LockHolder) -> None:
        """Report who holds the stream; end its sessions if it has been silent for as long as the plan says."""
        limit = self.plan.take_over_after
        if limit is not None and holder.silent_seconds >= limit:
            self._take_over(name, holder, limit)
        elif holder.is_silent:
            self.reports.say_of(
                name, f"{name} is held by {holder}, which is {holder.silence(name)}. This follower waits."
            )
        else:
            message = f"{name} is read by {holder}. This follower waits, and takes over when the other one ends."
            self.reports.say_of(name, message)

    def _take_over(self, name: str, holder: LockHolder, silent_seconds: float) -> None:
        was_ended = self.locks.end_silent(name, silent_seconds)
        if was_ended is None:
            self.reports.say_of(
                name,
                f"{name} is held by {holder}, which is silent, but this database user may not end its session. "
                f"Ask an administrator to run `select pg_terminate_backend({holder.backend_pid})`.",
            )
        elif was_ended:
            message = f"{name} was held by {holder}, which was silent: ended its session to take over."
            self.reports.say_of(name, message)
