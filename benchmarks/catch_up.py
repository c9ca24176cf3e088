"""Catching up with topics, compared with the limit: loading the same rows as prepared COPY data."""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from benchmarks.broker import TOPIC_SETTINGS
from benchmarks.follower_process import following
from benchmarks.generator import OLDEST_COORDINATOR, RELEASED_CHECKPOINTS, generate
from benchmarks.limit import CopyData, Load, load, read_rows
from benchmarks.processes import peak_bytes
from benchmarks.replay import Streams
from benchmarks.server import BenchmarkServer
from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import connect
from tests.fixtures.kafka_topics import Topics

ONE_TOPIC: Final = {"one topic of `set-checkpoint`": OLDEST_COORDINATOR, "one topic of V1 and V2": RELEASED_CHECKPOINTS}
"""The topics with most of the events of the two kinds of jobs."""

APPENDED_EVENTS: Final = 1_000
"""Events appended between two flushes; the producer makes batches of those sent within 5 ms."""


class CatchUp(NamedTuple):
    """``seconds``: from the start of the process until all streams are live; ``start_seconds`` of these pass before it
    reads them. CPU time and peak memory are the follower's.
    """

    events: int
    start_seconds: float
    seconds: float
    cpu_seconds: float | None
    peak_bytes: int | None


class CatchUps(NamedTuple):
    """Alternating rounds of catching up and the limit."""

    catch_ups: Sequence[CatchUp]
    limits: Sequence[Load]


def measure_catch_ups(
    server: BenchmarkServer, topics: Topics, streams: Streams, rounds: int, seed: int
) -> dict[str, CatchUps]:
    """Catch up with one topic of each kind of job, and with all streams at once; each has as many events."""
    events = sum(map(len, streams.values()))
    figures = {}
    for case, name in ONE_TOPIC.items():
        count = write_topic(topics, name, islice(one_stream(name, seed), events))
        figures[case] = catch_ups(server, topics, {name: count}, rounds)
    counts = {name: write_topic(topics, name, events) for name, events in streams.items()}
    return {**figures, "three topics at once": catch_ups(server, topics, counts, rounds)}


def one_stream(name: str, seed: int) -> Iterator[RecordedEvent]:
    """The endless generated events of one stream."""
    return (event for stream_name, event in generate(sys.maxsize, seed) if stream_name == name)


def catch_ups(server: BenchmarkServer, topics: Topics, counts: Mapping[str, int], rounds: int) -> CatchUps:
    """Follow topics with these counts of events into new databases, and delete the topics."""
    done: list[CatchUp] = []
    limits: list[Load] = []
    for _ in range(rounds):
        caught_up, data = catch_up(server, topics.bootstrap_servers, counts)
        done.append(caught_up)
        limits.append(load(server, data))
    for name in counts:
        topics.delete(name)
    return CatchUps(done, limits)


def write_topic(topics: Topics, name: str, events: Iterable[RecordedEvent]) -> int:
    """Create a topic with these events, and return their count."""
    topics.create(name, TOPIC_SETTINGS)
    new, written = map(_new, events), 0
    while batch := list(islice(new, APPENDED_EVENTS)):
        written += len(topics.write(name, batch))
    return written


def catch_up(server: BenchmarkServer, brokers: str, counts: Mapping[str, int]) -> tuple[CatchUp, CopyData]:
    """Follow topics with these counts of events into a new database; also return the rows of its histories."""
    with server.database("catch_up") as url:
        started = time.monotonic()
        with following(url, list(counts), brokers) as follower:
            follower.wait_until_attached(list(counts))
            start_seconds = time.monotonic() - started
            follower.wait_until_live(list(counts))
            seconds = time.monotonic() - started
            caught_up = CatchUp(sum(counts.values()), start_seconds, seconds, follower.cpu(), peak_bytes(follower.pid))
        with connect(url) as connection:
            return caught_up, read_rows(connection)


def _new(event: RecordedEvent) -> NewEvent:
    return NewEvent(event.key, event.value, event.timestamp)
