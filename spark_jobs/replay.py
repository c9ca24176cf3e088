"""Replays and verifies many logs, each in an executor; a replay writes a log and its position in one transaction."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from eventlog.errors import list_names, printable_text
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource, StreamUnavailable
from eventlog.streams import identify
from projections.log_result import LogResult
from projections.planner_statistics import finish_imports
from projections.tracked_logs import TrackedLog
from spark_jobs.dispatch import run_log_tasks
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSession, LogTaskSettings, StreamTask
from spark_jobs.session import count_cores

if TYPE_CHECKING:
    from projections.verify import Verification


@dataclass(frozen=True)
class Replayed:
    """What a replay did with each stream. ``failures``: why others were not replayed."""

    results: Sequence[LogResult]
    seconds: float
    failures: Mapping[str, str]

    def count(self, *figures: str) -> int:
        """The sum of some figures of all results."""
        return sum(getattr(result, figure) for result in self.results for figure in figures)


def replay(
    spark: SparkSession,
    connection: Connection,
    log_tasks: Sequence[StreamTask],
    settings: LogTaskSettings,
    tasks: int | None = None,
) -> Replayed:
    """Replay logs in the executors, and show the progress on standard error.

    Each log is replayed whole or not at all. After an error, or if this process is killed, another replay does the rest
    and gives the same rows. ``tasks``: the most Spark tasks (default: `default_tasks`). Raises `SparkJobError`: Spark
    failed.
    """
    began = time.monotonic()
    if any(each.is_shared for each in log_tasks):
        tasks = tasks or count_cores(spark)
    outcomes = run_log_tasks(spark, "Cannot replay with Spark", log_tasks, settings, tasks, shows_progress=True)
    seconds = time.monotonic() - began
    names = [each.stream.stream_name for each in log_tasks]
    failures = {name: outcome.failure for name, outcome in zip(names, outcomes, strict=True) if outcome.failure}
    results: list[LogResult] = [outcome.result for outcome in outcomes if not outcome.failure]
    replayed = Replayed(results, seconds, failures)
    finish_imports(connection, replayed.count("added"))
    return replayed


def topic_streams(source: EventSource, kind: str | None) -> list[StreamTask]:
    """All streams of a Kafka cluster, weighed by their ends: 0 without a leader. Raises `SourceUnavailable`."""
    streams = [(identify(name, kind), end) for name, end in sorted(_ends(source, source.stream_names()).items())]
    return [StreamTask(end, partial(_replay_topic, stream.stream_name), stream) for stream, end in streams]


def _replay_topic(name: str, session: LogTaskSession) -> LogResult:
    """Read a topic to its present end."""
    from projections.follow.read_to_end import StreamReader  # noqa: PLC0415 (of executors)
    from spark_jobs.table_partitions import replay_projector  # noqa: PLC0415

    fold, projector = session.settings.fold, replay_projector(session)
    reader = StreamReader(session.connection, session.source, fold, system_clock, projector)
    return reader.read_to_end(name, session.settings.kind)


def archived_log(log: TrackedLog, job: tuple[str, str]) -> StreamTask:
    """Rebuilds one log of a job, a name and an id, from the archive."""
    return StreamTask(max(log.next_offset, log.end_offset or 0), partial(_rebuild, log), log.stream, job)


def _rebuild(log: TrackedLog, session: LogTaskSession) -> LogResult:
    from projections.rebuild import rebuild_log  # noqa: PLC0415 (of executors)

    return rebuild_log(session.connection, log, session.settings.fold)


def _ends(source: EventSource, names: Sequence[str]) -> dict[str, int]:
    try:
        return source.end_offsets(names)
    except StreamUnavailable as error:
        unavailable = dict.fromkeys(error.stream_names, 0)
        return unavailable | _ends(source, [name for name in names if name not in unavailable])


def select_jobs(log_tasks: Sequence[StreamTask], pattern: str | None, place: str) -> list[StreamTask]:
    """The logs of jobs whose ``name/id`` or name matches a pattern, all without one. Raises SparkJobError: none."""
    found = [each for each in log_tasks if pattern is None or _matches(_job(each), pattern)]
    if found:
        return found
    if not log_tasks:
        raise SparkJobError(f"No streams of jobs in {place}.")
    names = sorted({"/".join(_job(each)) for each in log_tasks})
    raise SparkJobError(
        f'No job in {place} matches "{printable_text(pattern or "")}". Known jobs: {list_names(names)}.'
    )


def _job(log_task: StreamTask) -> tuple[str, str]:
    return log_task.job or (log_task.stream.job_name, log_task.stream.job_id)


def _matches(job: tuple[str, str], pattern: str) -> bool:
    """Whether a job matches a pattern such as ``orders*``; in names of topics, ``-`` stands for ``_``."""
    patterns = (pattern, pattern.replace("_", "-"))
    return any(fnmatchcase(name, each) for name in (job[0], "/".join(job)) for each in patterns)


def verify(
    spark: SparkSession, logs: Sequence[TrackedLog], settings: LogTaskSettings, tasks: int | None
) -> "list[Verification | str]":
    """Verify logs in the executors, and show the progress; for a log that cannot be verified, why.

    Raises SparkJobError: Spark failed.
    """
    log_tasks = [StreamTask(log.next_offset, partial(_verify, log), log.stream) for log in logs]
    outcomes = run_log_tasks(spark, "Cannot verify with Spark", log_tasks, settings, tasks, shows_progress=True)
    return [outcome.failure or outcome.result for outcome in outcomes]


def _verify(log: TrackedLog, session: LogTaskSession) -> "Verification":
    from projections.verify import verify_log  # noqa: PLC0415 (of executors)

    return verify_log(session.connection, log, session.settings.fold)
