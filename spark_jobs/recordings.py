"""Recordings as the source of a replay: files that the executors can read, checked and imported by them."""

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from eventlog.events import RecordedEvent
from eventlog.log import system_clock
from eventlog.recording_spool import CheckedRecording, Summaries, check_recording, files_by_topic
from eventlog.streams import StreamIdentity, identify
from projections.log_result import LogResult
from spark_jobs.dispatch import default_tasks, run_log_tasks
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSession, LogTaskSettings

_ENDINGS: Final = (".jsonl", ".jsonl.gz")
_BYTES_A_TASK: Final = 64_000_000  # as `EVENTS_A_TASK`; a check takes a fifth of the time of a replay


def find_files(place: str) -> list[Path]:
    """The files that a path names: itself, the recordings of a folder and its subfolders, or all that match a pattern.

    In a folder, files whose names end with ``.jsonl`` or ``.jsonl.gz`` are recordings. Raises SparkJobError: there are
    none.
    """
    path = Path(place).absolute()
    if path.is_file():
        return [path]
    if path.is_dir():
        found = [file for ending in _ENDINGS for file in path.rglob(f"*{ending}")]
    else:
        found = [Path(name) for name in glob.glob(str(path), recursive=True)]  # noqa: PTH207 (of an absolute pattern)
    files = sorted(file for file in found if file.is_file())
    if not files:
        problem = "has no recordings" if path.is_dir() else "is no recording"
        raise SparkJobError(f"'{place}' {problem}. Name a recording, a folder of recordings or a pattern.")
    return files


@dataclass(frozen=True)
class CheckFile:
    """Reads a recording to its end. The result is the summaries of its topics."""

    path: Path
    weight: int

    def run(self, session: LogTaskSession) -> Summaries:
        return check_recording(self.path, session.spool, ()).summaries


@dataclass(frozen=True)
class RecordedStream:
    """Imports one stream of recordings. ``files`` are in the order of its offsets, with the summaries of all topics."""

    stream: StreamIdentity
    files: tuple[tuple[Path, Summaries], ...]

    @property
    def weight(self) -> int:
        return sum(summaries[self.stream.stream_name].count for _, summaries in self.files)

    @property
    def is_shared(self) -> bool:
        """Whether a file of it has other topics too, so that each Spark task reads all of the file."""
        return any(len(summaries) > 1 for _, summaries in self.files)

    def run(self, session: LogTaskSession) -> LogResult:
        """See `LogTask`. Imports the events up to the time of the settings, in one transaction."""
        from projections.recording_import import import_stream  # noqa: PLC0415 (of executors)
        from spark_jobs.table_partitions import replay_projector  # noqa: PLC0415 (of executors)

        return import_stream(
            session.connection,
            self.stream,
            lambda: self.events(session),
            session.settings.fold,
            system_clock,
            is_atomic=True,
            make_projector=replay_projector(session),
        )

    def events(self, session: LogTaskSession) -> Iterable[RecordedEvent]:
        """The events of all files."""
        recordings = (_checked(session, *file) for file in self.files)
        return chain.from_iterable(each.events(self.stream.stream_name) for each in recordings)


def check_recordings(
    spark: SparkSession, files: Sequence[Path], settings: LogTaskSettings, tasks: int | None = None
) -> list[RecordedStream]:
    """Read recordings to their ends in the executors, and return the streams in them.

    Raises `SparkJobError`: a file is invalid, or cannot be read by an executor; `EventLogError` as `recorded_streams`.
    """
    checks = [CheckFile(file, file.stat().st_size) for file in files]
    tasks = tasks or default_tasks(spark, checks, _BYTES_A_TASK)
    outcomes = run_log_tasks(spark, "Cannot read the recordings with Spark", checks, settings, tasks)
    if failure := next((each.failure for each in outcomes if each.failure), ""):
        raise SparkJobError(failure)
    return recorded_streams(zip(files, (each.result for each in outcomes), strict=True), settings.kind)


def _checked(session: LogTaskSession, path: Path, summaries: Summaries) -> CheckedRecording:
    """A file whose events can be read; one with several topics is read once more for all log tasks of the session."""
    if len(summaries) == 1:
        (summary,) = summaries.values()
        return CheckedRecording(path, summaries, summary.count, session.spool)
    if path not in session.recordings:
        topics = {each.stream.stream_name for each in session.log_tasks if isinstance(each, RecordedStream)}
        session.recordings[path] = check_recording(path, session.spool, topics)
    return session.recordings[path]


def recorded_streams(files: Iterable[tuple[Path, Summaries]], kind: str | None) -> list[RecordedStream]:
    """The streams of checked files. Raises `EventLogError` as `files_by_topic`, or the kind of a topic is unknown."""
    return [RecordedStream(identify(topic, kind), tuple(found)) for topic, found in files_by_topic(files).items()]
