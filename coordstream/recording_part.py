"""A stream as recordings hold it. A module by itself, since processes that import streams load it and little else."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eventlog.events import RecordedEvent
from eventlog.recording import read_recording
from eventlog.streams import StreamIdentity


@dataclass(frozen=True)
class Part:
    """A stream as it stands in one or more files, in the order of its offsets."""

    stream: StreamIdentity
    files: tuple[Path, ...]
    count: int

    def events(self) -> Iterator[RecordedEvent]:
        """The stream's events, read from the files anew."""
        for file in self.files:
            yield from (event for topic, event in read_recording(file) if topic == self.stream.stream_name)
