"""Proves that a lake has the events that a retention is going to detach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import SparkSession

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection
from projections.retention import RetainedEvents
from projections.tracked_logs import TrackedLog
from spark_jobs.dispatch import run_log_tasks
from spark_jobs.lake.files import ArchivedEvent, absolute_folder, load_lake, read_log
from spark_jobs.lake.manifest import LakeError, LakeFile, LogKey
from spark_jobs.log_task import LogTaskSettings

if TYPE_CHECKING:
    from spark_jobs.log_task_session import LogTaskSession

_ARCHIVED: Final = "select count(*) from eventlog.event where log_id = %s and log_offset < %s"


class Proven(NamedTuple):
    """The events of a log below ``next_offset`` that the archive had when each was found in the lake."""

    next_offset: int
    events: int


@dataclass(frozen=True)
class LakeProof:
    """What a lake was proven to have of each log, by log id; a sentence where it has other events or a changed file."""

    output: str
    proven: Mapping[int, Proven | str]

    @classmethod
    def of(cls, spark: SparkSession, output: str, logs: Sequence[TrackedLog], settings: LogTaskSettings) -> "LakeProof":
        """Compare the archived events of these logs with those in the lake, one by one, in the executors.

        Raises:
            LakeError: There is no lake.
            SparkJobError: Spark failed.
        """
        lake = load_lake(output)
        log_tasks = []
        for log in logs:
            known = lake.logs.get(key := LogKey(log.stream.stream_name, log.incarnation))
            if known is not None:
                files = tuple(lake.files_of([key]))
                log_tasks.append(CompareLog(absolute_folder(output), key, log.log_id, known.next_offset, files))
        outcomes = run_log_tasks(spark, "Cannot compare with the lake", log_tasks, settings)
        results = (outcome.failure or outcome.result for outcome in outcomes)
        return cls(output, dict(zip((each.log_id for each in log_tasks), results, strict=True)))

    def require(self, connection: Connection, retained: RetainedEvents) -> None:
        """Raise LakeError unless the lake has every event of the log up to the horizon that the archive has."""
        log = retained.log
        proven = self.proven.get(log.log_id)
        if isinstance(proven, str):
            raise LakeError(f"{proven} Nothing was changed.")
        if proven is not None and proven.next_offset > retained.horizon_offset:
            row = connection.execute(_ARCHIVED, (log.log_id, proven.next_offset)).fetchone()
            if row == (proven.events,):  # events are only added: none was since the comparison
                return
        name = log.stream.stream_name
        raise LakeError(
            f"Lake '{self.output}' lacks events of {name} (incarnation {log.incarnation}) that would be "
            f"detached. Run `coordstream spark archive --output {self.output}` first. Nothing was changed."
        )


@dataclass(frozen=True)
class CompareLog:
    """Finds each archived event of a log below ``next_offset`` in the files of the lake ``output``."""

    output: str
    log: LogKey
    log_id: int
    next_offset: int
    files: tuple[LakeFile, ...]

    @property
    def weight(self) -> int:
        return sum(file.rows for file in self.files)

    def run(self, session: "LogTaskSession") -> Proven:
        """See `LogTask`. Raises LakeError: a file was removed or changed, or an event is missing or another one."""
        pages = read_archived(session.connection, self.log_id, 0, self.next_offset)
        in_lake, count = read_log(self.output, self.files), 0
        for archived in chain.from_iterable(map(ArchivedEvent, *page) for page in pages):
            offset = archived.event.offset
            if next((each for each in in_lake if each.event.offset >= offset), None) != archived:
                raise LakeError(
                    f"Lake '{self.output}' does not have the archived event at offset {offset} of "
                    f"{self.log.stream_name} (incarnation {self.log.incarnation}). Write a lake into another folder."
                )
            count += 1
        return Proven(self.next_offset, count)
