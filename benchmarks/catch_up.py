"""Catching up with topics, compared with the limit: loading the same rows as prepared COPY data."""

import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from benchmarks.broker import TOPIC_SETTINGS
from benchmarks.follower_process import following
from benchmarks.limit import CopyData, Load, load, read_rows
from benchmarks.processes import peak_bytes
from benchmarks.server import BenchmarkServer
from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import connect
from tests.fixtures.kafka_topics import Topics

APPENDED_EVENTS: Final = 1_000
"""Events appended between two flushes; the producer makes batches of those sent within 5 ms."""


class CatchUp(NamedTuple):
    """``seconds``: from the start of the process until all streams are live; CPU of the follower; its peak memory."""

    events: int
    seconds: float
    cpu_seconds: float | None
    peak_bytes: int | None


class CatchUps(NamedTuple):
    """Alternating rounds of catching up and the limit."""

    catch_ups: Sequence[CatchUp]
    limits: Sequence[Load]


def catch_ups(
    server: BenchmarkServer, topics: Topics, streams: Mapping[str, Sequence[RecordedEvent]], rounds: int
) -> CatchUps:
    """Append the streams to topics, and follow them into new databases."""
    for name, events in streams.items():
        write_topic(topics, name, events)
    done: list[CatchUp] = []
    limits: list[Load] = []
    for _ in range(rounds):
        caught_up, data = catch_up(server, topics.bootstrap_servers, {name: len(streams[name]) for name in streams})
        done.append(caught_up)
        limits.append(load(server, data))
    topics.delete_made()
    return CatchUps(done, limits)


def write_topic(topics: Topics, name: str, events: Sequence[RecordedEvent]) -> None:
    """Create a topic with these events."""
    topics.create(name, TOPIC_SETTINGS)
    topics.write(name, [_new(event) for event in events], batch_events=APPENDED_EVENTS)


def catch_up(server: BenchmarkServer, brokers: str, counts: Mapping[str, int]) -> tuple[CatchUp, CopyData]:
    """Follow topics with these counts of events into a new database; also return the rows of its histories."""
    with server.database("catch_up") as url:
        started = time.monotonic()
        with following(url, list(counts), brokers) as follower:
            follower.wait_until_live(list(counts))
            seconds = time.monotonic() - started
            caught_up = CatchUp(sum(counts.values()), seconds, follower.cpu(), peak_bytes(follower.pid))
        with connect(url) as connection:
            return caught_up, read_rows(connection)


def _new(event: RecordedEvent) -> NewEvent:
    return NewEvent(event.key, event.value, event.timestamp)
