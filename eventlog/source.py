"""Many logs at once, as a follower reads them: what a stream is now, and its next events as they come."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from eventlog.errors import EventLogError
from eventlog.events import RecordedEvent


class StreamFacts(NamedTuple):
    """What a source says of a stream now.

    ``topic_id`` changes when a topic is deleted and made again; None where a stream can't be made again.
    ``delete_retention_ms`` is how long a tombstone stays readable; None: for ever. ``start_offset`` is the first
    offset that may still be read, ``end_offset`` that of the next event. ``warning`` is a sentence for the operator,
    empty where nothing is odd.
    """

    stream_name: str
    topic_id: str | None
    start_offset: int
    end_offset: int
    delete_retention_ms: int | None = None
    warning: str = ""


class Read(NamedTuple):
    """What a poll brought of one stream; ``next_offset`` may lie beyond the last event, and move without any."""

    stream_name: str
    events: Sequence[RecordedEvent]
    next_offset: int


class EventSource(Protocol):
    """A cluster, or a database, with streams to follow. Not safe for threads but for ``wake``; a context manager."""

    @property
    def backend(self) -> str:
        """``kafka`` or ``postgres``, as ``eventlog.log`` has it."""

    @property
    def cluster_id(self) -> str | None:
        """Which cluster this is; None where there is but one. Raises `SourceUnavailable`."""

    def stream_names(self) -> list[str]:
        """All of Samza's streams (``__samza_coordinator_*``, ``__samza_checkpoint_ver_1_for_*``), sorted."""

    def describe(self, stream_name: str) -> StreamFacts:
        """What the stream is now, asked afresh.

        Raises:
            StreamMissing: there is no such stream.
            StreamRefused: it cannot be followed (several partitions, not compacted).
            SourceUnavailable: nobody answers.
        """

    def end_offsets(self, stream_names: Sequence[str]) -> dict[str, int]:
        """The ends of streams, in one question; a stream that is gone is left out. Raises `SourceUnavailable`."""

    def read(self, stream_name: str, first: int, until: int) -> Iterator[RecordedEvent]:
        """Events in offset order from ``first`` to before ``until``, apart from what is assigned.

        It ends when the position reaches ``until``, also where no event is left there (compaction, control records).
        Raises `SourceUnavailable` where nothing came for long, `StreamMissing`, `OffsetLost`.
        """

    def assign(self, positions: Mapping[str, int]) -> None:
        """Follow these streams from these offsets on, and no others; those assigned before keep what is fetched."""

    def poll(self, timeout: float) -> list[Read]:
        """The next events of the assigned streams, at most so many seconds later; empty if none came.

        Fair: a stream with a long way to go does not keep others waiting.

        Raises:
            OffsetLost: a stream's next offset is not there any more: it must be described again.
            SourceUnavailable: nobody answers.
        """

    def wake(self) -> None:
        """Let a waiting ``poll`` return at once; may be called by a signal handler or another thread."""

    def close(self) -> None:
        """Give up what the source holds open."""


class SourceUnavailable(EventLogError):
    """Brokers or a database could not be reached: try again later, nothing is wrong with the data."""


class CredentialsRefused(SourceUnavailable):
    """The source does not accept who we say we are, or does not let us do this."""


class StreamMissing(EventLogError):
    """There is no such stream."""

    def __init__(self, stream_name: str, place: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"{place} has no stream {stream_name}: create it, or look at its name again")


class StreamRefused(EventLogError):
    """The stream cannot be followed as it is; the sentence says why, and what to do."""

    def __init__(self, stream_name: str, reason: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"{stream_name} cannot be followed: {reason}")


class OffsetLost(EventLogError):
    """The offset that was to be read next lies outside of the log: it was cut, or begins later now."""

    def __init__(self, stream_name: str, offset: int) -> None:
        self.stream_name = stream_name
        self.offset = offset
        super().__init__(f"offset {offset} of {stream_name} is not there to be read")
