"""What a job coordinator answers over HTTP, where it listens, and what its URL is."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event
from typing import Final, NoReturn

import httpx
import pytest

from coordstream.coordinator.containers_server import CoordinatorServer
from eventlog.errors import EventLogError
from managers.assignments.job_model_assignments import ContainerLocality
from managers.coordinator.serving_context import JobServingContext
from managers.job_models import job_model_json
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from tests.fixtures.coordstream.coordinator.serving import attempt_of, context_of, localities, running
from tests.fixtures.waiting import PATIENCE, wait_until

MODEL: Final = JobModel({"a": "b"}, {"0": ContainerModel("0", {"t": TaskModel("t", frozenset(), 0)})})
UNAVAILABLE: Final = "The log is not available: password=hunter2"


class Client(httpx.Client):
    """Sends requests to a server of its own; ``lines`` are what that has reported."""

    def __init__(self, server: CoordinatorServer, lines: list[str]) -> None:
        super().__init__(base_url=server.url)
        self.server = server
        self.lines = lines


ClientOf = Callable[[JobServingContext], Client]


@pytest.fixture
def client_of() -> Iterator[ClientOf]:
    with ExitStack() as stack:

        def client(context: JobServingContext) -> Client:
            lines: list[str] = []
            server = CoordinatorServer(context, report=lines.append)
            return stack.enter_context(Client(stack.enter_context(running(server)), lines))

        yield client


def read_nothing() -> NoReturn:
    raise EventLogError(UNAVAILABLE)


def fail(*_arguments: object) -> NoReturn:
    raise RuntimeError(UNAVAILABLE)


@pytest.mark.scenario("JMM-08")
def test_the_job_model_is_served(client_of: ClientOf) -> None:
    client = client_of(context_of(MODEL))
    answer = client.get("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json;charset=UTF-8")
    assert answer.content == job_model_json.job_model_to_json(MODEL)
    assert client.server.answers == {"successful": 1}


@pytest.mark.scenario("JMM-08")
def test_there_is_no_job_model_yet(client_of: ClientOf) -> None:
    client = client_of(context_of())
    answer = client.get("/")
    assert (answer.status_code, answer.text) == (
        404,
        "The job model is not available yet. Try again when the coordinator has started.\n",
    )
    assert client.server.answers == {"failed": 1}


@pytest.mark.scenario("JMM-08")
def test_a_failure_is_answered_without_its_text(client_of: ClientOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coordstream.coordinator.containers_server.job_model_to_json", fail)
    client = client_of(context_of(MODEL))
    answer = client.get("/")
    assert answer.status_code == 500
    assert answer.text.startswith("The request failed because of an internal error.")
    assert "hunter2" not in answer.text
    assert client.server.answers == {"failed": 1}
    assert client.lines[0].endswith("RuntimeError")
    assert "hunter2" not in "".join(client.lines)


@pytest.mark.scenario("HRD-53")
def test_a_job_model_is_encoded_once_per_version(client_of: ClientOf, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = {f"Partition {each}": TaskModel(f"Partition {each}", frozenset(), each) for each in range(2000)}
    encoded: list[JobModel] = []

    def count(model: JobModel) -> bytes:
        encoded.append(model)
        return job_model_json.job_model_to_json(model)

    monkeypatch.setattr("coordstream.coordinator.containers_server.job_model_to_json", count)
    context = context_of(JobModel({}, {"0": ContainerModel("0", tasks)}))
    client = client_of(context)
    answers = {client.get("/").content for _ in range(500)}
    assert (len(answers), len(encoded)) == (1, 1)
    context.attempt = attempt_of(MODEL)
    assert client.get("/").content == job_model_json.job_model_to_json(MODEL)
    assert len(encoded) == 2


NO_HOST: Final = '{"id":"%s","host":"","jmx-url":"","jmx-tunneling-url":""}'
BAD_LOCALITY: Final = "Invalid query. Expected no parameter, or processorId with the id of a container.\n"
BAD_HEARTBEAT: Final = "Invalid query. Expected executionContainerId with the id of a container's execution.\n"
NOT_FOUND: Final = "Page not found. Expected /, /locality or /containerHeartbeat.\n"


@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("GET", "/locality?processorId=0", 200, NO_HOST.replace('"",', '"host-1",', 1) % 0),
        ("GET", "/locality?processorId=1", 200, NO_HOST % 1),
        ("GET", "/locality?processorId=7", 200, NO_HOST % 7),
        ("GET", "/locality?processorId=", 400, BAD_LOCALITY),
        ("GET", "/locality?processor=0", 400, BAD_LOCALITY),
        ("GET", "/locality?processorId=0&other=1", 400, BAD_LOCALITY),
        ("GET", "/containerHeartbeat?executionContainerId=container_1", 200, '{"alive":true}'),
        ("GET", "/containerHeartbeat", 400, BAD_HEARTBEAT),
        ("GET", "/../etc/passwd", 404, NOT_FOUND),
        ("GET", "/<script>", 404, NOT_FOUND),
        ("POST", "/", 405, "Method not allowed. Expected GET.\n"),
    ],
)
def test_other_requests(client_of: ClientOf, method: str, path: str, status: int, text: str) -> None:
    client = client_of(context_of(MODEL, read_locality=lambda: localities({"0": "host-1", "1": ""})))
    answer = client.request(method, path)
    assert (answer.status_code, answer.text) == (status, text)
    assert answer.headers["content-type"].startswith("application/json" if status == 200 else "text/plain")
    assert client.get("/locality").json()["processor-localities"].keys() == {"0", "1"}


def test_hosts_that_cannot_be_read(client_of: ClientOf) -> None:
    answer = client_of(context_of(read_locality=read_nothing)).get("/locality")
    assert (answer.status_code, answer.text) == (503, "The hosts of containers cannot be read now. Try again later.\n")


def test_the_job_model_is_served_while_hosts_cannot_be_read(client_of: ClientOf) -> None:
    answered = Event()

    def wait() -> dict[str, ContainerLocality]:
        assert answered.wait(PATIENCE)
        return {}

    client = client_of(context_of(MODEL, read_locality=wait))
    with ThreadPoolExecutor(60) as pool:
        asked = [pool.submit(client.get, "/locality") for _ in range(60)]
        try:
            pending = client.server._server._server.server_state.tasks
            wait_until(lambda: len(pending) == 60, what="the requests to be sent")
            assert client.get("/").status_code == 200
        finally:
            answered.set()
        assert {each.result().status_code for each in asked} == {200}


@pytest.mark.scenario("JMM-09")
def test_a_free_port() -> None:
    with running(CoordinatorServer(context_of())) as first, running(CoordinatorServer(context_of())) as second:
        assert first.url != second.url
        assert first.url.startswith("http://127.0.0.1:")
        assert not first.url.endswith(":0/")
        assert httpx.get(first.url).status_code == 404


@pytest.mark.scenario("JMM-09")
def test_a_wildcard_address_has_the_name_of_this_machine_in_the_url() -> None:
    with running(CoordinatorServer(context_of(), "0.0.0.0")) as server:  # noqa: S104 (what is tested)
        host = httpx.URL(server.url).host
        assert host not in ("0.0.0.0", "127.0.0.1", "localhost", "")  # noqa: S104
        assert httpx.get(server.url.replace(host, "127.0.0.1")).status_code == 404


def test_who_can_read_the_config_is_said() -> None:
    open_to_all = CoordinatorServer(context_of(), "0.0.0.0")  # noqa: S104
    local = CoordinatorServer(context_of())
    warning, line = open_to_all.start().split("\n")
    assert warning == f"Everyone who can connect to {open_to_all.url} can read the job's config, with its secrets."
    assert line == f"Serving containers. SAMZA_COORDINATOR_URL={open_to_all.url}"
    assert local.start() == f"Serving containers. SAMZA_COORDINATOR_URL={local.url}"
    for server in (open_to_all, local):
        server.stop()


def test_pages_of_other_hosts_cannot_read_from_a_loopback_address() -> None:
    with running(CoordinatorServer(context_of())) as server:
        assert httpx.get(server.url, headers={"Host": "attacker.example"}).status_code == 421
        assert httpx.get(server.url, headers={"Host": "localhost"}).status_code == 404


def test_an_ipv6_address_is_answered_under_its_name() -> None:
    with running(CoordinatorServer(context_of(), "::1")) as server:
        assert server.url.startswith("http://[::1]:")
        assert httpx.get(server.url).status_code == 404
