"""An input system in a folder, with a file for each stream: it survives a process that is killed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from eventlog.log import StreamExists
from eventlog.source import StreamFacts, StreamMissing
from eventlog.streams import StreamIdentity


class FolderOfStreams:
    """See `InputAdmin`. ``acted`` is called after each stream that is created."""

    def __init__(self, folder: Path, acted: Callable[[], None] = lambda: None) -> None:
        self._folder = folder
        self._acted = acted

    def topic_names(self) -> Sequence[str]:
        return sorted(path.name for path in self._folder.iterdir())

    def partition_count(self, name: str) -> int:
        path = self._folder / name
        if not path.exists():
            raise StreamMissing(name, str(self._folder))
        return int(path.read_text())

    def set_partition_count(self, name: str, partitions: int) -> None:
        (self._folder / name).write_text(str(partitions))

    def create_topic(self, name: str, *, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> None:
        del replication_factor, settings
        if (self._folder / name).exists():
            raise StreamExists(name, str(self._folder))
        self.set_partition_count(name, partitions)
        self._acted()

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = -1, settings: Mapping[str, str] | None = None
    ) -> None:
        self.create_topic(
            stream.stream_name, partitions=1, replication_factor=replication_factor, settings=settings or {}
        )

    def describe(self, stream_name: str) -> StreamFacts:
        self.partition_count(stream_name)
        return StreamFacts(stream_name, None, 0, 0, None, "")

    def close(self) -> None:
        """Do nothing."""
