"""Where a job coordinator listens, and what its URL is."""

import socket
from contextlib import suppress

import httpx
import pytest

from coordstream.coordinator.http_server import CoordinatorServer
from coordstream.coordinator.reachable_host import reachable_host
from coordstream.http import protocol
from coordstream.http.address import Address, AddressUnavailable, listen
from tests.coordstream.coordinator.serving import context_of, running
from tests.fixtures.waiting import PATIENCE


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


def test_a_given_host_stays() -> None:
    assert reachable_host("coordinator.example") == "coordinator.example"


def test_who_can_read_the_config_is_said() -> None:
    open_to_all = CoordinatorServer(context_of(), "0.0.0.0")  # noqa: S104
    local = CoordinatorServer(context_of())
    warning, line = open_to_all.start().split("\n")
    assert warning == f"Everyone who can connect to {open_to_all.url} can read the job's config, with its secrets."
    assert line == f"Serving containers. SAMZA_COORDINATOR_URL={open_to_all.url}"
    assert local.start() == f"Serving containers. SAMZA_COORDINATOR_URL={local.url}"
    for server in (open_to_all, local):
        server.stop()


def test_the_port_is_free_after_the_end() -> None:
    with running(CoordinatorServer(context_of())) as server:
        port = httpx.URL(server.url).port
    assert port is not None
    listen(Address("127.0.0.1", port), "--port").close()


def test_a_taken_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(AddressUnavailable) as caught:
            CoordinatorServer(context_of(), port=port)
    assert str(caught.value) == (
        f"Cannot listen on 127.0.0.1:{port}: another program uses this port. "
        "Choose another address with --bind or --port."
    )


def test_pages_of_other_hosts_cannot_read_from_a_loopback_address() -> None:
    with running(CoordinatorServer(context_of())) as server:
        assert httpx.get(server.url, headers={"Host": "attacker.example"}).status_code == 421
        assert httpx.get(server.url, headers={"Host": "localhost"}).status_code == 404


def test_an_ipv6_address_is_answered_under_its_name() -> None:
    with running(CoordinatorServer(context_of(), "::1")) as server:
        assert server.url.startswith("http://[::1]:")
        assert httpx.get(server.url).status_code == 404


def test_a_slow_client_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.1)
    with (
        running(CoordinatorServer(context_of())) as server,
        socket.create_connection(("127.0.0.1", httpx.URL(server.url).port or 0), PATIENCE) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        with suppress(ConnectionResetError):  # if the server had not read the bytes yet
            assert connection.recv(1) == b""
