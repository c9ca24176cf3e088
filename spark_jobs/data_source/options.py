"""The options of the data source."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from spark_jobs.errors import SparkJobError
from spark_jobs.place import local_path

ARCHIVE: Final = "archive"
KAFKA: Final = "kafka"
OFFSETS_PER_PARTITION: Final = 200_000

_NAMES: Final = ("streams", "from", "offsetsPerPartition", "startingOffsets", "maxOffsetsPerTrigger")
_WILDCARDS: Final = frozenset("*?[")


@dataclass(frozen=True)
class SourceOptions:
    """What to read.

    `streams` are names and patterns of streams; `origin` is `archive`, `kafka` or the path of a lake or recording.
    `starting_offsets`, for streams only: `earliest`, `latest`, or JSON with an offset by stream name.
    """

    streams: tuple[str, ...] = ("*",)
    origin: str = ARCHIVE
    offsets_per_partition: int = OFFSETS_PER_PARTITION
    starting_offsets: str = "earliest"
    max_offsets_per_trigger: int | None = None

    def matches(self, stream_name: str) -> bool:
        return any(fnmatchcase(stream_name, pattern) for pattern in self.streams)

    def missing(self, stream_names: set[str]) -> list[str]:
        """The names, other than patterns, that are not among those of streams."""
        return [name for name in self.streams if not _WILDCARDS & set(name) and name not in stream_names]


def parse_options(options: Mapping[str, str]) -> SourceOptions:
    """Parse the options of `spark.read`. Raises SparkJobError, which names the option and what is expected."""
    known = {name.lower(): name for name in _NAMES}
    given = {known.get(name.lower(), name): value for name, value in options.items()}
    for name in given:
        if name not in _NAMES:
            raise SparkJobError(
                f"Unknown option '{name}' of coordinator_stream, which reads events. Known options: "
                f"{', '.join(_NAMES)}. Read a relation with coordstream.spark.read_relation."
            )
    limit = given.get("maxOffsetsPerTrigger")
    return SourceOptions(
        _streams(given.get("streams", "*")),
        _origin(given.get("from", ARCHIVE)),
        _count("offsetsPerPartition", given.get("offsetsPerPartition", str(OFFSETS_PER_PARTITION))),
        given.get("startingOffsets", "earliest"),
        None if limit is None else _count("maxOffsetsPerTrigger", limit),
    )


def _streams(text: str) -> tuple[str, ...]:
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    if not names:
        raise SparkJobError("The option 'streams' is empty. Expected names or patterns, for example '*'.")
    return names


def _origin(text: str) -> str:
    """What to read from; a local path is absolute, since executors have working directories of their own."""
    if not text:
        raise SparkJobError("The option 'from' is empty. Expected 'archive', 'kafka', or a lake or recording.")
    local = None if text in (ARCHIVE, KAFKA) else local_path(text)
    return text if local is None else str(local.absolute())


def _count(name: str, text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise SparkJobError(f"Invalid value {text!r} of the option '{name}'. Expected a number above 0.")
    return int(text)
