"""A follower in a thread of a test, and what it reports."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Any
from unittest.mock import patch

from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.source import EventSource
from eventlog.streams import coordinator_stream_name
from projections.fold.settings import FoldSettings
from projections.follow import resume, resync, session
from projections.follow.attacher import MakeTail
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower, Outcome
from projections.follow.tail import Progress, Tail
from projections.projector import MakeProjector, Projector
from projections.stream_lock import StreamLocks
from tests.builders import config_set
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.waiting import wait_until
from tests.properties.importing import SETTINGS

ORDERS = coordinator_stream_name("orders")
COUNTS = coordinator_stream_name("counts")
STOP_SECONDS = 30.0
MakeLog = Callable[..., PostgresEventLog]


def append(log: PostgresEventLog, **config: str) -> None:
    """Append an event for each config key."""
    log.append([config_set(key, value) for key, value in config.items()])


def say(cluster: MemorySource, **config: str) -> None:
    """Write an event for each config key to the topic of orders, now."""
    for key, value in config.items():
        event = config_set(key, value)
        cluster.topics[ORDERS].append(event.key, event.value, int(now().timestamp() * 1_000))
    cluster.tell()


def config(connection: Connection) -> list[tuple[str, str, str]]:
    """(job, key, value) of all config."""
    return connection.execute(
        "select job_name, config_key, config_value from coordinator.config order by 1, 2"
    ).fetchall()


def now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


@contextmanager
def server_time(time: datetime) -> Iterator[None]:
    """Make `server_now` return this time."""
    with ExitStack() as patches:
        for module in (resume, resync, session):
            patches.enter_context(patch.object(module, "server_now", lambda _: time))
        yield


def let_pass(connection: Connection, time: timedelta) -> None:
    """Move the time at which each log was last read to its end into the past."""
    connection.execute("update projection.position set read_at = read_at - %s", (time,))


def set_lost_after(connection: Connection, seconds: float) -> None:
    """Set how long a follower may be silent before it counts as lost."""
    body = f"select interval '{seconds} seconds'"
    connection.execute(
        "create or replace function projection.lost_after() returns interval language sql immutable parallel safe "
        f"as $$ {body} $$".encode()
    )


def seem_old(connection: Connection) -> None:
    """Let the server seem to have been started long ago, so that a follower may be lost."""
    connection.execute(
        "create or replace function projection.writable_since() returns timestamptz language sql stable parallel safe "
        "as $$ select timestamptz '-infinity' $$"
    )


class NoLocks(StreamLocks):
    """Locks that a failover has lost without an error."""

    def take_all(self, stream_names: Sequence[str]) -> dict[str, int | None]:
        """Always granted."""
        return dict.fromkeys(stream_names)


@dataclass
class Running:
    """A running follower: its messages, the batches that it applied, and its outcome once it has ended."""

    follower: Follower
    messages: list[str] = field(default_factory=list)
    applied: list[Progress] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def has_message(self, text: str) -> bool:
        """Whether a message contains this text."""
        return any(text in message for message in self.messages)

    def wait_for(self, text: str) -> str:
        """Wait until a message contains this text, and return the message."""

        def found() -> str:
            return next((message for message in self.messages if text in message), "")

        return wait_until(found, what=f"the message {text!r}")

    def is_attached(self, stream_name: str) -> bool:
        """Whether it reads this stream now."""
        return self.follower._run.streams[stream_name].tail is not None


@contextmanager
def following(
    url: str,
    source: EventSource,
    plan: FollowPlan,
    *,
    make_projector: MakeProjector = Projector,
    locks: Callable[[Connection, Connection], StreamLocks] = StreamLocks,
    clock: Callable[[], datetime] = now,
    settings: FoldSettings = SETTINGS,
    make_tail: MakeTail = Tail,
) -> Iterator[Running]:
    """Run a follower during the block, and stop it at the end; an error of the follower is raised."""
    messages: list[str] = []
    applied: list[Progress] = []
    follower = Follower(
        url,
        source,
        settings,
        clock,
        plan,
        on_message=messages.append,
        on_progress=applied.append,
        make_projector=make_projector,
        locks=locks,
        make_tail=make_tail,
    )
    running = Running(follower, messages, applied)

    def run() -> None:
        try:
            running.outcomes.append(follower.run())
        except BaseException as error:
            running.errors.append(error)

    thread = Thread(target=run)
    thread.start()
    try:
        yield running
    finally:
        follower.stop()
        thread.join(STOP_SECONDS)
        if running.errors:
            raise running.errors[0]
    assert not thread.is_alive(), "the follower did not stop"


@contextmanager
def repeating(work: Callable[[], None], threads: int, pause: float = 0.0) -> Iterator[None]:
    """Do something again and again in several threads during the block; raise the first error at its end."""
    done = Event()
    errors: list[BaseException] = []

    def repeat() -> None:
        try:
            while not done.wait(pause):
                work()
        except BaseException as error:
            errors.append(error)

    started = [Thread(target=repeat) for _ in range(threads)]
    for thread in started:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in started:
            thread.join()
    if errors:
        raise errors[0]


def run(url: str, source: EventSource, plan: FollowPlan, messages: list[str] | None = None) -> Outcome:
    """Follow to the end of a plan that has one, and return the outcome."""
    say = (lambda _: None) if messages is None else messages.append
    return Follower(url, source, SETTINGS, now, plan, on_message=say).run()


def position(connection: Connection, stream_name: str) -> tuple[Any, ...] | None:
    """(next_offset, end_offset, state, incarnation) of a stream's current log."""
    return connection.execute(
        "select p.next_offset, p.end_offset, p.state, j.incarnation from projection.position p"
        " join projection.job_log j using (log_id) where j.stream_name = %s and j.is_current",
        (stream_name,),
    ).fetchone()


def wait_for_position(connection: Connection, stream_name: str, next_offset: int) -> None:
    """Wait until the position is at an offset."""
    wait_until(
        lambda: (position(connection, stream_name) or (None,))[0] == next_offset,
        what=f"{stream_name} to be read to {next_offset}",
    )
