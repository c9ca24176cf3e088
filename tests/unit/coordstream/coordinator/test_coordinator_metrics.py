"""What a coordinator serves of itself: its metrics, and what does not work in it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from coordstream.coordinator.checks import StreamPartitionCountMonitor
from coordstream.coordinator.containers_server import CoordinatorServer
from coordstream.coordinator.job_lock import JobLock
from coordstream.coordinator.process import CoordinatorProcess, CoordinatorRun, WatchedCoordinator
from coordstream.serve.process import UNEXPLAINED, serving_process
from eventlog.log import MemoryEventLog
from eventlog.source import SourceUnavailable
from eventlog.streams import identify
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.job_model_building import build_job_model
from tests.fixtures.coordstream.coordinator.serving import attempt_of, context_of, running
from tests.fixtures.coordstream.serve.serving import LOOPBACK

MESSAGE: Final = "password=hunter2"
TOKEN: Final = "0123456789abcdef"
STREAM: Final = identify("__samza_coordinator_orders_1")
MODEL: Final = JobModel({}, {"0": ContainerModel("0", {"t": TaskModel("t", frozenset(), 0)})})


def process_with(server: CoordinatorServer | None = None) -> CoordinatorProcess:
    """A process that serves a job model."""
    log = MemoryEventLog(STREAM)
    process = CoordinatorProcess(CoordinatorRun("orders", fail, print), log, JobLock(fail, "orders", log.stream_name))  # type: ignore[arg-type]
    process.context.attempt = attempt_of(MODEL)
    process._server = server
    metrics = process._coordinator.metrics
    metrics.application_attempt_count, metrics.config_changed = 3, 1
    return process


@contextmanager
def served(watched: WatchedCoordinator, token_file: Path | None = None) -> Iterator[httpx.Client]:
    lines: list[str] = []
    with (
        serving_process(LOOPBACK, token_file, watched, lines.append),
        httpx.Client(base_url=lines[0].rpartition(" ")[2].removesuffix("/."), timeout=60) as client,
    ):
        yield client


def fail(*_arguments: object) -> Iterable[str]:
    raise RuntimeError(MESSAGE)


def test_before_it_has_the_lock_a_coordinator_is_live_and_not_active() -> None:
    with served(WatchedCoordinator(STREAM)) as client:
        assert client.get("/healthz").text == "ok\n"
        assert 'coordstream_coordinator_active{job_name="orders",job_id="1"} 0.0\n' in client.get("/metrics").text


def test_metrics_of_a_coordinator() -> None:
    watched = WatchedCoordinator(STREAM)
    with running(CoordinatorServer(context_of(MODEL))) as server, served(watched) as client:
        watched.process = process_with(server)
        assert httpx.get(server.url).status_code == 200
        lines = client.get("/metrics").text.splitlines()
        assert client.get("/healthz").status_code == 200
    assert {
        "coordstream_healthy 1.0",
        'coordstream_coordinator_active{job_name="orders",job_id="1"} 1.0',
        "coordstream_coordinator_tasks 1.0",
        "coordstream_coordinator_containers 1.0",
        "coordstream_coordinator_outage 0.0",
        "coordstream_coordinator_application_attempts_total 3.0",
        "coordstream_coordinator_config_changed 1.0",
        "coordstream_coordinator_job_model_changed 0.0",
        'coordstream_coordinator_metadata_failures_total{step="read"} 0.0',
        "coordstream_coordinator_requests_total 1.0",
        'coordstream_coordinator_responses_total{outcome="successful"} 1.0',
    } <= set(lines)


def test_a_monitor_that_fails_is_not_healthy_and_says_so_to_those_who_may_know(tmp_path: Path) -> None:
    model = build_job_model({"task.inputs": "kafka.in"}, {("kafka", "in"): range(1)}, {})
    monitor = StreamPartitionCountMonitor(context_of(model), fail, print)  # type: ignore[arg-type]
    watched = WatchedCoordinator(STREAM)
    watched.process = process_with()
    watched.process._checks = (monitor,)
    monitor.check_once()
    with served(watched) as client:
        answer, metrics = client.get("/healthz"), client.get("/metrics").text
    assert 'coordstream_coordinator_monitor{gauge="kafka-in-partitionCount"} 0.0' in metrics
    assert "coordstream_healthy 0.0" in metrics
    sentence = "The monitor of partitions failed unexpectedly: RuntimeError."
    assert (answer.status_code, answer.json()["error"]) == (503, sentence)
    (tmp_path / "token").write_text(TOKEN)
    with served(watched, tmp_path / "token") as client:
        unexplained = client.get("/healthz")
        explained = client.get("/healthz", headers={"Authorization": f"Bearer {TOKEN}"})
    assert [each.json()["error"] for each in (unexplained, explained)] == [UNEXPLAINED, sentence]


def test_brokers_of_inputs_that_do_not_answer_are_in_the_metrics() -> None:
    watched = WatchedCoordinator(STREAM)
    watched.process = process_with()
    monitor = StreamPartitionCountMonitor(context_of(MODEL), fail, print)  # type: ignore[arg-type]
    watched.process._checks = (monitor,)
    monitor.errors = {"kafka.in": SourceUnavailable("No broker answers.")}
    with served(watched) as client:
        assert "coordstream_coordinator_outage 1.0" in client.get("/metrics").text.splitlines()
