"""A recording that was checked to its end, with its records by topic."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from eventlog.events import RecordedEvent
from eventlog.recordings.line_spool import LineSpool
from eventlog.recordings.recording import read_lines, read_recording
from eventlog.recordings.recording_line import decode_line


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """The number of records of a topic in a recording, and the first and the last offset."""

    count: int
    first_offset: int
    last_offset: int


@dataclass(frozen=True)
class CheckedRecording:
    """A valid recording. Its first ``head_count`` records are of one topic; the spool has the others by topic.

    A recording of one topic is never copied.
    """

    path: Path
    summaries: Mapping[str, TopicSummary]
    head_count: int
    spool: LineSpool

    def events(self, topic: str) -> Iterator[RecordedEvent]:
        """A topic's records in the order of the file, without those that were appended after the check.

        Each call starts at the first record. Raises `RecordingError` if the file was changed and is now invalid.
        """
        if topic == next(iter(self.summaries), None):
            yield from (event for _, event in islice(read_recording(self.path), self.head_count))
        yield from (decode_line(line)[1] for line in self.spool.lines((self.path, topic)))


def check_recording(path: Path, spool: LineSpool, topics: Collection[str] | None = None) -> CheckedRecording:
    """Read a whole recording once and summarise its topics. Raises `RecordingError` as `read_recording` does.

    ``topics``: only these will be read from it (None: all), so the spool does not need the lines of others.
    """
    counts: Counter[str] = Counter()
    firsts: dict[str, int] = {}
    lasts: dict[str, int] = {}
    head_count = 0
    for topic, event, line in read_lines(path):
        counts[topic] += 1
        firsts.setdefault(topic, event.offset)
        lasts[topic] = event.offset
        if len(lasts) == 1:
            head_count += 1
        elif topics is None or topic in topics:
            spool.add((path, topic), line)
    spool.flush()
    summaries = {topic: TopicSummary(count, firsts[topic], lasts[topic]) for topic, count in counts.items()}
    return CheckedRecording(path, summaries, head_count, spool)
