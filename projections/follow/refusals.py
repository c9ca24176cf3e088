"""Errors of single streams: a stream is refused and retried, or given up, and accepted again when it can be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import psycopg
from psycopg.errors import LockNotAvailable

from eventlog.errors import EventLogError
from eventlog.postgres.connection import Connection
from eventlog.source import StreamMissing, StreamUnavailable
from projections.errors import LogBlocked, ProjectionError
from projections.follow.attacher import Attacher
from projections.follow.error_policy import (
    Reaction,
    is_outage,
    outage_message,
    outage_reason,
    reaction_to,
    stream_error_message,
)
from projections.follow.follow_run import FollowRun
from projections.follow.followed_stream import FollowedStream
from projections.follow.heartbeat import write_refusal
from projections.follow.recurring import RecurringTurns

BLOCKED_SECONDS: Final = 1.0
"""How long to wait for a stream whose rows another session has locked."""
LOST_OFFSET_SECONDS: Final = 1.0
"""How long to wait before attaching a stream again whose next offset is gone."""


@contextmanager
def ignore_rejections() -> Iterator[None]:
    """Ignore errors of the database that are not outages: a stream that it rejects is reported where it is applied.

    Also ignored are rows that another session has locked: a refusal is written again when the stream is retried.
    """
    try:
        yield
    except LockNotAvailable:
        pass
    except psycopg.Error as error:
        if is_outage(error):
            raise


class Refusals:
    """Keeps the errors of one stream from the others, within one session.

    Refusals are written over ``connection``; each change triggers ``heartbeat``.
    """

    def __init__(self, run: FollowRun, attacher: Attacher, connection: Connection, heartbeat: RecurringTurns) -> None:
        self._run = run
        self._attacher = attacher
        self._connection = connection
        self._heartbeat = heartbeat

    @contextmanager
    def catch_errors(self, stream: FollowedStream | None) -> Iterator[None]:
        """Refuse the stream, or give it up, after an error in the block; a source's error names its stream.

        Raises:
            OUTAGES: the error affects all streams, or none that is known.
        """
        try:
            yield
        except LockNotAvailable:
            if stream is None:
                raise
            stream.detach(monotonic() + BLOCKED_SECONDS)
        except (EventLogError, ProjectionError, psycopg.Error) as error:
            if is_outage(error):
                raise
            failed = stream or self._run.streams.get(getattr(error, "stream_name", ""))
            if failed is None:
                raise
            self._handle(failed, error)

    def accept(self, stream: FollowedStream) -> None:
        """Clear the refusal of a stream that is read again."""
        if stream.refusal and stream.tail is not None:
            stream.accept()
            self.report_continuation(stream)

    def lose(self, stream: FollowedStream, error: StreamUnavailable) -> None:
        """Detach a stream that is unavailable while others are read, keep its lock, and retry later.

        A run with an end is over when it has waited for no other streams for its longest outage.
        """
        now = monotonic()
        stream.be_unavailable(outage_reason(error), now)
        self._heartbeat.trigger()
        self._run.reports.say_of(stream.stream_name, outage_message(error))
        self._run.stop_if_unavailable(now)

    def report_continuation(self, stream: FollowedStream) -> None:
        """Report that the stream is read again after a refusal or blockage."""
        self._heartbeat.trigger()
        if stream.tail is not None:
            name, position = stream.stream_name, stream.tail.position
            self._run.reports.say_of(name, f"{name} can be followed again: continuing at offset {position}.")

    def _handle(self, stream: FollowedStream, error: Exception) -> None:
        self._heartbeat.trigger()
        if isinstance(error, LogBlocked):
            self._run.reports.say_of(stream.stream_name, str(error))
            stream.block(error.reason, monotonic() + BLOCKED_SECONDS)
            return
        if isinstance(error, StreamUnavailable):
            self.lose(stream, error)
            return
        reaction = reaction_to(error, has_end=self._run.plan.has_end)
        if reaction is Reaction.RESUME:
            stream.detach(monotonic() + LOST_OFFSET_SECONDS)
            return
        message = stream_error_message(stream.stream_name, error)
        self._run.reports.say_of(stream.stream_name, message)
        if reaction is not Reaction.LEAVE:
            self._write_refusal(stream, error, message)
        self._attacher.release(stream)  # another follower may have the rights, and a rebuild needs the lock
        if reaction is Reaction.RETRY:
            stream.refuse(message, monotonic(), is_missing=isinstance(error, StreamMissing))
        else:
            stream.finish(message)

    def _write_refusal(self, stream: FollowedStream, error: Exception, message: str) -> None:
        """Record the refusal, but add no row for a missing stream in a run with an end: its name may be a typo."""
        plan, backend = self._run.plan, self._attacher.source.backend
        if stream.has_lock:
            with ignore_rejections():
                adds_row = not (plan.has_end and isinstance(error, StreamMissing))
                write_refusal(self._connection, stream.stream_name, plan.kind, backend, message, adds_row=adds_row)
