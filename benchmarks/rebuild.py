"""Verify and rebuild of imported logs, each by a process without other data in memory; run as a module.

``python -m benchmarks.rebuild URL WAY`` prints what it took as a JSON object.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from psycopg import sql

from benchmarks.generator import STREAM_NAMES, generate
from benchmarks.processes import peak_bytes
from benchmarks.replay import SETTINGS, ReadEvents, Replay, replay
from benchmarks.server import BenchmarkServer, backend_cpu_seconds
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from projections.rebuild import rebuild_log
from projections.scratch_fold import log_tables
from projections.tracked_logs import logs_of
from projections.verify import verify_log

VERIFY: Final = "verify"
REBUILD: Final = "rebuild, nothing differs"
REBUILD_EMPTY: Final = "rebuild, tables were emptied"
WAYS: Final = (VERIFY, REBUILD, REBUILD_EMPTY)


class Refold(NamedTuple):
    """Verifying or rebuilding every log: seconds of wall clock and CPU, and the client's peak memory."""

    events: int
    seconds: float
    client_seconds: float
    server_seconds: float | None
    peak_bytes: int | None


class Round(NamedTuple):
    """An import, and each of `WAYS` with the events that it archived."""

    imported: Replay
    refolds: Mapping[str, Refold]


def measure_rebuilds(
    server: BenchmarkServer, streams: Mapping[str, Sequence[RecordedEvent]], rounds: int, say: Callable[[str], None]
) -> list[Round]:
    """Import the events and fold them again, ``rounds`` times."""
    measured = []
    for number in range(1, rounds + 1):
        say(f"round {number} of {rounds}: import, verify, rebuild")
        measured.append(_measure(server, {name: partial(iter, events) for name, events in streams.items()}))
    return measured


def measure_large(server: BenchmarkServer, events: int, seed: int) -> Round:
    """The same once. The events are generated while they are imported, so there may be more than fit into memory."""
    return _measure(server, {name: partial(_generated, name, events, seed) for name in STREAM_NAMES})


def _generated(stream_name: str, events: int, seed: int) -> Iterable[RecordedEvent]:
    return (event for name, event in generate(events, seed) if name == stream_name)


def _measure(server: BenchmarkServer, streams: Mapping[str, ReadEvents]) -> Round:
    with server.database("rebuild") as url:
        imported = replay(url, streams)
        return Round(imported, {way: _run(url, way) for way in WAYS})


def _run(url: str, way: str) -> Refold:
    command = [sys.executable, "-m", "benchmarks.rebuild", url, way]
    return Refold(*json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def _refold(connection: Connection, way: str) -> Refold:
    if way == REBUILD_EMPTY:
        tables = sql.SQL(", ").join(sql.Identifier("projection", table) for table in log_tables())
        connection.execute(sql.SQL("truncate {}").format(tables))
    server_before, client_before = backend_cpu_seconds(connection), time.process_time()
    started = time.perf_counter()
    events = sum(_events(connection, way))
    seconds, client = time.perf_counter() - started, time.process_time() - client_before
    server_after = backend_cpu_seconds(connection)
    server = None if server_before is None or server_after is None else server_after - server_before
    return Refold(events, seconds, client, server, peak_bytes())


def _events(connection: Connection, way: str) -> Iterator[int]:
    for name in STREAM_NAMES:
        for log in logs_of(connection, name):
            if way == VERIFY:
                verified = verify_log(connection, log, SETTINGS)
                if not verified.is_equal:
                    raise RuntimeError(f"{name} differs from its events")
                yield verified.events
            else:
                yield rebuild_log(connection, log, SETTINGS).events


def _main(url: str, way: str) -> None:
    with connect(url) as connection:
        print(json.dumps(_refold(connection, way)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
