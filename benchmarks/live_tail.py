"""The live figures of one kind of log: warm-up, several paces, then idle."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from benchmarks.appending import generated
from benchmarks.broker import TOPIC_SETTINGS
from benchmarks.follower_process import FollowerProcess, following
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.idle import IDLE_SECONDS, Idle, idle
from benchmarks.live import Pace, Run, run
from benchmarks.server import BenchmarkServer
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from tests.fixtures.kafka_topics import Topics

PACES: Final = (Pace(1, 20), Pace(100, 400), Pace(1_000, 20_000))
WARM_UP: Final = Pace(1_000, 60_000)
"""Not part of the figures: a broker's JVM compiles what it runs, for up to a minute and on up to half a core."""

EVENTS_BEFORE: Final = 20_000
"""Events before the measurement: the first checkpoint of each task is an insert, later ones are updates."""


class LiveTail(NamedTuple):
    """The figures of a follower of one stream."""

    runs: Sequence[Run]
    idle: Idle


class Extent(NamedTuple):
    """How much is measured."""

    paces: Sequence[Pace] = PACES
    warm_up: Pace = WARM_UP
    idle_seconds: float = IDLE_SECONDS
    events_before: int = EVENTS_BEFORE


def tail_of_postgres(server: BenchmarkServer, extent: Extent) -> LiveTail:
    """Follow a log in Postgres."""
    with server.database("live_postgres") as url:
        with PostgresEventLog.create(url, identify(OLDEST_COORDINATOR)) as log:
            log.append(generated(0, extent.events_before))
        with following(url, [OLDEST_COORDINATOR]) as follower:
            return _measure(url, url, follower, extent)


def tail_of_kafka(server: BenchmarkServer, topics: Topics, extent: Extent) -> LiveTail:
    """Follow a topic."""
    topics.create(OLDEST_COORDINATOR, TOPIC_SETTINGS)
    topics.write(OLDEST_COORDINATOR, generated(0, extent.events_before))
    brokers = topics.bootstrap_servers
    with server.database("live_kafka") as url, following(url, [OLDEST_COORDINATOR], brokers) as follower:
        tail = _measure(url, brokers, follower, extent)
    topics.delete(OLDEST_COORDINATOR)
    return tail


def _measure(url: str, place: str, follower: FollowerProcess, extent: Extent) -> LiveTail:
    follower.wait_until_live([OLDEST_COORDINATOR])
    run(url, place, OLDEST_COORDINATOR, follower, extent.warm_up)
    runs = [run(url, place, OLDEST_COORDINATOR, follower, pace) for pace in extent.paces]
    return LiveTail(runs, idle(follower, extent.idle_seconds))
