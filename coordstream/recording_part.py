"""A stream as recordings hold it. A module by itself, since processes that import streams load it and little else."""

from collections.abc import Iterator
from dataclasses import dataclass

from eventlog.events import RecordedEvent
from eventlog.recordings.checked_recording import CheckedRecording
from eventlog.streams import StreamIdentity


@dataclass(frozen=True)
class Part:
    """A stream as it stands in one or more recordings, in the order of its offsets."""

    stream: StreamIdentity
    recordings: tuple[CheckedRecording, ...]
    count: int

    def events(self) -> Iterator[RecordedEvent]:
        """The stream's events, each time from the first."""
        for recording in self.recordings:
            yield from recording.events(self.stream.stream_name)
