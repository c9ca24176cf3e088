"""Reads logs as a stream, for `spark.readStream`. It needs Spark 4.2 or newer."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from spark_jobs.data_source.log_range import LogRange, partitions_of
from spark_jobs.data_source.log_reader import LogReader, SourceOptions, find_logs, open_reader
from spark_jobs.data_source.source import RangeReader
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.place import ARCHIVE, KAFKA

QUIET_SECONDS: Final = 0.1
"""How long to wait before logs without news are asked for their ends again."""


class Place(NamedTuple):
    """A log's entry in an offset: `log` identifies the log of a stream, `next_offset` is where to read on.

    `horizon` is that of the log when this was planned: the query may miss what had been detached before.
    """

    log: str
    next_offset: int
    horizon: int


Offset = dict[str, Place]
"""What Spark stores in its checkpoint, as JSON: the place of each stream."""


def places_of(offset: Mapping[str, Sequence[Any]]) -> Offset:
    """An offset that Spark has read from JSON."""
    return {name: Place(*entry) for name, entry in offset.items()}


def identity(log: LogRange) -> str:
    """What tells two logs of one stream apart: the topic's id, or the incarnation in the archive."""
    return f"incarnation {log.log.incarnation}" if log.log.log_id else f"topic {log.log.topic_id}"


def place_in(log: LogRange, next_offset: int) -> Place:
    return Place(identity(log), next_offset, log.log.horizon)


def require_continuity(places: Mapping[str, Place], logs: Mapping[str, LogRange]) -> None:
    """Check that each log continues at its place.

    Raises SparkJobError for a log that is missing, was re-created, ends before its place, or lost events after it:
    Spark compares no offsets with the log, and would report nothing.
    """
    for name, place in places.items():
        found = logs.get(name)
        if found is None:
            raise _lost(name, "no longer exists, or the option 'streams' no longer names it")
        if identity(found).split()[0] != place.log.split()[0]:
            raise _lost(name, f"is read from another source ({identity(found)} instead of {place.log})")
        if identity(found) != place.log:
            raise _lost(name, f"was re-created ({identity(found)} instead of {place.log})")
        if found.until < place.next_offset:
            raise _lost(
                name, f"was truncated: it ends at offset {found.until}, before the position {place.next_offset}"
            )
        if place.next_offset < found.first and not (found.log.log_id and place.next_offset == 0):
            raise _lost(name, f"now starts at offset {found.first}, after the position {place.next_offset}")
        if place.horizon < found.log.horizon > place.next_offset:
            lost = f"lost events below offset {found.log.horizon} to a retention"
            raise _lost(name, f"{lost}, after the position {place.next_offset}")


def limited(places: Mapping[str, Place], ends: Mapping[str, Place], most: int | None) -> dict[str, Place]:
    """The ends, with about `most` offsets after the places. Each log gets its share of what is left, at least one."""
    left = {name: end.next_offset - places[name].next_offset for name, end in ends.items()}
    total = sum(left.values())
    if most is None or total <= most:
        return dict(ends)
    shares = {name: max(1, most * count // total) if count else 0 for name, count in left.items()}
    return {name: end._replace(next_offset=places[name].next_offset + shares[name]) for name, end in ends.items()}


def _lost(name: str, reason: str) -> SparkJobError:
    return SparkJobError(
        f"{name} {reason}. Start the query with a new checkpoint location; events of the log before may be missing."
    )


class StreamReader(RangeReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans micro-batches, in a process beside the driver, and reads them in the executors.

    Streams that appear later are read from their start. A log that does not continue at the query's offset fails the
    query.
    """

    def __init__(self, options: SourceOptions, settings: LogTaskSettings, schema: StructType) -> None:
        if options.origin not in (ARCHIVE, KAFKA):
            raise SparkJobError("Only 'archive' and 'kafka' can be streamed. Use spark.read for a lake or recording.")
        super().__init__(options, settings, schema)
        self._reader: LogReader | None = None
        self._targets: dict[str, LogRange] | None = None

    def initialOffset(self) -> Offset:  # noqa: N802 (Spark calls it)
        """Where a query without a checkpoint starts."""
        logs = self._logs()
        if self._options.starting_offsets == "latest":
            return {name: place_in(log, log.until) for name, log in logs.items()}
        given = _starting_offsets(self._options.starting_offsets)
        if unknown := sorted(given.keys() - logs.keys()):
            raise SparkJobError(f"The option 'startingOffsets' names '{unknown[0]}', which is not among the streams.")
        for name, offset in sorted(given.items()):
            _require_offset(logs[name], offset)
        return {name: place_in(log, given.get(name, log.first)) for name, log in logs.items()}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The limit of the option `maxOffsetsPerTrigger`."""
        most = self._options.max_offsets_per_trigger
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Read to the present ends of the present logs."""
        self._targets = self._logs()

    def latestOffset(self, start: Mapping[str, Any], limit: ReadLimit) -> Offset:  # noqa: N802
        """The end of the next micro-batch; that of the one before if there is nothing to read."""
        logs = self._logs()
        places = places_of(start)
        require_continuity(places, logs)
        reached = self._targets if self._targets is not None else logs
        ends = {name: place_in(log, log.until) for name, log in reached.items()}
        starts = {name: place_in(log, log.first) for name, log in reached.items()} | places
        ends = {name: max(end, starts[name], key=lambda place: place.next_offset) for name, end in ends.items()}
        planned = places | limited(starts, ends, limit.max_rows if isinstance(limit, ReadMaxRows) else None)
        if planned == places:
            time.sleep(QUIET_SECONDS)
        return planned

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The ranges of a micro-batch, which a query that starts again reads once more."""
        logs, starts, ends = self._logs(), places_of(start), places_of(end)
        require_continuity(starts, logs)
        require_continuity(ends, logs)
        ranges = [
            LogRange(
                logs[name].log, starts[name].next_offset if name in starts else logs[name].first, place.next_offset
            )
            for name, place in ends.items()
        ]
        return partitions_of([wanted for wanted in ranges if len(wanted)], self._options.offsets_per_partition)

    def stop(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _logs(self) -> dict[str, LogRange]:
        """The newest log of each stream."""
        self._reader = self._reader or open_reader(self._options.origin, self._settings)
        found = sorted(find_logs(self._reader, self._options), key=lambda each: each.log.incarnation or 0)
        return {each.log.stream_name: each for each in found}


def _starting_offsets(text: str) -> dict[str, int]:
    """The offsets by stream name; empty for `earliest`. Raises SparkJobError."""
    if text == "earliest":
        return {}
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict) or not all(type(offset) is int and offset >= 0 for offset in given.values()):
        raise SparkJobError(
            f"Invalid value {text!r} of the option 'startingOffsets'. Expected 'earliest', 'latest', or a JSON object "
            "with an offset by stream name."
        )
    return given


def _require_offset(log: LogRange, offset: int) -> None:
    """Raise SparkJobError if a query cannot start at the offset. In the archive, any log can be read from 0 on."""
    is_start = offset == 0 and log.log.log_id
    if not is_start and not log.first <= offset <= log.until:
        raise SparkJobError(
            f"Invalid offset {offset} of {log.log.stream_name} in the option 'startingOffsets'. "
            f"Expected {log.first} to {log.until}."
        )
