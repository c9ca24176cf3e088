"""Reads a job model over HTTP, from a server of the standard library."""

import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import JobModelNotRead, read_job_model, to_json

MODEL = JobModel({"job.name": "orders"}, {})
Serve = Callable[[bytes], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that answers each request with these bytes, and returns its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answers[0])

        def log_message(self, *_: object) -> None: ...

    answers: list[bytes] = []
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()

        def start(answer: bytes) -> str:
            answers.append(answer)
            return f"http://127.0.0.1:{server.server_port}/"

        yield start
        server.shutdown()
        thread.join()


def test_a_job_model_is_read(serve: Serve) -> None:
    assert read_job_model(serve(to_json(MODEL))) == MODEL


def test_another_answer_or_none_is_an_error(serve: Serve) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/"
        for url, reason in {
            serve(b"[]"): "the job model is a list, not an object",
            nobody: "connection refused",
            "file:///etc/passwd": "it is not an HTTP URL",
        }.items():
            with pytest.raises(JobModelNotRead, match=reason):
                read_job_model(url, timeout_seconds=5)
