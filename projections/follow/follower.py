"""The follower: reads many logs as they grow, in one thread, and opens a new database session after each outage."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from eventlog.postgres.connection import Connection, connect
from eventlog.source import EventSource
from projections.fold.settings import FoldSettings
from projections.follow.attacher import Attacher, MakeTail
from projections.follow.error_policy import OUTAGES
from projections.follow.follow_run import FollowedStream, FollowPlan, FollowRun
from projections.follow.session import FollowSession
from projections.follow.tail import Progress, Tail
from projections.projector import Clock, MakeProjector, Projector
from projections.stream_lock import StreamLocks

APPLICATION_NAME: Final = "coordstream follow"
_LOCK_TIMEOUT: Final = "set lock_timeout = '2s'"
"""Other streams and heartbeats do not wait longer for a stream that another session has locked."""

SWITCH_SECONDS: Final = 0.0005
"""How long a thread runs while another one waits for Python's interpreter.

kafka-python decodes answers in a thread of its own, and another one sends rows to the server. With Python's 5 ms, both
wait that long after each system call while this thread folds, and this thread while a large answer is decoded.
"""


@dataclass(frozen=True)
class Outcome:
    """What a follower did before it ended.

    ``failures``: why streams were given up, by name. ``is_complete``: every stream was read as far as planned, or given
    up. ``outage``: what the follower waited for when it ended, empty if nothing. ``refusal``: why brokers or database
    refused the login, empty if they did not.
    """

    events: int
    failures: Mapping[str, str]
    is_complete: bool = True
    outage: str = ""
    refusal: str = ""
    streams: Sequence[FollowedStream] = ()


class Follower:
    """Follows streams of one source into one database.

    Uses two connections, one for locks and heartbeats and one to apply events. Only `stop` may be called from another
    thread. ``on_message`` gets messages for the operator. With a plan that has an end, ``outage_timeout`` seconds
    without brokers or database end the run. ``make_tail`` is for followers that apply events elsewhere.
    """

    def __init__(
        self,
        database_url: str,
        source: EventSource,
        settings: FoldSettings,
        clock: Clock,
        plan: FollowPlan,
        *,
        on_message: Callable[[str], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
        locks: Callable[[Connection], StreamLocks] = StreamLocks,
        make_projector: MakeProjector = Projector,
        make_tail: MakeTail = Tail,
        application_name: str = APPLICATION_NAME,
        outage_timeout: float | None = None,
    ) -> None:
        self._url = database_url
        self._source = source
        self._locks = locks
        self._application_name = application_name
        streams = {name: FollowedStream(name) for name in plan.stream_names}
        self._run = run = FollowRun(plan, streams, on_message, on_progress, outage_timeout)
        self._attacher: Callable[[Connection, StreamLocks], Attacher] = lambda working, held: Attacher(
            working, source, settings, clock, make_projector, locks=held, run=run, make_tail=make_tail
        )

    def run(self) -> Outcome:
        """Follow until the plan is complete or `stop` is called, and return what was done. Outages are waited out."""
        run = self._run
        outcome: Outcome | None = None
        while not run.is_over():
            try:
                with self._session() as session:
                    while not run.is_over():
                        session.step()
                    outcome = self._outcome()
                    session.stop()
            except OUTAGES as error:
                self._wait_out(error)
        return outcome or self._outcome()

    def stop(self) -> None:
        """Make `run` return after the current batch; may be called from a signal handler or another thread."""
        self._run.stop_flag.set()
        self._source.wake()

    def _wait_out(self, error: Exception) -> None:
        self._run.begin_outage(error, monotonic())
        for stream in self._run.streams.values():
            stream.lose_session()
        self._run.stop_flag.wait(self._run.backoff.next())

    @contextmanager
    def _session(self) -> Iterator[FollowSession]:
        switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        with self._connect() as holding, self._connect() as working:
            for connection in (holding, working):
                connection.execute(_LOCK_TIMEOUT)
            working.execute("set synchronous_commit = off")  # what a crash of the server loses is read again
            attacher = self._attacher(working, self._locks(holding))
            try:
                yield FollowSession(self._run, attacher, holding, self._source)
            finally:
                sys.setswitchinterval(switch_seconds)

    def _connect(self) -> Connection:
        return connect(self._url, application_name=self._application_name, prepares=True)

    def _outcome(self) -> Outcome:
        run = self._run
        return Outcome(
            run.events,
            {name: stream.failure for name, stream in run.streams.items() if stream.failure},
            run.is_complete(),
            run.outage or run.unavailable_reason(),
            run.refusal,
            [replace(stream) for stream in run.streams.values()],  # as they are before the session ends them
        )
