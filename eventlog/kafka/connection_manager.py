"""Connections to brokers that are always closed with their client."""

import ssl
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from kafka.errors import KafkaConnectionError
from kafka.net.compat import KafkaNetClient
from kafka.net.inet import KafkaNetSocket, create_connection
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

_CLOSING_SOCKETS: Final = "direct://"
_RECEIVED_BYTES: Final = 1 << 20


class _ClosingSocket(KafkaNetSocket):  # type: ignore[misc]  # kafka-python has no types
    """Sockets that are closed if connecting fails; kafka-python would leave hundreds open in an outage of 30 s.

    kafka-python chooses the class of a socket by the scheme of the proxy's address.
    """

    SCHEMES = ("direct",)

    async def sock_connect(self, net: Any, sock: Any, sockaddr: Any, timeout_at: float | None = None) -> Any:
        """See `KafkaNetSocket`."""
        try:
            return await super().sock_connect(net, sock, sockaddr, timeout_at)
        except BaseException:
            sock.close()
            raise


class LargeReceives:
    """Receives all that has arrived at once.

    kafka-python asks for 4 KiB at a time, and its thread gives up the interpreter's lock each time: beside a thread
    that computes, it then receives 4 KiB every 5 ms.
    """

    _sock: Any

    def _sock_recv(self) -> tuple[bytes, KafkaConnectionError | None]:
        """The bytes that have arrived, and why the connection ended, if it did."""
        received, error = [], None
        try:
            while data := self._sock.recv(_RECEIVED_BYTES):
                received.append(data)
            error = KafkaConnectionError("socket disconnected")
        except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except Exception as failure:  # not only OSError: a closed TLS connection raises ValueError
            error = KafkaConnectionError(failure)
        return b"".join(received), error


class _TcpTransport(LargeReceives, KafkaTCPTransport):  # type: ignore[misc]
    """A connection without encryption."""


class _TlsTransport(LargeReceives, KafkaSSLTransport):  # type: ignore[misc]
    """An encrypted connection whose handshake times out; kafka-python waits forever for a silent peer."""

    async def handshake(self, timeout_at: float | None = None) -> None:
        """Do the TLS handshake. Raises `KafkaTimeoutError` and errors of `ssl`."""
        while True:
            try:
                self._sock.do_handshake()
            except ssl.SSLWantReadError:
                await self._net.wait_read(self._sock, timeout_at)
            except ssl.SSLWantWriteError:
                await self._net.wait_write(self._sock, timeout_at)
            else:
                return


class ClosingConnections(KafkaConnectionManager):  # type: ignore[misc]
    """Connections whose sockets are all closed after `close`.

    kafka-python closes them in the caller's thread while its own thread uses them. A connection with a request to send,
    in its handshake or being opened then stays open. Here they are closed in kafka-python's thread.
    """

    def __init__(self, net: Any, failed: Callable[[Any], object], **config: Any) -> None:
        """``failed`` is called with the error of each connection that fails."""
        super().__init__(net, **config)
        self._failed = failed
        self._transports: WeakSet[Any] = WeakSet()

    def get_connection(self, *arguments: Any, **options: Any) -> Any:
        """A connection, opened if necessary. kafka-python only logs why one fails."""
        connection = super().get_connection(*arguments, **options)
        connection.init_future.add_errback(self._failed)
        return connection

    def close(self, node_id: Any = None, timeout_ms: int | None = None) -> None:
        """Close the connection to one broker, or all of them finally."""
        if node_id is not None or self.closed:
            super().close(node_id, timeout_ms)
            return
        try:
            self._net.run(self._close_all)
        except Exception:  # its thread has crashed
            self._close_all()

    def _close_all(self) -> None:
        super().close()
        for transport in list(self._transports):
            transport._close()  # noqa: SLF001 (``close`` waits until all requests are sent)

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        proxy = self.config["proxy_url"] or _CLOSING_SOCKETS
        options = self.config["socket_options"]
        sock = await create_connection(self._net, node.host, node.port, options, proxy, timeout_at)
        if not self.ssl_enabled:
            return self._remember(_TcpTransport(self._net, sock, host=node.host))
        tls = {key: value for key, value in self.config.items() if key.startswith("ssl_")}
        try:
            transport = self._remember(_TlsTransport(self._net, sock, host=node.host, **tls))
        except BaseException:
            sock.close()
            raise
        try:
            await transport.handshake(timeout_at)
        except BaseException as error:
            transport.close()
            if isinstance(error, Exception):
                raise KafkaConnectionError(f"Handshake failed: {error}") from error
            raise
        return transport

    def _remember(self, transport: Any) -> Any:
        self._transports.add(transport)
        return transport


def make_net_client(failed: Callable[[Any], object] = lambda _: None, **config: Any) -> Any:
    """The ``kafka_client`` of kafka-python's clients; it leaves no socket open."""
    net = NetworkSelector(**config)
    try:
        return KafkaNetClient(net, ClosingConnections(net, failed, **config))
    except BaseException:
        net.close()
        raise
