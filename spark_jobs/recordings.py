"""Recordings as the source of a replay: files that the executors can read, checked and imported by them."""

import glob
from collections.abc import Iterable, Sequence
from functools import partial
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
from spark_jobs.log_task import LogTask, LogTaskSession, LogTaskSettings, StreamTask

Files = Sequence[tuple[Path, Summaries]]
"""With the summaries of all topics of each."""

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


def check_recordings(
    spark: SparkSession, files: Sequence[Path], settings: LogTaskSettings, tasks: int | None = None
) -> list[StreamTask]:
    """Read recordings to their ends in the executors, and return the streams in them.

    Raises `SparkJobError`: a file is invalid, or cannot be read by an executor; `EventLogError` as `recorded_streams`.
    """
    checks = [LogTask(file.stat().st_size, partial(summarize, file)) for file in files]
    tasks = tasks or default_tasks(spark, checks, _BYTES_A_TASK)
    outcomes = run_log_tasks(spark, "Cannot read the recordings with Spark", checks, settings, tasks)
    if failure := next((each.failure for each in outcomes if each.failure), ""):
        raise SparkJobError(failure)
    return recorded_streams(zip(files, (each.result for each in outcomes), strict=True), settings.kind)


def summarize(path: Path, session: LogTaskSession) -> Summaries:
    """Read a recording to its end, and return the summaries of its topics."""
    return check_recording(path, session.spool, ()).summaries


def recorded_streams(files: Iterable[tuple[Path, Summaries]], kind: str | None) -> list[StreamTask]:
    """The streams of checked files. Raises `EventLogError` as `files_by_topic`, or the kind of a topic is unknown."""
    found: list[StreamTask] = []
    for topic, of_topic in files_by_topic(files).items():
        stream, weight = identify(topic, kind), sum(summaries[topic].count for _, summaries in of_topic)
        is_shared = any(len(summaries) > 1 for _, summaries in of_topic)
        found.append(StreamTask(weight, partial(_import, stream, of_topic), stream, is_shared=is_shared))
    return found


def _import(stream: StreamIdentity, files: Files, session: LogTaskSession) -> LogResult:
    """Import the events up to the time of the settings, in one transaction."""
    from projections.recording_import import import_stream  # noqa: PLC0415 (of executors)
    from spark_jobs.table_partitions import replay_projector  # noqa: PLC0415 (of executors)

    return import_stream(
        session.connection,
        stream,
        lambda: read_files(stream.stream_name, files, session),
        session.settings.fold,
        system_clock,
        is_atomic=True,
        make_projector=replay_projector(session),
    )


def read_files(topic: str, files: Files, session: LogTaskSession) -> Iterable[RecordedEvent]:
    """The events of a topic, from files in the order of its offsets."""
    return chain.from_iterable(_checked(session, *file).events(topic) for file in files)


def _checked(session: LogTaskSession, path: Path, summaries: Summaries) -> CheckedRecording:
    """A file whose events can be read; one with several topics is read once more for all log tasks of the session."""
    if len(summaries) == 1:
        (summary,) = summaries.values()
        return CheckedRecording(path, summaries, summary.count, session.spool)
    if path not in session.recordings:
        topics = {each.stream.stream_name for each in session.log_tasks if isinstance(each, StreamTask)}
        session.recordings[path] = check_recording(path, session.spool, topics)
    return session.recordings[path]
