"""Attaches streams: takes the lock, finds where to resume, resyncs if necessary, and gives the stream its tail."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

import psycopg
from psycopg.errors import LockNotAvailable

from eventlog.errors import EventLogError
from eventlog.postgres.connection import Connection
from eventlog.source import OffsetLost, StreamMissing, StreamUnavailable
from projections.errors import LogRebuilt, PositionMoved, ProjectionError
from projections.follow.continuity import is_another_topic, longest_absence_ms
from projections.follow.error_policy import (
    BLOCKED,
    RETRIED,
    is_outage,
    outage_message,
    outage_reason,
    stream_error_message,
)
from projections.follow.follow_run import FollowedStream, FollowRun, Problem
from projections.follow.heartbeat import Turns, write_refusal
from projections.follow.resume import LogSource, ResumePoint
from projections.follow.resync import resync
from projections.follow.tail import Tail
from projections.projector import Projector
from projections.stream_lock import LockHolder, StreamLocks
from projections.tracked_logs import TrackedLog, is_blocked, logs_of, make_current

LOCK_RETRY_SECONDS: Final = 1.0
LOCKED_STREAMS: Final = 100
"""How many streams are locked in one transaction, for whose end other followers wait."""
BLOCKED_SECONDS: Final = 1.0
"""How long to wait for a stream whose rows another session has locked."""
LOST_OFFSET_SECONDS: Final = 1.0
"""How long to wait before attaching a stream again whose next offset is gone."""

MakeTail = Callable[[TrackedLog, Projector, int], Tail]


@dataclass(frozen=True, kw_only=True)
class Attacher(LogSource):
    """Attaches streams within one session; events are applied over ``connection``, unless ``make_tail`` differs."""

    locks: StreamLocks
    run: FollowRun
    make_tail: MakeTail = Tail

    def attach(self, stream: FollowedStream, now: float, on_resync_batch: Callable[[], None]) -> None:
        """Attach the stream, or let it wait for the follower that holds it, or for who has locked its rows; raises the
        error of a stream that cannot be followed. An exception from ``on_resync_batch``, which is called after each
        batch of a resync, ends the resync.
        """
        if not stream.has_lock:
            self.take_locks([stream])
        if not stream.has_lock:
            self.wait_for_holder(stream, now)
            return
        if stream.has("blocked") and stream.log_id is not None and is_blocked(self.connection, stream.log_id):
            stream.due_at = now + BLOCKED_SECONDS
            return
        name = stream.stream_name
        found = self.find_resume_point(name, self.run.plan.kind)
        stream.log_id = found.log.log_id
        stream.longest_absence_ms = longest_absence_ms(found.topic.facts)
        self._report(stream, found)
        if found.resync:
            found = resync(self, self.projector(found.log), found, on_batch=lambda _: on_resync_batch())
            self.run.say_of(name, "resynced", found.message)
            stream.events += found.events
        stream.attach(self.make_tail(found.log, self.projector(found.log), found.target))
        stream.plan_end(found.topic.facts, is_new=not found.log.is_complete)

    def take_locks(self, streams: Sequence[FollowedStream]) -> None:
        """Take the locks of those streams that are free. They have heartbeats from then on, and are not lost. All
        that the source has listed are shown at once, also those without a log.
        """
        for some in (streams[first : first + LOCKED_STREAMS] for first in range(0, len(streams), LOCKED_STREAMS)):
            taken = self.locks.take_all([stream.stream_name for stream in some])
            for stream in some:
                if stream.stream_name in taken:
                    stream.has_lock, stream.log_id = True, taken[stream.stream_name]
                    if self.run.plan.follows_all and stream.log_id is None and not stream.is_refused:
                        write_refusal(self.connection, stream.stream_name, self.run.plan.kind, self.source.backend, "")

    def release(self, stream: FollowedStream) -> None:
        if stream.has_lock:
            self.locks.release(stream.stream_name)
        stream.has_lock = False

    def replace_current(self, stream: FollowedStream, tail: Tail) -> None:
        """Make a new incarnation that has caught up the current one."""
        with self.connection.transaction():
            make_current(self.connection, tail.log)
        log = replace(tail.log, is_current=True, is_complete=True, next_offset=tail.position)
        stream.attach(self.make_tail(log, self.projector(log), tail.target))
        name = stream.stream_name
        self.run.say_of(
            name, "replaced", f"{name}: incarnation {log.incarnation} is complete; relations show it from now on."
        )

    def _report(self, stream: FollowedStream, found: ResumePoint) -> None:
        name, offset = stream.stream_name, found.log.next_offset
        if stream.has("held"):
            stream.problem = None
            self.run.say_of(name, "taken-over", f"{name} is free: this follower continues at offset {offset}.")
        if stream.has("unavailable"):
            self.run.say_of(name, "available", f"{name} is available again: continuing at offset {offset}.")
        self.run.say_of(name, "resumed", found.message)

    def wait_for_holder(self, stream: FollowedStream, now: float) -> None:
        """Retry soon; a plan with an end is over when the holder has read as far."""
        name = stream.stream_name
        holder = self.locks.holder(name)
        message = "" if holder is None else _describe_holder(name, holder)
        stream.accept()
        stream.wait("held", message, now + LOCK_RETRY_SECONDS)
        self.run.say_of(name, "held", message)
        stream.is_over = self.run.plan.once and self._is_read_as_planned(stream)

    def _is_read_as_planned(self, stream: FollowedStream) -> bool:
        """Whether another follower has read the stream's present topic as far as planned."""
        name = stream.stream_name
        log = next((log for log in logs_of(self.connection, name) if log.is_current), None)
        if stream.planned is None or (log is not None and is_another_topic(log, stream.planned)):
            stream.plan_end(self.source.describe(name))
        if log is None or stream.planned is None or is_another_topic(log, stream.planned):
            return False
        return log.backend == self.source.backend and log.next_offset >= stream.planned.end_offset


def _describe_holder(name: str, holder: LockHolder) -> str:
    if holder.is_silent:
        return f"{name} is held by {holder}, which is {holder.silence}. This follower waits."
    return f"{name} is read by {holder}. This follower waits, and takes over when the other one ends."


@contextmanager
def ignore_rejections() -> Iterator[None]:
    """Ignore errors of single streams in the block: what the database rejects is reported where it is applied, and a
    refusal of locked rows is written again when the stream is retried.
    """
    try:
        yield
    except LockNotAvailable:
        pass
    except psycopg.Error as error:
        if is_outage(error):
            raise


@dataclass(frozen=True)
class Refusals:
    """Keeps the errors of one stream from others. Writes refusals over ``connection``; each triggers ``heartbeat``."""

    run: FollowRun
    attacher: Attacher
    connection: Connection
    heartbeat: Turns

    @contextmanager
    def catch_errors(self, stream: FollowedStream | None) -> Iterator[None]:
        """Refuse the stream, or give it up, after an error in the block; a source's error names its stream. Errors that
        affect all streams, or none that is known, are raised.
        """
        try:
            yield
        except LockNotAvailable:
            if stream is None:
                raise
            self.run.say_of(stream.stream_name, "blocked", f"{stream.stream_name} waits: {BLOCKED}.")
            stream.wait("blocked", BLOCKED, monotonic() + BLOCKED_SECONDS)
            self.heartbeat.trigger()
        except StreamUnavailable as error:
            self.lose(error)
        except (EventLogError, ProjectionError, psycopg.Error) as error:
            if is_outage(error):
                if stream is not None and stream.problem is None and isinstance(error, psycopg.Error):
                    stream.problem = Problem("database", outage_reason(error))
                raise
            failed = stream or self.run.streams.get(getattr(error, "stream_name", ""))
            if failed is None:
                raise
            self._handle(failed, error)

    def accept(self, stream: FollowedStream) -> None:
        """Report that a stream can be followed again, if something has prevented that."""
        if stream.problem is None or stream.tail is None:
            return
        if not stream.has("database"):
            name, position = stream.stream_name, stream.tail.position
            self.run.say_of(name, "accepted", f"{name} can be followed again: continuing at offset {position}.")
        stream.accept()
        self.heartbeat.trigger()

    def lose(self, error: StreamUnavailable) -> None:
        """Detach streams that are unavailable while others are read, keep their locks, and retry later. A run with an
        end is over when it has waited for no other streams for its longest outage.
        """
        now = monotonic()
        self.heartbeat.trigger()
        for name in error.stream_names:
            alone = StreamUnavailable([name], error.place, error.problem)
            self.run.streams[name].retry("unavailable", outage_reason(alone), now)
            self.run.say_of(name, "unavailable", outage_message(alone))
        self.run.stop_if_unavailable(now)

    def _handle(self, stream: FollowedStream, error: Exception) -> None:
        self.heartbeat.trigger()
        if isinstance(error, OffsetLost | LogRebuilt):
            stream.detach(monotonic() + LOST_OFFSET_SECONDS)
            return
        message = stream_error_message(stream.stream_name, error)
        self.run.say_of(stream.stream_name, "refused", message)
        if not isinstance(error, PositionMoved):  # otherwise another follower writes the log now
            self._write_refusal(stream, error, message)
        self.attacher.release(stream)  # another follower may have the rights, and a rebuild needs the lock
        if isinstance(error, RETRIED) and not self.run.plan.once:
            stream.retry("missing" if isinstance(error, StreamMissing) else "refused", message, monotonic())
        else:
            stream.finish(message)

    def _write_refusal(self, stream: FollowedStream, error: Exception, message: str) -> None:
        """Record the refusal, but add no row for a missing stream in a run with an end: its name may be a typo."""
        plan, backend = self.run.plan, self.attacher.source.backend
        if stream.has_lock:
            with ignore_rejections():
                adds_row = not (plan.once and isinstance(error, StreamMissing))
                write_refusal(self.connection, stream.stream_name, plan.kind, backend, message, adds_row=adds_row)
