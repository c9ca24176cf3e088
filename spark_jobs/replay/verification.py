"""Verifies many logs, each in an executor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import SparkSession

from projections.tracked_logs import TrackedLog
from projections.verify import Verification, verify_log
from spark_jobs.executors.dispatch import do_works
from spark_jobs.executors.progress import Progress, shown_progress
from spark_jobs.executors.work import WorkSession, WorkSettings

_VERIFYING: Final = "Cannot verify with Spark"


@dataclass(frozen=True)
class LogToVerify:
    """Compares one log's rows with its archived events, and these with the topic if ``reads_topic``."""

    log: TrackedLog
    reads_topic: bool

    @property
    def weight(self) -> int:
        """The number of offsets."""
        return self.log.next_offset

    def run(self, session: WorkSession) -> Verification:
        """See `Work`."""
        source = session.source if self.reads_topic else None
        return verify_log(session.connection, self.log, session.settings.fold, source=source)


def verify(
    spark: SparkSession, logs: Sequence[TrackedLog], settings: WorkSettings, tasks: int | None, *, reads_topics: bool
) -> list[Verification | str]:
    """Verify logs in the executors, and show the progress; for a log that cannot be verified, why.

    ``reads_topics``: also compare the archive with the topics. Raises SparkJobError: Spark failed.
    """
    works = [LogToVerify(log, reads_topics) for log in logs]
    progress = Progress(len(works), sum(work.weight for work in works), "events")
    with shown_progress(settings.database_url, settings.channel, progress):
        outcomes = do_works(spark, _VERIFYING, works, settings, tasks)
    return [outcome.failure or outcome.result for outcome in outcomes]
