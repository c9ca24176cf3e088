"""Everything that uses or replaces a private member of kafka-python (3.0.12): the only module that does.

- Transport ``_sock``, ``_sock_recv``: it asks for 4 KiB at a time, and gives up the interpreter's lock each time;
  beside a thread that computes, it then receives 4 KiB every 5 ms. Goes with a version that receives all that has
  arrived.
- Transport ``_net``: a TLS handshake waits forever for a silent peer. Goes with a version that limits its time.
- Transport ``_close``: ``close`` first waits until all requests are sent. Goes with a close that does not.
- Connection manager ``_net``, ``_build_transport``: it makes the transports above; and kafka-python closes sockets in
  the caller's thread while its own thread uses them, so that some stay open. Goes with a version that closes all.
- Cluster metadata ``_topics``: ``set_topics`` keeps topics that are no longer needed, and then logs an error every
  few seconds if one of them was deleted. Goes with a version that forgets them.
- Admin client ``_async_get_leader_for_partitions``: it asks for leaders before each query of offsets, also if they
  are known, and fails without naming the topics without a leader. Goes with a version that names them.
- Producer ``_sender``: ``close`` waits for events that cannot be sent. Goes with a close that drops them.

3.0.12 is the newest release, and changes none of these. ``tests/house`` holds that no other module names a private
member.
"""

import ssl
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final
from weakref import WeakSet

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaConnectionError, LeaderNotAvailableError
from kafka.net.compat import KafkaNetClient
from kafka.net.inet import KafkaNetSocket, create_connection
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

_CLOSING_SOCKETS: Final = "direct://"
_RECEIVED_BYTES: Final = 1 << 20
_NO_LEADER: Final = -1


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
    """Receives all that has arrived at once."""

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
    """An encrypted connection whose handshake times out."""

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
    """Connections whose sockets are all closed after `close`, in kafka-python's thread."""

    def __init__(self, net: Any, failed: Callable[[Any], object], **config: Any) -> None:
        """``failed`` is called with the error of each connection that fails."""
        super().__init__(net, **config)
        self._report_failure = failed
        self._transports: WeakSet[Any] = WeakSet()

    def get_connection(self, *arguments: Any, **options: Any) -> Any:
        """A connection, opened if necessary. kafka-python only logs why one fails."""
        connection = super().get_connection(*arguments, **options)
        connection.init_future.add_errback(self._report_failure)
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
            transport._close()  # noqa: SLF001

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        options = self.config["socket_options"]
        sock = await create_connection(self._net, node.host, node.port, options, _CLOSING_SOCKETS, timeout_at)
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


class NetClient(KafkaNetClient):  # type: ignore[misc]
    """The connections of a client, with the thread that serves them (``selector``); it leaves no socket open."""

    def __init__(self, selector: Any, manager: Any) -> None:
        super().__init__(selector, manager)
        self.selector = selector
        self.manager = manager


def make_net_client(failed: Callable[[Any], object] = lambda _: None, **config: Any) -> NetClient:
    """The ``kafka_client`` of kafka-python's clients."""
    selector = NetworkSelector(**config)
    try:
        return NetClient(selector, ClosingConnections(selector, failed, **config))
    except BaseException:
        selector.close()
        raise


def keep_metadata_of(cluster: Any, topics: Collection[str]) -> None:
    """Let a client request the metadata of these topics, and no longer of others."""
    cluster.set_topics(topics)
    cluster._topics = set(topics)  # noqa: SLF001


class NoLeader(LeaderNotAvailableError):  # type: ignore[misc]
    """Partitions of these topics have no leader."""

    def __init__(self, topics: Iterable[str]) -> None:
        super().__init__()
        self.topics = sorted(topics)


class LeaderKeepingAdmin(KafkaAdminClient):  # type: ignore[misc]
    """An admin client with the leaders of earlier answers.

    Each leader is used once, so that the leader is requested again after a query that failed. Raises `NoLeader`.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self.leaders: dict[TopicPartition, int] = {}

    async def _async_get_leader_for_partitions(self, partitions: Iterable[TopicPartition]) -> Any:
        leaders = {partition: self.leaders.pop(partition, _NO_LEADER) for partition in partitions}
        if _NO_LEADER in leaders.values():
            found = await super()._async_get_leader_for_partitions(partitions)
            if _NO_LEADER in found:
                raise NoLeader(partition.topic for partition in found[_NO_LEADER])
            return found
        led = defaultdict(set)
        for partition, leader in leaders.items():
            led[leader].add(partition)
        return led


def close_without_sending(producer: Any, seconds: float) -> None:
    """Close a producer without sending what it has not sent yet, and wait so long for its thread."""
    producer._sender.force_close()  # noqa: SLF001
    producer._sender.join(seconds)  # noqa: SLF001
    producer.close(timeout=0)
