"""The follower: reads many logs as they grow, in one thread, and takes them up again whenever something failed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from eventlog.connection import Connection, connect
from eventlog.source import EventSource
from projections.fold.settings import FoldSettings
from projections.follow.attaching import Attacher
from projections.follow.backoff import BackOff
from projections.follow.followed_stream import FollowedStream
from projections.follow.following import Following
from projections.follow.outage import OUTAGES, outage_sentence
from projections.follow.plan import FollowPlan
from projections.follow.reports import Progress, Reports
from projections.follow.session import FollowSession
from projections.follow.stopping import Stopping
from projections.projector import Clock, OnStep
from projections.stream_lock import StreamLocks

APPLICATION_NAME: Final = "coordstream follow"
_LOCK_TIMEOUT: Final = "set lock_timeout = '30s'"


@dataclass(frozen=True)
class Outcome:
    """What a follower did before it ended: events applied, and the streams it gave up, each with its sentence."""

    events: int
    failures: Mapping[str, str]


class Follower:
    """Follows streams of one source into one database.

    Two connections: one holds the locks and gives the heartbeats, one takes the events. Not safe for threads but for
    ``stop``. ``on_step`` is told of a batch's steps, see `Projector`; ``on_message`` gets sentences for the operator.
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
    ) -> None:
        self._url = database_url
        self._source = source
        self._settings = settings
        self._clock = clock
        self._on_step = on_step
        self._locks = locks
        streams = {name: FollowedStream(name) for name in plan.stream_names}
        self._following = Following(plan, streams, Reports(on_message, on_progress), BackOff(), Stopping())

    def run(self) -> Outcome:
        """Follow until all is done, or until `stop`. What is out of reach is waited for, however long."""
        following = self._following
        while not following.is_over():
            try:
                with self._session() as session:
                    while not following.is_over():
                        session.step()
                    session.stop()
            except OUTAGES as error:
                self._wait_out(error)
        failures = {name: stream.failure for name, stream in following.streams.items() if stream.failure}
        return Outcome(following.events, failures)

    def stop(self) -> None:
        """Let ``run`` end after the batch at hand; may be called by a signal handler or another thread."""
        self._following.stopping.set()
        self._source.wake()

    def _wait_out(self, error: Exception) -> None:
        self._following.reports.begin_outage(outage_sentence(error))
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
