"""Where a job coordinator listens, and what its URL is."""

import socket

import httpx
import pytest

from coordstream.coordinator.address import AddressUnavailable, listen, reachable_host
from coordstream.coordinator.http_server import CoordinatorServer
from tests.coordstream.coordinator.serving import context_of, running


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
    listen("127.0.0.1", port).close()


def test_a_taken_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(AddressUnavailable) as caught:
            CoordinatorServer(context_of(), port=port)
    assert str(caught.value) == (
        f"Cannot listen at 127.0.0.1:{port}: the port is already in use. Choose another one, or 0 for a free one."
    )


def test_an_address_of_another_machine() -> None:
    with pytest.raises(AddressUnavailable, match=r"^Cannot listen at 192\.0\.2\.1:0: this machine does not have"):
        listen("192.0.2.1", 0)


def test_pages_of_other_hosts_cannot_read_from_a_loopback_address() -> None:
    with running(CoordinatorServer(context_of())) as server:
        assert httpx.get(server.url, headers={"Host": "attacker.example"}).status_code == 400
        assert httpx.get(server.url, headers={"Host": "localhost"}).status_code == 404
