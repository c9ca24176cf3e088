"""A log task: one log or file that an executor reads. The driver needs only what is here."""

from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from eventlog.kafka.options import KafkaOptions
from projections.fold.settings import FoldSettings

if TYPE_CHECKING:
    from spark_jobs.log_task_session import LogTaskSession


def new_channel() -> str:
    """A channel of Postgres for the log tasks of one run."""
    return f"coordstream_spark_{token_hex(8)}"


@dataclass(frozen=True)
class LogTaskSettings:
    """What log tasks need. Pickled for the executors, so that no plan, property or log shows its secrets.

    ``until`` and ``kind`` are options of a replay. ``channel`` identifies the run, and is notified of its progress.
    While database or brokers do not answer, a log task is retried for ``outage_seconds``; then Spark retries its whole
    task. The log tasks of a Spark task together wait for ``busy_seconds`` for streams that other sessions hold, such as
    a lost executor's, and for topics without a leader.
    """

    database_url: str = field(repr=False)
    fold: FoldSettings
    kafka: KafkaOptions | None = None
    until: datetime | None = None
    kind: str | None = None
    channel: str = field(default_factory=new_channel)
    outage_seconds: float = 30.0
    busy_seconds: float = 30.0


class LogTask(Protocol):
    """One log or file to read. Picklable. ``weight``: its size, in the unit of all log tasks of the run."""

    @property
    def weight(self) -> int:
        """The size."""

    def run(self, session: "LogTaskSession") -> Any:
        """Do all of it or nothing; a second run changes nothing. Raises EventLogError, ProjectionError, psycopg.Error.

        The result is pickled for the driver.
        """


class Outcome(NamedTuple):
    """The result of a log task, or a sentence that says why there is none."""

    result: Any
    failure: str = ""
