"""Live: how long an append takes until it is visible in SQL, at several rates, and what a follower costs when idle."""

import json
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil
from typing import Final, NamedTuple

from psycopg import sql

from benchmarks.appending import SECOND_NS, began, generated, start_appending
from benchmarks.document import Lines, table
from benchmarks.follower import FollowerProcess, following
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.servers import TOPIC_SETTINGS, BenchmarkServer
from eventlog.events import no_collections
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from projections.projector import POSITION_CHANNEL
from tests.fixtures.kafka_topics import Topics

STREAM: Final = OLDEST_COORDINATOR
GOALS: Final = {"Postgres": (5, 15), "Kafka": (10, 30)}
"""The limits for the latency of 50 % and of 99 % of all events, in ms."""
IDLE_GOAL: Final = 0.03
"""Of a core."""
IDLE_SECONDS: Final = 10.0
SILENCE_SECONDS: Final = 60.0
EVENTS_BEFORE: Final = 20_000
"""Events before the measurement: the first checkpoint of each task is an insert, later ones are updates."""

_POSITION: Final = "select next_offset from projection.position join eventlog.log using (log_id) where stream_name = %s"
_ROW: Final = """
select exists (select from projection.checkpoint_event where (log_id, log_offset) = (l.log_id, o.log_offset))
    or exists (select from projection.message_event where (log_id, log_offset) = (l.log_id, o.log_offset))
from eventlog.log l, (select %s::bigint as log_offset) o
where l.stream_name = %s
"""
_METHOD: Final = (
    "How: the appender is a process of its own that keeps to the clock and sends each event when it is due (to Kafka",
    "without waiting for the one before; to Postgres those together that came due during the append before). Time",
    "runs from just before the append until another connection is notified of the position, which Postgres does after",
    "the commit; the last row is then looked up. Before, 20,000 events are caught up with, and 60,000 go by unmeasured",
    "at 1,000/s: a broker that has just started compiles its code for up to a minute. CPU: of the follower's process,",
    "as a share of a core. The broker is that of the tests, with heap and collector of Kafka's scripts.",
)


class Pace(NamedTuple):
    """Events per second, and how many events."""

    rate: float
    events: int


PACES: Final = (Pace(1, 20), Pace(100, 400), Pace(1_000, 20_000))
WARM_UP: Final = Pace(1_000, 60_000)


class Run(NamedTuple):
    """Latencies in ms at a pace, and the follower's CPU as a share of a core."""

    pace: Pace
    latencies: Sequence[float]
    cpu: float


class Tail(NamedTuple):
    """Runs at each pace, and the idle CPU of the follower and of its server processes as shares of a core."""

    runs: Sequence[Run]
    idle: tuple[float, float]


class Sighting(NamedTuple):
    """At a time in nanoseconds, the events before ``next_offset`` were visible."""

    next_offset: int
    at: int


def tail_of_postgres(server: BenchmarkServer) -> Tail:
    """Follow a log in Postgres."""
    with server.database("live_postgres") as url:
        with PostgresEventLog.create(url, identify(STREAM)) as log:
            log.append(generated(0, EVENTS_BEFORE))
        with following(url, [STREAM]) as follower:
            return _measure(url, url, follower)


def tail_of_kafka(server: BenchmarkServer, topics: Topics) -> Tail:
    """Follow a topic."""
    topics.create(STREAM, TOPIC_SETTINGS)
    topics.write(STREAM, generated(0, EVENTS_BEFORE))
    brokers = topics.bootstrap_servers
    with server.database("live_kafka") as url, following(url, [STREAM], brokers) as follower:
        tail = _measure(url, brokers, follower)
    topics.delete(STREAM)
    return tail


def live_report(tails: Mapping[str, Tail], on: str) -> Lines:
    """Latencies and idle CPU; ``tails`` by the kind of log, as in `GOALS`."""
    header = ("append → visible in SQL", "p50 of goal", "p99 of goal", "p50 ms", "p99 ms", "most ms", "CPU")
    goals = (f"p50 ≤ {p50} ms and p99 ≤ {p99} ms for {kind} logs" for kind, (p50, p99) in GOALS.items())
    idle = (
        (f"{kind} log", f"{tail.idle[0] / IDLE_GOAL:.2f}", *map(_percent, tail.idle)) for kind, tail in tails.items()
    )
    return [
        f"Goals: {', '.join(goals)}.",
        on,
        "",
        *table(header, (_row(kind, one) for kind, tail in tails.items() for one in tail.runs)),
        "",
        *table(("idle", f"of goal ({_percent(IDLE_GOAL)} of a core)", "follower", "its server processes"), idle),
        "",
        *_METHOD,
    ]


def _measure(url: str, place: str, follower: FollowerProcess) -> Tail:
    follower.wait_until_live([STREAM])
    _run(url, place, follower, WARM_UP)
    runs = [_run(url, place, follower, pace) for pace in PACES]
    return Tail(runs, _idle(follower, IDLE_SECONDS))


def _run(url: str, place: str, follower: FollowerProcess, pace: Pace) -> Run:
    """Append at a pace to the followed stream, and measure when each event is visible; ``place`` as in appending.

    Raises:
        LookupError: the last event's row was not visible when its position was notified.
        TimeoutError: no position was notified for `SILENCE_SECONDS`.
    """
    with connect(url) as checking, _listening(url) as connection:
        opening = int(checking.execute(_POSITION, (STREAM,)).fetchall()[0][0])
        first = opening + 1
        appending = start_appending(place, STREAM, opening, pace.events, pace.rate)
        cpu = follower.cpu()
        with no_collections():  # one took 100 ms, which would count as latency
            sightings = list(_sightings(connection, first + pace.events))
        last = first + pace.events - 1
        if checking.execute(_ROW, (last, STREAM)).fetchone() != (True,):
            raise LookupError(f"Offset {last} of {STREAM} was notified but is not visible.")
        cpu, times = follower.cpu() - cpu, began(appending)
    seconds = (sightings[-1].at - times[0]) / SECOND_NS  # without the start of the appender
    return Run(pace, _latencies(first, times, sightings), cpu / seconds)


def _latencies(first_offset: int, times: Sequence[int], sightings: Sequence[Sighting]) -> list[float]:
    """Latencies in ms of the events from ``first_offset`` on, which were written at these times (ns)."""
    positions = [sighting.next_offset for sighting in sightings]
    return [
        (sightings[bisect_right(positions, first_offset + number)].at - at) / 1e6 for number, at in enumerate(times)
    ]


def _idle(follower: FollowerProcess, seconds: float) -> tuple[float, float]:
    before = follower.cpu(), follower.backends_cpu()
    time.sleep(seconds)
    return (follower.cpu() - before[0]) / seconds, (follower.backends_cpu() - before[1]) / seconds


@contextmanager
def _listening(url: str) -> Iterator[Connection]:
    with connect(url) as connection:
        connection.execute(sql.SQL("listen {}").format(sql.Identifier(POSITION_CHANNEL)))
        yield connection


def _sightings(connection: Connection, until: int) -> Iterator[Sighting]:
    """Notifications of the stream's position with their arrival times, until it reaches ``until``."""
    next_offset = 0
    while next_offset < until:
        notices = connection.notifies(timeout=SILENCE_SECONDS, stop_after=1)
        arrived = [(json.loads(notice.payload), time.monotonic_ns()) for notice in notices]
        if not arrived:
            raise TimeoutError(f"{STREAM} was silent for {SILENCE_SECONDS:g} s at {next_offset} of {until}.")
        for payload, at in arrived:
            if payload["stream_name"] == STREAM:
                next_offset = payload["next_offset"]
                yield Sighting(next_offset, at)


def _row(kind: str, run: Run) -> tuple[str, ...]:
    goals, values = GOALS[kind], sorted(run.latencies)
    found = [values[ceil(len(values) * share) - 1] for share in (0.5, 0.99)]
    name = f"{kind}, {run.pace.rate:,.0f}/s"
    shares = (f"{value / goal:.2f}" for value, goal in zip(found, goals, strict=True))
    return name, *shares, *(f"{value:.1f}" for value in (*found, values[-1])), _percent(run.cpu)


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"
