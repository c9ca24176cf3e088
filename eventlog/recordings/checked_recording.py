"""A recording that was read to its end, and its records by topic, without reading the file again for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from eventlog.events import RecordedEvent
from eventlog.recordings.line_spool import LineSpool
from eventlog.recordings.recording import read_lines, read_recording
from eventlog.recordings.recording_line import decode_line


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """How many records of a topic a recording holds, and the first and the last offset."""

    count: int
    first_offset: int
    last_offset: int


@dataclass(frozen=True)
class CheckedRecording:
    """A good recording: its first ``head_count`` records are of one topic, what follows is in the spool by topic.

    So a file of one topic is never copied.
    """

    path: Path
    summaries: Mapping[str, TopicSummary]
    head_count: int
    spool: LineSpool

    def events(self, topic: str) -> Iterator[RecordedEvent]:
        """A topic's records in the order of the file, each time from the first; none of what was appended since.

        Raises `RecordingError` where the file has changed so that it can no longer be read.
        """
        if topic == next(iter(self.summaries), None):
            yield from (event for _, event in islice(read_recording(self.path), self.head_count))
        yield from (decode_line(line)[1] for line in self.spool.lines((self.path, topic)))


def check_recording(path: Path, spool: LineSpool) -> CheckedRecording:
    """Read a whole recording once and say what it holds. Raises `RecordingError` as `read_recording` does."""
    summaries: dict[str, TopicSummary] = {}
    head_count = 0
    for topic, event, line in read_lines(path):
        known = summaries.get(topic)
        count, first = (0, event.offset) if known is None else (known.count, known.first_offset)
        summaries[topic] = TopicSummary(count + 1, first, event.offset)
        if len(summaries) == 1:
            head_count += 1
        else:
            spool.add((path, topic), line)
    spool.flush()
    return CheckedRecording(path, summaries, head_count, spool)
