"""The interface of an event source: many logs that a follower reads at once, with its errors."""

import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, Self

from eventlog.errors import EventLogError, did_you_mean
from eventlog.events import RecordedEvent
from eventlog.streams import has_samza_name

KAFKA: Final = "kafka"
POSTGRES: Final = "postgres"
RECORDING: Final = "recording"
_NO_LEADER: Final = "has no leader for {}. Check that the brokers with the replicas run."

DATABASE: Final = "The database"
"""The place of logs in Postgres, at the beginning of a sentence."""

APPEND_SECONDS: Final = 30.0
"""How long brokers may take to acknowledge an append, and another writer of a log in Postgres to commit its own."""

FOREVER_MS: Final = 2**63 - 1
"""The retention of tombstones that are never removed: Kafka's longest one, and that of logs in Postgres."""


class Closing:
    """A context manager that closes itself."""

    def close(self) -> None:
        """Close connections and files."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class StreamFacts(NamedTuple):
    """The current state of a stream.

    ``topic_id`` changes when a topic is re-created; None if streams cannot be re-created. ``start_offset`` is the first
    offset that is retained, ``end_offset`` that of the next event. ``delete_retention_ms`` is how long a tombstone is
    retained (`FOREVER_MS`: without limit); None: unknown. ``warning`` is a sentence for the operator; empty if there is
    none.
    """

    stream_name: str
    topic_id: str | None
    start_offset: int
    end_offset: int
    delete_retention_ms: int | None = FOREVER_MS
    warning: str = ""


class Read(NamedTuple):
    """What a poll read of one stream. ``next_offset`` may be beyond the last event, and may change without events."""

    stream_name: str
    events: Sequence[RecordedEvent]
    next_offset: int


class EventSource(Protocol):
    """A cluster or database with streams to follow. Only ``wake`` is thread-safe. A context manager."""

    @property
    def backend(self) -> str:
        """``kafka`` or ``postgres``, as in the table ``eventlog.log``."""

    @property
    def cluster_id(self) -> str | None:
        """The id of the cluster; None if the source has none. Raises `SourceUnavailable`."""

    def stream_names(self) -> list[str]:
        """All streams with names of Samza's (see `has_samza_name`), sorted."""

    def describe(self, stream_name: str) -> StreamFacts:
        """The current state of a stream, never cached.

        Raises `StreamMissing`: there is no such stream; `StreamRefused`: it cannot be followed (several partitions, not
        compacted); `SourceUnavailable`: no broker or database answers; `StreamUnavailable`: only the stream is
        unavailable.
        """

    def end_offsets(self, stream_names: Sequence[str]) -> dict[str, int]:
        """The ends of streams. Missing ones are left out, and those re-created since they were described.

        Raises `SourceUnavailable`; `StreamUnavailable` if others of the streams have ends.
        """

    def read(self, stream_name: str, first: int, until: int) -> Iterator[RecordedEvent]:
        """Events of a described stream, from ``first`` to before ``until`` in offset order, whatever is assigned.

        It ends when the position reaches ``until``, even without an event there (compaction, control records).
        Raises `SourceUnavailable` (also after a long time without an event), `StreamMissing` or `OffsetLost`.
        """

    def assign(self, positions: Mapping[str, int]) -> None:
        """Follow exactly these described streams, from these offsets on. Events already fetched for one are kept."""

    def poll(self, timeout: float) -> list[Read]:
        """The next events of the assigned streams; empty if none arrive within ``timeout`` seconds.

        A stream with many events does not keep the others waiting. Raises `OffsetLost`: the next offset of a stream no
        longer exists; describe the stream again; `SourceUnavailable`: no broker or database answers.
        """

    def wake(self) -> None:
        """Make a waiting ``poll`` return at once; safe in a signal handler and from another thread."""

    def close(self) -> None:
        """Close all connections."""


class SourceUnavailable(EventLogError):
    """Brokers or a database could not be reached. A retry may succeed; the data is not affected."""


class ConnectionEnded(SourceUnavailable):
    """Cannot reach the database of the logs: the connection of this log has ended. Open the log again."""


class StreamUnavailable(SourceUnavailable):
    def __init__(self, stream_names: Sequence[str], place: str, problem: str = _NO_LEADER) -> None:
        self.stream_names = list(stream_names)
        self.place, self.problem = place, problem
        names = ", ".join(self.stream_names[:3]) + (", …" if len(self.stream_names) > 3 else "")
        super().__init__(f"{place} {problem.format(names)}")


class CredentialsRefused(SourceUnavailable):
    """The source rejected the credentials, or the user lacks a permission."""


class StreamMissing(EventLogError):
    """There is no such stream."""

    def __init__(self, stream_name: str, place: str) -> None:
        self.stream_name = stream_name
        super().__init__(no_stream(stream_name, place))


class StreamRefused(EventLogError):
    """The stream cannot be followed; the message says why and what to do."""

    def __init__(self, stream_name: str, reason: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"{stream_name} cannot be followed: {reason}.")


class OffsetLost(EventLogError):
    """The next offset is gone: the log was truncated, starts later, or its topic was deleted or re-created."""

    def __init__(self, stream_name: str, offset: int) -> None:
        self.stream_name = stream_name
        self.offset = offset
        why = "it was deleted, or the stream was truncated or re-created"
        super().__init__(f"Offset {offset} of {stream_name} does not exist: {why}. Read from the oldest offset.")


def no_stream(stream_name: str, place: str, known: Iterable[str] = ()) -> str:
    """The message for a stream that does not exist. On Kafka, `log create` creates only streams of job metadata."""
    command = " with `coordstream log create`" if place == DATABASE or has_samza_name(stream_name) else ""
    meant = did_you_mean(stream_name, known)
    return f"{place} has no stream {stream_name}. Create it{command}, or check the name.{meant}"


def connection_failure(host: str, port: int, seconds: float) -> str:
    """Connect once and return why that failed within this time; empty if it did not. An IPv6 host may have brackets."""
    try:
        socket.create_connection((host.strip("[]"), port), timeout=seconds).close()
    except (OSError, OverflowError, UnicodeError) as error:  # a port above 65535, a host with two dots in a row
        return getattr(error, "strerror", None) or "no answer"
    return ""
