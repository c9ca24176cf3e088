"""Creates logs in Postgres, as `eventlog.kafka.admin.KafkaAdmin` creates topics."""

from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import StreamIdentity


class PostgresAdmin:
    """The logs of one database; an argument of `create_coordinator_stream`."""

    def __init__(self, database: str | Connection, *, clock: Clock = system_clock) -> None:
        """``database`` is its URL, or a connection that the caller closes."""
        self._database: Final = database
        self._clock: Final = clock

    def create_stream(
        self,
        stream: StreamIdentity,
        *,
        replication_factor: int = -1,  # noqa: ARG002 (an option of topics)
        segment_bytes: int | None = None,  # noqa: ARG002
    ) -> None:
        """Create an empty log of a stream. The other arguments, for topics, are ignored.

        Raises:
            StreamExists: the stream has a log, of any backend; nothing was changed.
        """
        PostgresEventLog.create(self._database, stream, clock=self._clock).close()
