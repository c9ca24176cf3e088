"""Many topics with one partition each, followed by one process."""

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from benchmarks.appending import generated
from benchmarks.broker import TOPIC_SETTINGS
from benchmarks.follower_process import FollowerProcess, following
from benchmarks.idle import IDLE_SECONDS, Idle, idle
from benchmarks.live import Pace, Run, run
from benchmarks.processes import connections_to, peak_bytes
from benchmarks.server import BenchmarkServer
from eventlog.streams import coordinator_stream_name
from tests.fixtures.kafka_topics import Topics

TOPICS: Final = 300
EVENTS_EACH: Final = 100
PACE: Final = Pace(100, 2_000)


class Crowd(NamedTuple):
    """How much is measured."""

    topics: int = TOPICS
    events_each: int = EVENTS_EACH
    pace: Pace = PACE
    idle_seconds: float = IDLE_SECONDS


class ManyTopics(NamedTuple):
    """``seconds``: from the start of the process until all streams are caught up and live; ``run``: of one of them."""

    crowd: Crowd
    seconds: float
    to_database: int
    to_broker: int | None
    peak_bytes: int | None
    idle: Idle
    run: Run


def many_topics(server: BenchmarkServer, topics: Topics, crowd: Crowd) -> ManyTopics:
    """Follow them from the start, then stay idle, then append to one."""
    stream_names = [coordinator_stream_name("job", str(number)) for number in range(crowd.topics)]
    for name in stream_names:
        topics.create(name, TOPIC_SETTINGS)
        topics.write(name, generated(0, crowd.events_each))
    brokers, started = topics.bootstrap_servers, time.monotonic()
    with server.database("many_topics") as url, following(url, stream_names, brokers) as follower:
        follower.wait_until_live(stream_names)
        seconds = time.monotonic() - started
        figures = _measure(url, brokers, stream_names, follower, crowd, seconds)
    topics.delete_made()
    return figures


def _measure(
    url: str, brokers: str, stream_names: Sequence[str], follower: FollowerProcess, crowd: Crowd, seconds: float
) -> ManyTopics:
    last = stream_names[-1]
    quiet = idle(follower, crowd.idle_seconds)
    run(url, brokers, last, follower, crowd.pace)  # a warm-up
    return ManyTopics(
        crowd=crowd,
        seconds=seconds,
        to_database=len(follower.backends()),
        to_broker=connections_to(int(brokers.rpartition(":")[2]), follower.pid),
        peak_bytes=peak_bytes(follower.pid),
        idle=quiet,
        run=run(url, brokers, last, follower, crowd.pace),
    )
