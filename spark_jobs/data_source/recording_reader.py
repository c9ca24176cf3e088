"""Reads logs from a recording, a file or a folder that every executor can open."""

from collections.abc import Iterator
from pathlib import Path

from eventlog.events import RecordedEvent
from eventlog.recording import read_recording
from eventlog.streams import identify
from spark_jobs.data_source.log_range import Log, LogRange
from spark_jobs.data_source.options import SourceOptions
from spark_jobs.errors import SparkJobError
from spark_jobs.recordings import find_files


class RecordingReader:
    """See `LogReader`. Each topic of each file is read as a log of its own."""

    def __init__(self, path: str) -> None:
        self._path = path
        if not Path(path).exists():
            raise SparkJobError(
                f"Invalid value '{path}' of the option 'from'. Expected 'archive', 'kafka', or a lake or recording."
            )

    def logs(self, options: SourceOptions) -> list[LogRange]:
        """See `LogReader.logs`. Reads the files to their ends."""
        found = [log for path in find_files(self._path) for log in _logs_of(path, options)]
        if missing := options.missing({log.log.stream_name for log in found}):
            raise SparkJobError(f"'{self._path}' has no stream '{missing[0]}'. Check the name.")
        return found

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`. Reads the file from its start."""
        records = read_recording(Path(wanted.log.path or ""))
        return (
            event
            for topic, event in records
            if topic == wanted.log.stream_name and wanted.first <= event.offset < wanted.until
        )

    def close(self) -> None:
        """Nothing is open between two reads."""


def _logs_of(path: Path, options: SourceOptions) -> list[LogRange]:
    bounds: dict[str, tuple[int, int]] = {}
    for topic, event in read_recording(path):
        first, _ = bounds.get(topic, (event.offset, 0))
        bounds[topic] = (first, event.offset + 1)
    return [
        LogRange(Log(topic, identify(topic).stream_kind, path=str(path)), first, until)
        for topic, (first, until) in bounds.items()
        if options.matches(topic)
    ]
