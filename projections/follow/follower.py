"""The follower: reads many logs as they grow, in one thread, and takes them up again whenever something failed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final, NamedTuple

from eventlog.postgres.connection import Connection, connect
from eventlog.source import EventSource
from projections.fold.settings import FoldSettings
from projections.follow.attaching import Attacher
from projections.follow.backoff import BackOff
from projections.follow.followed_stream import FollowedStream
from projections.follow.following import Following
from projections.follow.outage import OUTAGES
from projections.follow.plan import FollowPlan
from projections.follow.reports import Progress, Reports
from projections.follow.session import FollowSession
from projections.follow.stopping import Stopping
from projections.projector import Clock, OnStep
from projections.stream_lock import StreamLocks

APPLICATION_NAME: Final = "coordstream follow"
_LOCK_TIMEOUT: Final = "set lock_timeout = '30s'"


class StreamOutcome(NamedTuple):
    """What was done with a stream. ``next_offset``: the one after the last that was applied; None: it was never read.

    ``is_over``: it was read to its end, or given up. ``detail``: why it was given up, or not read when all ended.
    """

    stream_name: str
    is_over: bool
    events: int
    next_offset: int | None
    detail: str | None


@dataclass(frozen=True)
class Outcome:
    """What a follower did before it ended: events applied, and the streams it gave up, each with its sentence.

    ``is_complete``: every stream was read to its end, or given up. Else ``outage`` is what it waited for when it ended,
    empty if nothing. ``refusal``: why it could go on with no stream at all, empty where that is not so.
    """

    events: int
    failures: Mapping[str, str]
    is_complete: bool = True
    outage: str = ""
    refusal: str = ""
    streams: Sequence[StreamOutcome] = ()


class Follower:
    """Follows streams of one source into one database.

    Two connections: one holds the locks and gives the heartbeats, one takes the events. Not safe for threads but for
    ``stop``. ``on_step`` is told of a batch's steps, see `Projector`; ``on_message`` gets sentences for the operator.
    ``patience``: with an end, it waits for brokers or the database no longer than so many seconds.
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
        on_step: OnStep | None = None,
        locks: Callable[[Connection, Connection], StreamLocks] = StreamLocks,
        patience: float | None = None,
    ) -> None:
        self._url = database_url
        self._source = source
        self._settings = settings
        self._clock = clock
        self._on_step = on_step
        self._locks = locks
        streams = {name: FollowedStream(name) for name in plan.stream_names}
        reports = Reports(on_message, on_progress)
        self._following = Following(plan, streams, reports, BackOff(), Stopping(), patience=patience)

    def run(self) -> Outcome:
        """Follow until all is done, or until `stop`. What is out of reach is waited for, however long."""
        following = self._following
        outcome: Outcome | None = None
        while not following.is_over():
            try:
                with self._session() as session:
                    while not following.is_over():
                        session.step()
                    outcome = self._outcome()
                    session.stop()
            except OUTAGES as error:
                self._wait_out(error)
        return outcome or self._outcome()

    def stop(self) -> None:
        """Let ``run`` end after the batch at hand; may be called by a signal handler or another thread."""
        self._following.stopping.set()
        self._source.wake()

    def _outcome(self) -> Outcome:
        following = self._following
        failures = {name: stream.failure for name, stream in following.streams.items() if stream.failure}
        return Outcome(
            following.events,
            failures,
            following.is_done(),
            following.outage,
            following.refusal,
            [_stream_outcome(stream) for stream in following.streams.values()],
        )

    def _wait_out(self, error: Exception) -> None:
        self._following.suffer(error, monotonic())
        for stream in self._following.streams.values():
            stream.lose_session()
        self._following.stopping.wait(self._following.backoff.next())

    @contextmanager
    def _session(self) -> Iterator[FollowSession]:
        with self._connect() as holding, self._connect() as working:
            working.execute(_LOCK_TIMEOUT)
            attacher = Attacher(
                working,
                self._locks(holding, working),
                self._source,
                self._settings,
                self._clock,
                self._following.plan,
                self._following.reports,
                self._on_step,
            )
            yield FollowSession(self._following, attacher, holding, self._source)

    def _connect(self) -> Connection:
        return connect(self._url, application_name=APPLICATION_NAME)


def _stream_outcome(stream: FollowedStream) -> StreamOutcome:
    detail = stream.failure or stream.refusal or None
    return StreamOutcome(stream.stream_name, stream.is_over, stream.events, stream.next_offset, detail)
