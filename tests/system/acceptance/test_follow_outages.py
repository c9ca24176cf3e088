"""Outages (killed brokers and servers, lost connections) lose no event and apply none twice."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Final

import psycopg
import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.source import PostgresSource
from eventlog.streams import identify
from projections.follow import tail
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import APPLICATION_NAME
from projections.projector import FEW_EVENTS, MakeProjector, Projector
from projections.stream_lock import StreamLocks
from tests.fixtures.acceptance.imported_job import IMPORTED_AT, SETTINGS
from tests.fixtures.acceptance.tiled_recording import Digests, as_new, digests, import_tiles, stream_names, tiles
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.kafka_broker import KafkaBroker
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import NoLocks, Running, following
from tests.fixtures.sure_postgres import kill_server
from tests.fixtures.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.torture]

JOBS: Final = 2
KILLS: Final = scaled(2, 10)
CUTS: Final = scaled(1, 10)
RECOVERY_SECONDS: Final = scaled(240, 900)
FEW: Final = 20
STEPS_OF_COPY: Final = ("archived", "folded", "merged", "committed")

_APPLIED: Final = "select coalesce(sum(next_offset), 0) from projection.position"
_BACKENDS: Final = """
select a.pid from pg_stat_activity a
where a.application_name = %s and a.datname = current_database() and %s =
  exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.objsubid = 2)
"""


@pytest.fixture(scope="module")
def imported(clones: Callable[[], str]) -> Digests:
    """The digests of the relations after an import."""
    with connect(clones()) as connection:
        import_tiles(connection, JOBS)
        return digests(connection)


@pytest.fixture(name="broker")
def broker_without_topics(broker: KafkaBroker) -> Iterator[KafkaBroker]:
    """A broker without topics, which a test may kill."""
    yield broker
    with Topics(broker.bootstrap_servers) as topics:
        for name in stream_names(JOBS):
            topics.delete(name)


def write(broker: KafkaBroker, part: int, parts: int) -> int:
    """Write part ``part`` of each stream, the first to new topics, and return the number of events so far."""
    written = 0
    with Topics(broker.bootstrap_servers) as topics:
        for name, events in tiles(JOBS):
            if part == 0:
                topics.create(name)
            size = -(-len(events) // parts)
            topics.write(name, as_new(events[part * size : (part + 1) * size]))
            written += min((part + 1) * size, len(events))
    return written


@contextmanager
def follower(
    url: str,
    broker: KafkaBroker,
    make_projector: MakeProjector = Projector,
    locks: Callable[[Connection], StreamLocks] = StreamLocks,
) -> Iterator[Running]:
    """Run a follower of all of the recordings."""
    plan = FollowPlan(tuple(stream_names(JOBS)))
    with (
        KafkaSource(KafkaOptions.parse(broker.bootstrap_servers)) as source,
        following(
            url, source, plan, make_projector=make_projector, locks=locks, clock=lambda: IMPORTED_AT, settings=SETTINGS
        ) as running,
    ):
        yield running


def applied(url: str) -> int:
    """Return how many events were applied; 0 while Postgres is away."""
    try:
        with connect(url) as connection:
            row = connection.execute(_APPLIED.encode()).fetchone()
    except psycopg.OperationalError:
        return 0
    return int(row[0]) if row else 0


def wait_for(url: str, events: int) -> None:
    wait_until(lambda: applied(url) >= events, RECOVERY_SECONDS, f"{events} events to be applied")


def assert_same(url: str, imported: Digests) -> None:
    with connect(url) as connection:
        assert digests(connection) == imported


def test_killed_brokers(clones: Callable[[], str], imported: Digests, broker: KafkaBroker) -> None:
    url = clones()
    write(broker, 0, KILLS + 1)
    with follower(url, broker) as running:
        for part in range(1, KILLS + 1):
            broker.kill()
            broker.start()
            write(broker, part, KILLS + 1)
        wait_for(url, sum(len(events) for _, events in tiles(JOBS)))
    assert running.outcomes[0].failures == {}
    assert_same(url, imported)
    print(f"\nthe broker was killed {KILLS} times")


def test_a_killed_postgres(
    clones: Callable[[], str], imported: Digests, broker: KafkaBroker, sure_server: EmbeddedPostgres
) -> None:
    url = clones()
    events = write(broker, 0, KILLS + 1)
    with follower(url, broker) as running:
        for part in range(1, KILLS + 1):
            if part % 2:  # else it dies at work
                wait_for(url, events)
            kill_server(sure_server)
            sure_server.start()
            events = write(broker, part, KILLS + 1)
        wait_for(url, events)
        wait_until(lambda: "restored" in running.messages[-1], what="the end of the last outage")
    assert running.outcomes[0].failures == {}
    assert_same(url, imported)
    print(f"\nPostgres was killed {KILLS} times; the follower reported {len(running.messages)} messages")


def test_a_killed_postgres_with_its_own_logs(
    clones: Callable[[], str], imported: Digests, sure_server: EmbeddedPostgres
) -> None:
    """What the follower had committed and the disk did not have yet is folded again."""
    url = clones()
    for name in stream_names(JOBS):
        PostgresEventLog.create(url, identify(name)).close()
    plan = FollowPlan(tuple(stream_names(JOBS)))
    with (
        PostgresSource(url) as source,
        following(url, source, plan, clock=lambda: IMPORTED_AT, settings=SETTINGS) as running,
    ):
        for part in range(KILLS + 1):
            if part:
                kill_server(sure_server)
                sure_server.start()
            for name, events in tiles(JOBS):
                size = -(-len(events) // (KILLS + 1))
                with PostgresEventLog(url, name) as log:
                    log.append(as_new(events[part * size : (part + 1) * size]))
        wait_for(url, sum(len(events) for _, events in tiles(JOBS)))
    assert running.outcomes[0].failures == {}
    assert_same(url, imported)


class Cutter:
    """Ends sessions of the follower at steps of its batches: the one with the locks (True), the writing one (False)."""

    def __init__(self, url: str, cuts: list[tuple[str, tuple[bool, ...]]]) -> None:
        self._url = url
        self.left = deque(cuts)

    def __call__(self, step: str) -> None:
        if not self.left or self.left[0][0] != step:
            return
        with connect(self._url) as admin:
            query, name = _BACKENDS.encode(), APPLICATION_NAME
            backends = {holds: admin.execute(query, (name, holds)).fetchone() for holds in (True, False)}
            if None in backends.values():  # it has not noticed the last cut yet
                return
            for holds_locks in self.left.popleft()[1]:
                ended = admin.execute("select pg_terminate_backend(%s, 10000)", backends[holds_locks])
                assert ended.fetchone() == (True,)


@pytest.mark.parametrize(
    ("batch_events", "few_events", "steps"),
    [(FEW, FEW_EVENTS, ("folded", "committed")), (6 * FEW, 0, STEPS_OF_COPY)],
    ids=["in one statement", "by copy"],
)
def test_connections_lost_at_each_step(
    clones: Callable[[], str],
    imported: Digests,
    broker: KafkaBroker,
    monkeypatch: pytest.MonkeyPatch,
    batch_events: int,
    few_events: int,
    steps: tuple[str, ...],
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", batch_events)
    url = clones()
    write(broker, 0, 1)
    which = ((True,), (False,), (True, False))
    cutter = Cutter(url, [(step, backends) for backends, step in product(which, steps)] * CUTS)
    make_projector = partial(Projector, few_events=few_events, on_step=cutter)
    with follower(url, broker, make_projector) as running:
        wait_for(url, sum(len(events) for _, events in tiles(JOBS)))
        wait_until(lambda: "restored" in running.messages[-1], what="the end of the last outage")
    assert running.outcomes[0].failures == {}
    assert not cutter.left
    assert_same(url, imported)
    print(f"\nconnections were cut {len(which) * len(steps) * CUTS} times, {batch_events} events a batch")


def test_two_followers_without_locks(
    clones: Callable[[], str], imported: Digests, broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", FEW)
    url, names = clones(), stream_names(JOBS)
    write(broker, 0, 1_000)
    with follower(url, broker) as first:
        wait_until(lambda: all(map(first.is_attached, names)), what="the streams to be tracked")
    with follower(url, broker, locks=NoLocks) as one, follower(url, broker, locks=NoLocks) as other:
        wait_until(lambda: all(map(one.is_attached, names)) and all(map(other.is_attached, names)), what="both")
        with Topics(broker.bootstrap_servers) as topics:
            for name, events in tiles(JOBS):
                topics.write(name, as_new(events[topics.end_offset(name) :]))
        wait_for(url, sum(len(events) for _, events in tiles(JOBS)))
    stopped = {**one.outcomes[0].failures, **other.outcomes[0].failures}
    assert len(stopped) == len(one.outcomes[0].failures) + len(other.outcomes[0].failures) == len(names)
    assert all("Another process has moved the position" in message for message in stopped.values())
    assert_same(url, imported)
