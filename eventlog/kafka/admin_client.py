"""A connection for questions about a cluster, made when the first is asked."""

from types import TracebackType
from typing import Any, Self

from kafka import KafkaAdminClient

from eventlog.kafka.client import Connected, connect
from eventlog.kafka.options import KafkaOptions


class AdminClient:
    """What asks a cluster: it connects at the first question. Not safe for threads; a context manager."""

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._connected: Connected | None = None

    def close(self) -> None:
        """Close the connection."""
        if self._connected is not None:
            self._connected.client.close()
            self._connected = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _client(self) -> Any:
        if self._connected is None:
            self._connected = connect(KafkaAdminClient, self._options)
        return self._connected.client
