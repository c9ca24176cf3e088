"""Reads logs from a lake that `coordstream spark archive` wrote, in a folder that every executor can open."""

from collections.abc import Iterator

from eventlog.events import RecordedEvent
from eventlog.streams import identify
from spark_jobs.data_source.log_range import Log, LogRange
from spark_jobs.data_source.options import SourceOptions
from spark_jobs.errors import SparkJobError
from spark_jobs.lake.files import load_lake, read_log
from spark_jobs.lake.manifest import LakeFile, LakeLog, LogKey


class LakeLogReader:
    """See `LogReader`. The logs are all incarnations of the streams. Raises LakeError if the lake is damaged."""

    def __init__(self, output: str) -> None:
        self._output = output
        self._lake = load_lake(output)

    def logs(self, options: SourceOptions) -> list[LogRange]:
        """See `LogReader.logs`."""
        logs = [log for key, log in sorted(self._lake.logs.items()) if options.matches(key.stream_name)]
        if missing := options.missing({log.stream_name for log in logs}):
            raise SparkJobError(f"Lake '{self._output}' has no stream '{missing[0]}'. Check the name.")
        return [self._range(log) for log in logs]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`. Raises LakeError: a file was removed or changed."""
        archived = read_log(self._output, self._files(wanted))
        return (event for event, _ in archived if wanted.first <= event.offset < wanted.until)

    def close(self) -> None:
        """Nothing is open between two reads."""

    def _range(self, log: LakeLog) -> LogRange:
        kind = identify(log.stream_name, log.stream_kind).stream_kind
        first = min((file.first_offset for file in self._lake.files_of([log.key])), default=log.next_offset)
        return LogRange(Log(log.stream_name, kind, log.incarnation, topic_id=log.topic_id), first, log.next_offset)

    def _files(self, wanted: LogRange) -> list[LakeFile]:
        key = LogKey(wanted.log.stream_name, wanted.log.incarnation or 1)
        files = self._lake.files_of([key])
        return [file for file in files if file.last_offset >= wanted.first and file.first_offset < wanted.until]
