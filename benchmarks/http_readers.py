"""Clients of `coordstream serve` that ask for the page of all jobs again and again, while a position moves."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from benchmarks.appending import start_appending
from benchmarks.document import Lines, table
from benchmarks.follower import environment_of, following
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.reads import JOB, load_jobs
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify

JOBS: Final = 1_000
CLIENTS: Final = (1, 200)
SECONDS: Final = 15
MOVES: Final = 10


def measure_readers(url: str) -> dict[int, list[float]]:
    """How many seconds each request took, sorted, by the number of clients."""
    load_jobs(url, JOBS, JOB._replace(events=300))
    PostgresEventLog.create(url, identify(OLDEST_COORDINATOR)).close()
    with following(url, [OLDEST_COORDINATOR]), _serving(url) as port:
        with start_appending(url, OLDEST_COORDINATOR, 0, 4 * SECONDS * MOVES, MOVES) as moving:
            found = {clients: _ask(port, clients) for clients in CLIENTS}
            moving.terminate()
        return found


def readers_report(found: Mapping[int, Sequence[float]], on: str) -> Lines:
    rows = (
        (str(clients), *(f"{waits[len(waits) * share // 100] * 1e3:,.0f}" for share in (50, 99)), str(len(waits)))
        for clients, waits in found.items()
    )
    return [
        f"The page of {JOBS:,} jobs ({JOB.tasks} tasks) during {SECONDS} s; {MOVES} events/s move a position. {on}",
        "",
        *table(("clients, which ask again at once", "p50 ms", "p99 ms", "answers"), rows),
        "",
        "The limit is twice the time of one client: an answer is computed after the request, once for all who wait.",
    ]


@contextmanager
def _serving(url: str) -> Iterator[int]:
    """The port of a server."""
    command = [sys.executable, "-m", "coordstream", "serve", "--bind", "127.0.0.1:0"]
    environment = environment_of(url, Path(gettempdir()))
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield int(
                next(line for line in process.stderr or () if "http:" in line).rpartition(":")[2].partition("/")[0]
            )
        finally:
            process.terminate()


def _ask(port: int, clients: int) -> list[float]:
    with ThreadPoolExecutor(clients) as pool:
        return sorted(wait for waits in pool.map(_client, [port] * clients) for wait in waits)


def _client(port: int) -> list[float]:
    connection, etag, times = HTTPConnection("127.0.0.1", port), "", [time.monotonic()]
    while times[-1] < times[0] + SECONDS:
        connection.request("GET", "/", headers={"If-None-Match": etag})
        response = connection.getresponse()
        response.read()
        etag = response.headers["ETag"]
        times.append(time.monotonic())
    connection.close()
    return [after - before for before, after in pairwise(times)]
