"""A stream in recordings. This is a module of its own because the processes of an import load little else."""

from collections.abc import Iterator
from dataclasses import dataclass

from eventlog.events import RecordedEvent
from eventlog.recording_spool import CheckedRecording
from eventlog.streams import StreamIdentity


@dataclass(frozen=True)
class Part:
    """One stream of one or more recordings, in the order of its offsets."""

    stream: StreamIdentity
    recordings: tuple[CheckedRecording, ...]
    count: int

    def events(self) -> Iterator[RecordedEvent]:
        """The stream's events, each time from the first."""
        for recording in self.recordings:
            yield from recording.events(self.stream.stream_name)
