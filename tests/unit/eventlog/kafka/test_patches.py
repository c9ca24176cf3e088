"""Connections end with their client, whatever they were doing; the peer here is a server that never answers."""

import gc
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from kafka import KafkaConsumer
from kafka.errors import KafkaConnectionError

from eventlog.kafka.client import TIMES, connect
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.patches import LargeReceives, make_net_client
from eventlog.source import SourceUnavailable
from tests.fixtures.waiting import PATIENCE, wait_until

MORE_THAN_IS_SENT = b"x" * (64 << 20)


class SilentServer:
    """It accepts connections and says nothing."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(PATIENCE)
        self.address = "{}:{}".format(*self._listener.getsockname())

    def accept(self) -> socket.socket:
        """The next connection, once its first bytes have come; they are not read."""
        peer, _ = self._listener.accept()
        peer.settimeout(PATIENCE)
        peer.recv(1, socket.MSG_PEEK)
        return peer

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def server() -> Iterator[SilentServer]:
    """A server for one test."""
    started = SilentServer()
    yield started
    started.close()


def connecting_client(address: str, **settings: Any) -> Any:
    """A client in whose own thread a connection is being made."""
    config = {"bootstrap_servers": address, **TIMES, **settings}
    client = make_net_client(**config)
    client._net.start()
    (broker,) = client.cluster.bootstrap_brokers()
    client._net.run(lambda: connection_to(client, broker).connected)
    return client


def connection_to(client: Any, broker: Any) -> Any:
    return client._manager.get_connection(broker.node_id)


def assert_closed(peer: socket.socket) -> None:
    """The other end is closed: what it has sent ends."""
    with suppress(ConnectionResetError):
        while peer.recv(1 << 20):
            pass
    peer.close()


def close_without_a_warning(client: Any) -> None:
    """Close, and let no socket be closed by the garbage collector only."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        client.close()
        gc.collect()
    assert warned == []


def test_a_connection_that_still_sends_is_closed(server: SilentServer) -> None:
    client = connecting_client(server.address, api_version=(0, 9))  # so old that it is not asked for more
    (connection,) = client._manager._conns.values()
    wait_until(lambda: connection.connected)
    transport = connection.transport
    client._net.run(lambda: transport.write(MORE_THAN_IS_SENT))
    peer = server.accept()
    wait_until(lambda: client._net.run(lambda: len(transport._write_buffer)))
    close_without_a_warning(client)
    assert_closed(peer)


def test_a_connection_that_is_made_while_the_client_closes_is_closed(server: SilentServer) -> None:
    client = connecting_client(server.address)
    client._net.run(client._manager.close)
    peer, _ = server._listener.accept()
    close_without_a_warning(client)
    assert_closed(peer)


@pytest.mark.parametrize("options", [{}, {"security_protocol": "SSL"}], ids=["plain", "encrypted"])
def test_a_server_that_never_answers_times_out(server: SilentServer, options: dict[str, str]) -> None:
    told: list[str] = []

    def try_it() -> None:
        try:
            connect(KafkaConsumer, KafkaOptions.parse(server.address, options), bootstrap_timeout_ms=200)
        except SourceUnavailable as error:
            told.append(str(error))

    thread = threading.Thread(target=try_it, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert [server.address in sentence for sentence in told] == [True]


def test_any_error_of_receiving_ends_the_connection() -> None:
    """A closed TLS connection raises ValueError. Without an error, kafka-python would wait for an answer forever."""

    class ClosedTls:
        def recv(self, _: int) -> bytes:
            raise ValueError("Read on closed or unwrapped SSL socket.")

    receiving = LargeReceives()
    receiving._sock = ClosedTls()
    received, error = receiving._sock_recv()
    assert (received, type(error)) == (b"", KafkaConnectionError)
