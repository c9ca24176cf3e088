"""Makes logs that Postgres keeps, as `eventlog.kafka.admin.KafkaAdmin` makes topics."""

from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import StreamIdentity


class PostgresAdmin:
    """The logs of one database. Hand it to `create_coordinator_stream` to make a job's coordinator stream there."""

    def __init__(self, database: str | Connection, *, clock: Clock = system_clock) -> None:
        """``database``: its URL, or a connection, which stays the caller's."""
        self._database: Final = database
        self._clock: Final = clock

    def create_stream(
        self,
        stream: StreamIdentity,
        *,
        replication_factor: int = -1,  # noqa: ARG002 (only brokers have copies and segments)
        segment_bytes: int | None = None,  # noqa: ARG002
    ) -> None:
        """Make an empty log of a stream; the other arguments are a topic's and have no meaning here.

        Raises:
            StreamExists: there is one, of whatever backend; nothing was changed.
        """
        PostgresEventLog.create(self._database, stream, clock=self._clock).close()
