"""Requests of attackers: each is refused or harmless, and what is logged has no secret."""

import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from coordstream.http import protocol
from coordstream.http.protocol import LONGEST_HEADERS
from coordstream.relations import RELATIONS
from coordstream.serve.access import LONGEST_TARGET, MOST_HEADERS, MOST_PARAMETERS
from coordstream.serve.pages.routes import PAGES
from tests.coordstream.command_line import CommandLine, config_event, recording
from tests.coordstream.serve.serving import Served, serving
from tests.coordstream.serve.site import Site
from tests.fixtures.waiting import PATIENCE, wait_until

HTML = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"
HOST = b"Host: localhost\r\n"


def ask(port: int, *parts: bytes, timeout: float = PATIENCE) -> bytes:
    """All that the server answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            return b"".join(iter(lambda: connection.recv(65_536), b""))
        except ConnectionError:
            return b""


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def get(target: str, *headers: str) -> bytes:
    lines = [f"GET {target} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode()


@pytest.fixture
def served(recorded_site: Site) -> Served:
    """The service of recording A."""
    return recorded_site.served


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%2f..%2fservice.py",
        "/static//etc/passwd",
        "/static/%00",
        "//etc/passwd",
        "/../../etc/passwd",
        "/api/../healthz/..",
        "/api/pg_catalog.pg_authid",
        "/api/event%27",
        "/job/..%5c..%5c",
        "/%ff%fe",
    ],
)
def test_a_path_leads_nowhere_else(served: Served, path: str) -> None:
    answer = ask(served.port, get(path))
    assert status_of(answer) == 404
    assert b"root:" not in answer


@pytest.mark.parametrize(
    ("request_bytes", "expected"),
    [
        (get("/?" + "a" * LONGEST_TARGET), 414),
        (get("/" + "a" * LONGEST_TARGET), 414),
        (get("/?" + "&".join(["a=1"] * (MOST_PARAMETERS + 1))), 400),
        (get("/", *[f"X-{n}: 1" for n in range(MOST_HEADERS + 1)]), 431),
        (get("/", "X: " + "a" * LONGEST_HEADERS), 431),
        (get("/", "Content-Length: 5") + b"12345", 413),
        (get("/", "Transfer-Encoding: chunked") + b"5\r\n12345\r\n0\r\n\r\n", 413),
        (get("/", "Content-Length: 5", "Content-Length: 6") + b"12345", 400),
        (get("/", "Content-Length: -1"), 400),
        (get("/", "X: \x00"), 400),
        (get("/ HTTP/1.1 x"), 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + HOST + b"Connection: close\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\n\r\n", 421),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 405),
        *[(get("/").replace(b"GET", method), 405) for method in (b"POST", b"PUT", b"DELETE", b"TRACE", b"OPTIONS")],
        (get("/", "Upgrade: websocket", "Connection: Upgrade"), 200),
        (get("http://evil.example/healthz"), 404),
    ],
)
def test_malformed_and_oversized_requests_are_refused(served: Served, request_bytes: bytes, expected: int) -> None:
    sent = request_bytes.replace(b"Connection: Upgrade", b"Connection: Upgrade, close")
    assert status_of(ask(served.port, sent)) == expected
    assert served.client.get("/healthz").status_code == 200


def test_headers_without_an_end_are_refused_before_they_fill_the_memory(served: Served) -> None:
    endless = [b"X-" + b"a" * 8_192 + b": 1\r\n"] * 64
    assert status_of(ask(served.port, b"GET / HTTP/1.1\r\n", *endless)) in (0, 400)  # 0: closed while we were sending


@pytest.mark.slow
@pytest.mark.parametrize("value", ["'; drop schema coordinator cascade; --", "\x00%s{}", HTML])
def test_sql_in_a_parameter_is_a_value(served: Served, value: str) -> None:
    names = ("job", "task", "as_of", "limit", value)
    for path in ("/job", "/task", "/job/config", "/api/checkpoint", f"/api/{quote(value, safe='')}"):
        for name in names:
            parameters = {"job": "wordcount_pv", "task": "Partition 0", name: value}
            answer = served.client.get(path, params=parameters)
            assert answer.status_code in (200, 400, 404), (path, name, answer.text)
            assert HTML not in answer.text or answer.headers["content-type"] == "application/json"
    assert len(served.client.get("/api").json()["relations"]) == len(RELATIONS)
    assert served.client.get("/api/job").json()["rows"][0]["job_name"] == "wordcount_pv"


@pytest.mark.slow
def test_html_in_names_and_values_is_text(cli: CommandLine, tmp_path: Path) -> None:
    events = [
        config_event(0, "job.name", HTML),
        config_event(1, f"key{HTML}", HTML),
        config_event(2, "db.password", "hunter2"),
    ]
    cli.done("import", recording(tmp_path / "r.jsonl", events))
    with cli.connection() as connection:
        connection.execute("update projection.job_log set job_name = %s", (HTML,))
    with serving(cli.database_url) as served:
        for path in PAGES:
            answer = served.client.get(path, params={"job": f"{HTML}/1", "task": HTML})
            assert answer.status_code in (200, 404), path
            assert "<script" not in answer.text
            assert "<img src=x" not in answer.text
            assert "hunter2" not in answer.text
        assert "&lt;script&gt;" in served.client.get("/").text


def test_the_log_has_one_line_for_a_request_and_no_secret(served: Served) -> None:
    before = len(served.lines)
    served.client.get("/a%0Ab%1B[31m/" + "c" * 500 + "?token=hunter2", headers={"Authorization": "Bearer hunter2"})
    (line,) = served.lines[before:]
    assert line.startswith("127.0.0.1 GET /a\\nb\\x1b[31m/ccc")
    assert "hunter2" not in line
    assert len(line) < 600
    assert line.isprintable()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time limits that end within the test."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", 0.5)


def test_slow_requests_are_ended_and_block_nobody(database_url: str, impatient: None) -> None:
    with serving(database_url) as served, ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", served.port))) for _ in range(100)]
        for connection in slow:
            connection.settimeout(PATIENCE)
            connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert served.client.get("/healthz").status_code == 200
        assert [ended(connection) for connection in slow] == [True] * 100
        assert served.client.get("/healthz").status_code == 200


def ended(connection: socket.socket) -> bool:
    """Whether the server ends the connection, though a byte is sent again and again."""
    try:
        while True:
            connection.sendall(b"a")
            connection.settimeout(0.02)
            try:
                return connection.recv(1) == b""
            except TimeoutError:
                continue
    except ConnectionError:
        return True


def test_an_answer_that_nobody_takes_is_ended(
    database_url: str, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coordstream.serve.metrics.exposed", lambda _: b"a" * (64 << 20))
    with serving(database_url) as served, socket.create_connection(("127.0.0.1", served.port)) as connection:
        connection.sendall(get("/metrics"))
        connection.settimeout(PATIENCE)
        assert connection.recv(10)
        wait_until(lambda: is_reset(connection), what="the end of the connection")


def is_reset(connection: socket.socket) -> bool:
    """Whether the server has ended the connection, found by sending: nothing is read."""
    try:
        connection.sendall(b"a")
    except ConnectionError:
        return True
    return False


def test_connections_beyond_the_limit_are_closed(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MOST_CONNECTIONS", 20)
    with serving(database_url) as served, ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", served.port))) for _ in range(30)]
        for connection in held:
            connection.settimeout(PATIENCE)
        assert sum(ended_now(connection) for connection in held[20:]) == 10


def test_idle_connections_make_room_for_new_ones(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MOST_CONNECTIONS", 5)
    with serving(database_url) as served, ExitStack() as stack:
        kept: list[socket.socket] = []
        for _ in range(8):
            kept.append(stack.enter_context(socket.create_connection(("127.0.0.1", served.port), PATIENCE)))
            assert is_answered(kept[-1])
        assert [is_answered(connection) for connection in kept] == [False] * 4 + [True] * 4


def is_answered(connection: socket.socket) -> bool:
    """Whether a request on a connection that was kept is answered."""
    answer = b""
    with suppress(ConnectionError):
        connection.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        while not answer.endswith(b"\r\n\r\nok\n") and (part := connection.recv(4_096)):
            answer += part
    return status_of(answer) == 200


def ended_now(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_requests_at_once_do_not_wait_for_slow_ones(served: Served) -> None:
    answers: list[int] = []

    def work() -> None:
        with httpx.Client(base_url=served.client.base_url, timeout=PATIENCE) as client:
            answers.extend(
                client.get(path).status_code for path in ("/metrics", "/", "/readyz", "/job?job=wordcount_pv")
            )

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert answers == [200] * 40
