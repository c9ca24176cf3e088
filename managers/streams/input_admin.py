"""What a job coordinator asks an input system: which streams there are, and how many partitions each has."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from eventlog.source import StreamFacts
from eventlog.streams import StreamIdentity


class InputAdmin(Protocol):
    """The admin of one system of a job, like `eventlog.kafka.admin.KafkaAdmin`. Not thread-safe."""

    def topic_names(self) -> Sequence[str]:
        """The names of all streams, sorted. Raises `SourceUnavailable`."""

    def partition_count(self, name: str) -> int:
        """The number of partitions of a stream. Raises `StreamMissing` or `SourceUnavailable`."""

    def create_topic(self, name: str, *, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> None:
        """Create a stream. Raises `LogExists` if it exists; it is not changed."""

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = -1, settings: Mapping[str, str]
    ) -> None:
        """Create one of a job's own streams, compacted, with one partition. Raises `LogExists` if it exists."""

    def describe(self, stream_name: str) -> StreamFacts:
        """Describe one of a job's own streams. Raises `StreamRefused` if it cannot be used."""

    def close(self) -> None:
        """Close the connections."""
