"""Catching up with a topic, compared with programs that a user could write in an afternoon.

The consumers of `benchmarks.sqlalchemy_peers` read the same topic. The library `eventsourcing` reads a log of its own
in Postgres instead. Each peer is measured twice: it keeps the current offsets only, or a history too, as coordstream
does.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from benchmarks.catch_up import catch_up, write_topic
from benchmarks.eventsourcing_peer import project_checkpoints
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.server import BenchmarkServer
from benchmarks.sqlalchemy_peers import COMMIT_EVERY, Write, consume, write_core, write_orm
from eventlog.events import RecordedEvent
from tests.fixtures.kafka_topics import Topics

EVENTSOURCING_EVENTS: Final = 2_000
CONSUMERS: Final[Mapping[str, tuple[Write, int]]] = {
    f"SQLAlchemy Core: upsert, commit every {COMMIT_EVERY}": (write_core, 30_000),
    f"SQLAlchemy's ORM: merge, commit every {COMMIT_EVERY}": (write_orm, 2_000),
}
"""How they write, and how many events they read."""

EVENTSOURCING: Final = "the library eventsourcing, its log in Postgres"
WITH_HISTORY: Final = "; with history"


class PeerRate(NamedTuple):
    """The events of a topic that a program has read, and its seconds."""

    events: int
    seconds: float

    @property
    def rate(self) -> float:
        """Events per second."""
        return self.events / self.seconds


class PeerRound(NamedTuple):
    """One round: coordstream, and the peers one after the other, by name."""

    coordstream: PeerRate
    peers: Mapping[str, PeerRate]


def measure_peers(
    server: BenchmarkServer, topics: Topics, events: Iterator[RecordedEvent], rounds: int
) -> list[PeerRound]:
    """Append events of the oldest kind of job to a topic, and read it with each program, in turns.

    They are not kept: the garbage collector would scan them while the peers run in this process.
    """
    first = list(islice(events, EVENTSOURCING_EVENTS))
    count = write_topic(topics, OLDEST_COORDINATOR, chain(first, events))
    measured = []
    for _ in range(rounds):
        caught_up, _rows = catch_up(server, topics.bootstrap_servers, {OLDEST_COORDINATOR: count})
        peers = dict(_peers(server, topics.bootstrap_servers, count, first))
        measured.append(PeerRound(PeerRate(count, caught_up.seconds), peers))
    topics.delete_made()
    return measured


def _peers(
    server: BenchmarkServer, brokers: str, count: int, first: Sequence[RecordedEvent]
) -> Iterator[tuple[str, PeerRate]]:
    for keeps_history, ending in ((False, ""), (True, WITH_HISTORY)):
        for name, (write, most) in CONSUMERS.items():
            read = min(most, count)
            with server.database("peer", migrated=False) as url:
                seconds = consume(url, brokers, OLDEST_COORDINATOR, read, write, keeps_history=keeps_history)
            yield name + ending, PeerRate(read, seconds)
        with server.database("peer", migrated=False) as url:
            yield EVENTSOURCING + ending, PeerRate(*project_checkpoints(url, first, keeps_history=keeps_history))
