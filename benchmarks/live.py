"""Live: how long an append takes until it is visible in SQL."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from psycopg import sql

from benchmarks.appending import began, start_appending
from benchmarks.follower_process import FollowerProcess
from benchmarks.idle import share
from benchmarks.latency import Sighting, latencies
from benchmarks.pace import SECOND_NS
from eventlog.events import no_collections
from eventlog.postgres.connection import Connection, connect
from projections.projector import POSITION_CHANNEL

SILENCE_SECONDS: Final = 60.0

_POSITION: Final = "select next_offset from projection.position join eventlog.log using (log_id) where stream_name = %s"
_ROW: Final = """
select exists (select from projection.checkpoint_event where (log_id, log_offset) = (l.log_id, o.log_offset))
    or exists (select from projection.message_event where (log_id, log_offset) = (l.log_id, o.log_offset))
from eventlog.log l, (select %s::bigint as log_offset) o
where l.stream_name = %s
"""


class Pace(NamedTuple):
    """Events per second, and how many events."""

    rate: float
    events: int


class Run(NamedTuple):
    """Latencies in ms at a pace, the rate that was reached, and the follower's CPU as a share of a core."""

    pace: Pace
    latencies: Sequence[float]
    rate: float
    cpu: float | None


def run(url: str, place: str, stream_name: str, follower: FollowerProcess, pace: Pace) -> Run:
    """Append at a pace to a followed stream, and measure when each event is visible; ``place`` as in `start_appending`.

    Raises:
        LookupError: the last event's row was not visible when its position was notified.
        TimeoutError: no position was notified for `SILENCE_SECONDS`.
    """
    with connect(url) as checking, _listening(url) as connection:
        opening = _position(checking, stream_name)
        first = opening + 1
        appending = start_appending(place, stream_name, opening, pace.events, pace.rate)
        cpu = follower.cpu()
        with no_collections():  # one took 100 ms, which would count as latency
            sightings = list(_sightings(connection, stream_name, first + pace.events))
        _require_row(checking, stream_name, first + pace.events - 1)
        cpu_after, times = follower.cpu(), began(appending)
    seconds = (sightings[-1].at - times[0]) / SECOND_NS  # without the start of the appender
    return Run(pace, latencies(first, times, sightings), _rate(times), share(cpu, cpu_after, seconds))


def _rate(times: Sequence[int]) -> float:
    return (len(times) - 1) / (times[-1] - times[0]) * SECOND_NS if len(times) > 1 else 0.0


@contextmanager
def _listening(url: str) -> Iterator[Connection]:
    with connect(url) as connection:
        connection.execute(sql.SQL("listen {}").format(sql.Identifier(POSITION_CHANNEL)))
        yield connection


def _sightings(connection: Connection, stream_name: str, until: int) -> Iterator[Sighting]:
    """Notifications of the stream's position with their arrival times, until it reaches ``until``."""
    next_offset = 0
    while next_offset < until:
        notices = connection.notifies(timeout=SILENCE_SECONDS, stop_after=1)
        told_at = [(json.loads(notice.payload), time.monotonic_ns()) for notice in notices]
        if not told_at:
            raise TimeoutError(f"{stream_name} was silent for {SILENCE_SECONDS:g} s at {next_offset} of {until}.")
        for told, at in told_at:
            if told["stream_name"] == stream_name:
                next_offset = told["next_offset"]
                yield Sighting(next_offset, at)


def _require_row(connection: Connection, stream_name: str, log_offset: int) -> None:
    """Check that another connection sees a notified event at once."""
    if connection.execute(_ROW, (log_offset, stream_name)).fetchone() != (True,):
        raise LookupError(f"Offset {log_offset} of {stream_name} was notified but is not visible.")


def _position(connection: Connection, stream_name: str) -> int:
    row = connection.execute(_POSITION, (stream_name,)).fetchone()
    if row is None:
        raise LookupError(f"{stream_name} is not followed.")
    return int(row[0])
