"""`coordstream serve` and a coordinator's HTTP server with many clients at once, and many jobs in the database."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Final, NamedTuple
from urllib.request import urlopen

from benchmarks.follower_process import environment_of
from benchmarks.http_load import Answers, Load
from benchmarks.processes import cpu_seconds, resident_bytes
from benchmarks.server import BenchmarkServer
from eventlog.postgres.connection import connect
from tests.acceptance.fleet import copy_jobs
from tests.fixtures.waiting import wait_until

JOB: Final = "wordcount_pv"
SAMPLE_SECONDS: Final = 0.5

_START_SECONDS: Final = 120
_WARM_UP_SECONDS: Final = 600
_STOP_SECONDS: Final = 30
_URL: Final = re.compile(r"http://127\.0\.0\.1:(\d+)/")
_WAITING: Final = re.compile(rb'^coordstream_jobs_waiting\{metric="coordstream_job_anomalies"\} (\S+)$', re.MULTILINE)


class Extent(NamedTuple):
    """How many jobs are in the database, and how many clients ask for how long."""

    jobs: int
    clients: int
    seconds: float


class Memory(NamedTuple):
    """The service's memory, this many seconds after the clients began."""

    seconds: float
    bytes: int


class ServeFigures(NamedTuple):
    """The answers by kind; CPU seconds of the service, of Postgres and of the clients; and the service's memory."""

    extent: Extent
    answers: Mapping[str, Answers]
    seconds: float
    service_cpu: float | None
    server_cpu: float
    clients_cpu: float | None
    memory: list[Memory]


class _Program(NamedTuple):
    pid: int
    port: int


def measure_serve(server: BenchmarkServer, extent: Extent, say: Callable[[str], None]) -> ServeFigures:
    """Ask a service and a coordinator with all clients at once, after the service has read all jobs once."""
    say(f"serve: copying a job {extent.jobs:,} times")
    with server.database("serve") as url:
        _load_fleet(url, extent.jobs)
        command = ("coordstream.cli", "serve", "--bind", "127.0.0.1:0")
        with _running(url, *command) as service, _running(url, "benchmarks.job_model_server") as coordinator:
            say("serve: reading all jobs once")
            wait_until(lambda: _is_warm(service.port), _WARM_UP_SECONDS, "all jobs to be read once")
            say(f"serve: {extent.clients} clients for {extent.seconds:g} s")
            return _measure(server, service, coordinator, extent)


def _measure(server: BenchmarkServer, service: _Program, coordinator: _Program, extent: Extent) -> ServeFigures:
    targets = list(_targets(extent, service.port, coordinator.port))
    service_before, server_before, began = cpu_seconds(service.pid), server.cpu_seconds(), monotonic()
    with tempfile.TemporaryFile("w+") as output:
        clients = _start(Load(extent.clients, extent.seconds, targets), output)
        memory, clients_cpu = [], None
        while clients.poll() is None:
            memory.append(Memory(monotonic() - began, resident_bytes(service.pid) or 0))
            clients_cpu = cpu_seconds(clients.pid) or clients_cpu
            sleep(SAMPLE_SECONDS)
        output.seek(0)
        answers = {kind: Answers(**found) for kind, found in json.load(output).items()}
    return ServeFigures(
        extent=extent,
        answers=answers,
        seconds=monotonic() - began,
        service_cpu=_since(service_before, cpu_seconds(service.pid)),
        server_cpu=server.cpu_seconds() - server_before,
        clients_cpu=clients_cpu,
        memory=memory,
    )


def _targets(extent: Extent, service: int, coordinator: int) -> Iterator[tuple[str, int, str]]:
    """What is asked for: by each client for a job of its own, and from time to time for what all look at."""
    for number in range(extent.clients):
        job = f"{JOB}-copy-{number % extent.jobs + 1}/1"
        yield "/metrics", service, "/metrics"
        yield "fleet", service, "/"
        yield "job model of 1,000 tasks", coordinator, "/"
        yield "job", service, f"/job?job={job}"
        yield "task", service, f"/task?job={job}&task=Partition+3"
        yield "config", service, f"/job/config?job={job}"
        yield "JSON of a relation", service, f"/api/checkpoint?job={job}"


def _start(load: Load, output: IO[str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "benchmarks.http_load"]
    clients = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, text=True)
    assert clients.stdin is not None
    with clients.stdin as given:
        json.dump(asdict(load), given)
    return clients


def _load_fleet(url: str, jobs: int) -> None:
    recordings = [str(path) for path in sorted(Path(str(files("coordstream") / "data")).glob("*.jsonl.gz"))]
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as home:
        command = [sys.executable, "-m", "coordstream.cli", "import", *recordings]
        subprocess.run(command, env=environment_of(url, Path(home)), check=True, stdout=subprocess.DEVNULL)
    with connect(url) as connection:
        copy_jobs(connection, jobs)


@contextmanager
def _running(url: str, module: str, *words: str) -> Iterator[_Program]:
    """A program that prints the address on which it serves; ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as home:
        said = Path(home) / "said"
        command = [sys.executable, "-m", module, *words]
        with said.open("wb") as output:
            environment = environment_of(url, Path(home))
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            wait_until(lambda: _URL.search(said.read_text()) or process.poll(), _START_SECONDS, "an address")
            found = _URL.search(said.read_text())
            if found is None:
                raise LookupError(said.read_text())
            yield _Program(process.pid, int(found[1]))
        finally:
            process.terminate()
            process.wait(_STOP_SECONDS)


def _is_warm(port: int) -> bool:
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        found = _WAITING.search(answer.read())
    return found is not None and float(found[1]) == 0


def _since(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before
