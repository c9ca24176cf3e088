"""A replay: many logs become relations, each folded and written by an executor in one transaction with its position."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Protocol

from pyspark.sql import SparkSession

from eventlog.error_text import list_names, printable_text
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource, StreamUnavailable
from eventlog.streams import StreamIdentity, identify
from projections.follow.read_to_end import ReadToEnd
from projections.rebuild import Rebuilt
from projections.recording_import import Imported, finish_imports
from spark_jobs.errors import SparkJobError
from spark_jobs.executors.dispatch import do_works
from spark_jobs.executors.progress import Progress, shown_progress
from spark_jobs.executors.work import Outcome, Work, WorkSettings
from spark_jobs.relations.partitioning import count_cores
from spark_jobs.replay.recordings import RecordedStream
from spark_jobs.replay.works import TopicStream

_REPLAYING: Final = "Cannot replay with Spark"


class ReplayWork(Work, Protocol):
    """Replays one log of ``job``, a name and an id."""

    @property
    def stream(self) -> StreamIdentity:
        """The log's stream."""

    @property
    def job(self) -> tuple[str, str]:
        """The job's name and id."""


@dataclass(frozen=True)
class Replayed:
    """What a replay did. ``repaired_rows``: of rebuilt logs. ``failures``: why logs were not replayed, by stream."""

    log_count: int
    added: int
    skipped: int
    quarantined: int
    repaired_rows: int
    seconds: float
    failures: Mapping[str, str]
    messages: Sequence[str]

    @property
    def event_count(self) -> int:
        """The number of events that were folded, or were already there."""
        return self.added + self.skipped


def replay(
    spark: SparkSession,
    connection: Connection,
    works: Sequence[ReplayWork],
    settings: WorkSettings,
    tasks: int | None = None,
) -> Replayed:
    """Replay logs in the executors, and show the progress on standard error.

    Each log is replayed whole or not at all. After an error, or if this process is killed, another replay does the rest
    and gives the same rows. ``tasks``: default is `default_tasks`.

    Raises:
        SparkJobError: Spark failed.
    """
    began = time.monotonic()
    progress = Progress(len(works), sum(work.weight for work in works), "events")
    with shown_progress(settings.database_url, settings.channel, progress):
        outcomes = do_works(spark, _REPLAYING, works, settings, tasks or _tasks(spark, works))
    done = _summarize(works, outcomes, time.monotonic() - began)
    if not all(isinstance(outcome.result, Rebuilt) for outcome in outcomes):
        finish_imports(connection, done.added)
    return done


def topic_streams(source: EventSource, kind: str | None) -> list[TopicStream]:
    """All streams of a Kafka cluster, to their present ends. Raises `SourceUnavailable`.

    Streams whose topics have no leader are included, with the end 0: it concerns only the works of these.
    """
    ends = _ends(source, source.stream_names())
    return [TopicStream(identify(name, kind), end) for name, end in sorted(ends.items())]


def _ends(source: EventSource, names: Sequence[str]) -> dict[str, int]:
    try:
        return source.end_offsets(names)
    except StreamUnavailable as error:
        unavailable = dict.fromkeys(error.stream_names, 0)
        return unavailable | _ends(source, [name for name in names if name not in unavailable])


def select_jobs(works: Sequence[ReplayWork], pattern: str | None, place: str) -> list[ReplayWork]:
    """The works of jobs whose ``name/id`` or name matches a pattern, all without one. Raises SparkJobError: none."""
    found = [work for work in works if pattern is None or _matches(work.job, pattern)]
    if found:
        return found
    if not works:
        raise SparkJobError(f"No streams of jobs in {place}.")
    names = sorted({"/".join(work.job) for work in works})
    raise SparkJobError(
        f'No job in {place} matches "{printable_text(pattern or "")}". Known jobs: {list_names(names)}.'
    )


def _matches(job: tuple[str, str], pattern: str) -> bool:
    """Whether a job matches a pattern such as ``orders*``; in names of topics, ``-`` stands for ``_``."""
    patterns = (pattern, pattern.replace("_", "-"))
    return any(fnmatchcase(name, each) for name in (job[0], "/".join(job)) for each in patterns)


def _tasks(spark: SparkSession, works: Iterable[Work]) -> int | None:
    """One per core if a file has several topics, because each task that has one of them reads all of it."""
    is_shared = any(isinstance(work, RecordedStream) and work.is_shared for work in works)
    return count_cores(spark) if is_shared else None


def _summarize(works: Sequence[ReplayWork], outcomes: Sequence[Outcome], seconds: float) -> Replayed:
    names = [work.stream.stream_name for work in works]
    failures = {name: outcome.failure for name, outcome in zip(names, outcomes, strict=True) if outcome.failure}
    results: list[Imported | ReadToEnd | Rebuilt] = [outcome.result for outcome in outcomes if not outcome.failure]
    read = [result for result in results if not isinstance(result, Rebuilt)]
    rebuilt = [result for result in results if isinstance(result, Rebuilt)]
    return Replayed(
        len(results),
        sum(result.added for result in read) + sum(result.events for result in rebuilt),
        sum(result.skipped for result in read if isinstance(result, Imported)),
        sum(result.quarantined for result in read),
        sum(check.missing + check.extra + check.different for result in rebuilt for check in result.repaired),
        seconds,
        failures,
        [result.message for result in read if isinstance(result, ReadToEnd) and result.message],
    )
