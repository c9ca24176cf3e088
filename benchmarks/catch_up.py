"""Catching up with topics, compared with the limit: loading the same rows as prepared COPY data."""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import median
from typing import Final, NamedTuple

from benchmarks.document import Lines, ratios, spread, table
from benchmarks.follower import following
from benchmarks.generator import OLDEST_COORDINATOR, RELEASED_CHECKPOINTS, generate
from benchmarks.limit import CopyData, load, read_rows
from benchmarks.processes import Cost, peak_bytes
from benchmarks.replay import Streams
from benchmarks.servers import TOPIC_SETTINGS, BenchmarkServer
from eventlog.events import NewEvent, RecordedEvent
from tests.fixtures.kafka_topics import Topics

GOAL: Final = 0.3
"""Of the limit."""

ONE_TOPIC: Final = {"one topic of `set-checkpoint`": OLDEST_COORDINATOR, "one topic of V1 and V2": RELEASED_CHECKPOINTS}
"""The topics with most of the events of the two kinds of jobs."""

APPENDED_EVENTS: Final = 1_000
"""Events appended between two flushes; the producer makes batches of those sent within 5 ms."""


class CatchUp(NamedTuple):
    """``seconds``: from the start of the process until all streams are live, ``start_seconds`` until it reads them."""

    events: int
    start_seconds: float
    seconds: float
    cpu_seconds: float
    peak_bytes: int


class CatchUps(NamedTuple):
    """Alternating rounds of catching up and the limit."""

    catch_ups: Sequence[CatchUp]
    limits: Sequence[Cost]


def measure_catch_ups(
    server: BenchmarkServer, topics: Topics, streams: Streams, rounds: int, seed: int
) -> dict[str, CatchUps]:
    """Catch up with one topic of each kind of job, and with all streams at once; each has as many events."""
    events = sum(map(len, streams.values()))
    figures = {}
    for case, name in ONE_TOPIC.items():
        count = write_topic(topics, name, islice(one_stream(name, seed), events))
        figures[case] = _catch_ups(server, topics, {name: count}, rounds)
    counts = {name: write_topic(topics, name, events) for name, events in streams.items()}
    return {**figures, "three topics at once": _catch_ups(server, topics, counts, rounds)}


def one_stream(name: str, seed: int) -> Iterator[RecordedEvent]:
    """The endless generated events of one stream."""
    return (event for stream_name, event in generate(sys.maxsize, seed) if stream_name == name)


def write_topic(topics: Topics, name: str, events: Iterable[RecordedEvent]) -> int:
    """Create a topic with these events, and return their count."""
    topics.create(name, TOPIC_SETTINGS)
    new = (NewEvent(event.key, event.value, event.timestamp) for event in events)
    written = 0
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
        return caught_up, read_rows(url)


def catch_up_report(figures: Mapping[str, CatchUps], on: str) -> Lines:
    """The share of the limit that catching up from Kafka reaches, by what is caught up with."""
    first = next(iter(figures.values()))
    events, rounds = first.catch_ups[0].events, len(first.catch_ups)
    header = ("catch-up", "share of the limit", "events/s", "start s", "limit events/s")
    return [
        f"{events:,} generated events, appended {APPENDED_EVENTS:,} at a time; rounds: {rounds}.",
        f"One follower, from the start of its process until it is live. Goal: {GOAL} of the limit.",
        "The limit is the COPY of the same rows beside it. The start, until topics are attached, is part of the time.",
        on,
        "",
        *table((*header, "follower CPU µs/event", "peak memory"), (_row(case, one) for case, one in figures.items())),
    ]


def _catch_ups(server: BenchmarkServer, topics: Topics, counts: Mapping[str, int], rounds: int) -> CatchUps:
    """Follow topics with these counts of events into new databases, and delete the topics."""
    done: list[CatchUp] = []
    limits: list[Cost] = []
    brokers = topics.bootstrap_servers
    for _ in range(rounds):
        caught_up, data = catch_up(server, brokers, counts)
        done.append(caught_up)
        limits.append(load(server, data))
    for name in counts:
        topics.delete(name)
    return CatchUps(done, limits)


def _row(case: str, figures: CatchUps) -> tuple[str, ...]:
    events = figures.catch_ups[0].events
    seconds, limits = ([one.seconds for one in costs] for costs in (figures.catch_ups, figures.limits))
    return (
        case,
        spread(ratios(limits, seconds), 2),
        spread([events / one for one in seconds]),
        f"{median(one.start_seconds for one in figures.catch_ups):.1f}",
        spread([events / one for one in limits]),
        f"{median(one.cpu_seconds for one in figures.catch_ups) / events * 1e6:.1f}",
        f"{max(one.peak_bytes for one in figures.catch_ups) / 1e6:.0f} MB",
    )
