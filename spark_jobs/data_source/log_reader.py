"""The options of the data source, and what it reads from besides the archive: Kafka, recordings, and a lake."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from eventlog.errors import did_you_mean
from eventlog.events import RecordedEvent
from eventlog.kafka.options import KafkaOptions, require_brokers
from eventlog.recording import read_recording
from eventlog.recording_spool import LineSpool, check_recording
from eventlog.streams import identify
from spark_jobs.data_source.archive_reader import ArchiveReader
from spark_jobs.data_source.log_range import Log, LogRange
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.place import ARCHIVE, KAFKA, is_lake, local_path
from spark_jobs.recordings import find_files

if TYPE_CHECKING:
    from spark_jobs.lake.table import LogKey

_WILDCARDS: Final = frozenset("*?[")


@dataclass(frozen=True)
class SourceOptions:
    """What to read.

    `streams` are names and patterns of streams; `origin` is `archive`, `kafka` or the path of a lake or recording.
    `starting_offsets`, for streams only: `earliest`, `latest`, or JSON with an offset by stream name.
    """

    streams: tuple[str, ...] = ("*",)
    origin: str = ARCHIVE
    offsets_per_partition: int = 200_000
    starting_offsets: str = "earliest"
    max_offsets_per_trigger: int | None = None

    def matches(self, stream_name: str) -> bool:
        return any(fnmatchcase(stream_name, pattern) for pattern in self.streams)


def parse_options(options: Mapping[str, str]) -> SourceOptions:
    """Parse the options of `spark.read`. Raises SparkJobError, which names the option and what is expected."""
    known = {name.lower(): name for name in _OPTIONS}
    given = {}
    for name, text in options.items():
        if (option := known.get(name.lower())) is None:
            raise SparkJobError(
                f"Unknown option '{name}' of coordinator_stream, which reads events. Known options: "
                f"{', '.join(_OPTIONS)}. Read a relation with coordstream.spark.read_relation."
            )
        field, parse = _OPTIONS[option]
        given[field] = parse(option, text)
    return SourceOptions(**given)


def _streams(_name: str, text: str) -> tuple[str, ...]:
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    if not names:
        raise SparkJobError("The option 'streams' is empty. Expected names or patterns, for example '*'.")
    return names


def _origin(_name: str, text: str) -> str:
    """What to read from; a local path is absolute, since executors have working directories of their own."""
    if not text:
        raise SparkJobError("The option 'from' is empty. Expected 'archive', 'kafka', or a lake or recording.")
    local = None if text in (ARCHIVE, KAFKA) else local_path(text)
    return text if local is None else str(local.absolute())


def _count(name: str, text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise SparkJobError(f"Invalid value {text!r} of the option '{name}'. Expected a number above 0.")
    return int(text)


_OPTIONS: Final[Mapping[str, tuple[str, Callable[[str, str], Any]]]] = {
    "streams": ("streams", _streams),
    "from": ("origin", _origin),
    "offsetsPerPartition": ("offsets_per_partition", _count),
    "startingOffsets": ("starting_offsets", lambda _, text: text),
    "maxOffsetsPerTrigger": ("max_offsets_per_trigger", _count),
}


class LogReader(Protocol):
    """Finds logs, in the driver, and reads ranges of them, in the executors."""

    place: str
    """What it reads, at the start of a sentence."""

    def logs(self, matches: Callable[[str], bool]) -> list[LogRange]:
        """The logs with matching names, each from its first retained event to its end. Raises SparkJobError."""

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """The events of a range, in order. Raises SparkJobError or EventLogError."""

    def close(self) -> None:
        """Close all connections, if any are open between two reads."""
        return


def open_reader(origin: str, settings: LogTaskSettings) -> LogReader:
    """The reader of `archive`, `kafka`, or the path of a lake or recording. Raises SparkJobError: it does not open."""
    if origin == ARCHIVE:
        return ArchiveReader(settings.database_url)
    if origin == KAFKA:
        return TopicReader(require_brokers(settings.kafka))
    return LakeReader(origin) if is_lake(origin) else RecordingReader(origin)


def find_logs(reader: LogReader, options: SourceOptions) -> list[LogRange]:
    """The logs that the options name. Raises SparkJobError: a name, other than a pattern, is none of them."""
    names: set[str] = set()

    def matches(name: str) -> bool:
        names.add(name)
        return options.matches(name)

    found = reader.logs(matches)
    if missing := [name for name in options.streams if not _WILDCARDS & set(name) and name not in names]:
        near = did_you_mean(missing[0], sorted(names))
        raise SparkJobError(f"{reader.place} has no stream '{missing[0]}'. Check the name.{near}")
    return found


class TopicReader:
    """See `LogReader`. A log is a topic, identified by its id; only the archive numbers incarnations."""

    def __init__(self, kafka: KafkaOptions) -> None:
        from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415 (loads kafka-python)
        from eventlog.kafka.ranges import RangeReader  # noqa: PLC0415

        self.place = kafka.place
        self._admin = KafkaAdmin(kafka)
        self._ranges = RangeReader(kafka, self._admin)
        self._checked: set[tuple[str, str | None]] = set()

    def logs(self, matches: Callable[[str], bool]) -> list[LogRange]:
        """See `LogReader.logs`. Raises `StreamRefused` for a topic with several partitions or without compaction."""
        topic_ids = self._admin.topic_ids(list(filter(matches, self._admin.stream_names())))
        for name, topic_id in topic_ids.items() - self._checked:
            self._admin.describe(name)
            self._checked.add((name, topic_id))
        bounds = self._admin.all_bounds(list(topic_ids))
        return [
            LogRange(Log(name, identify(name).stream_kind, topic_id=topic_ids[name]), start, end)
            for name, (start, end) in sorted(bounds.items())
        ]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`. Raises `OffsetLost` if the topic was re-created since the range was planned."""
        log = wanted.log
        return self._ranges.read(log.stream_name, log.topic_id, wanted.first, wanted.until)

    def close(self) -> None:
        self._ranges.close()
        self._admin.close()


class RecordingReader(LogReader):
    """See `LogReader`. Each topic of each file is read as a log of its own."""

    def __init__(self, path: str) -> None:
        self._path, self.place = path, f"'{path}'"
        if not Path(path).exists():
            raise SparkJobError(
                f"Invalid value '{path}' of the option 'from'. Expected 'archive', 'kafka', or a lake or recording."
            )

    def logs(self, matches: Callable[[str], bool]) -> list[LogRange]:
        """See `LogReader.logs`. Reads the files to their ends."""
        with LineSpool() as spool:
            return [
                LogRange(
                    Log(topic, identify(topic).stream_kind, path=str(path)), found.first_offset, found.last_offset + 1
                )
                for path in find_files(self._path)
                for topic, found in check_recording(path, spool, ()).summaries.items()
                if matches(topic)
            ]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`. Reads the file from its start."""
        records = read_recording(Path(wanted.log.path or ""))
        return (
            event
            for topic, event in records
            if topic == wanted.log.stream_name and wanted.first <= event.offset < wanted.until
        )


class LakeReader(LogReader):
    """See `LogReader`. The logs are all incarnations of the streams. Raises LakeError if the lake cannot be read."""

    def __init__(self, output: str) -> None:
        from spark_jobs.lake.table import open_lake  # noqa: PLC0415 (loads deltalake, of another extra)

        self.place = f"Lake '{output}'"
        self._lake = open_lake(output)

    def logs(self, matches: Callable[[str], bool]) -> list[LogRange]:
        return [self._range(key) for key in sorted(self._lake.logs) if matches(key.stream_name)]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`. Raises LakeError: a file was removed or cannot be read."""
        from spark_jobs.lake.log_files import LogFiles, pages_of  # noqa: PLC0415 (see `__init__`)
        from spark_jobs.lake.table import LogKey  # noqa: PLC0415

        key = LogKey(wanted.log.stream_name, wanted.log.incarnation or 0)
        for table in LogFiles.of(self._lake, key).read(wanted.first, wanted.until):
            yield from (event for page in pages_of(table) for event in page.events)

    def _range(self, key: "LogKey") -> LogRange:
        log, until = self._lake.logs[key], self._lake.position(key)
        kind = identify(log.stream_name, log.stream_kind).stream_kind
        first = min((file.first for file in self._lake.files_of(key)), default=until)
        return LogRange(Log(log.stream_name, kind, log.incarnation), first, until)
