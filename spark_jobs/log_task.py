"""Log tasks, each one log or file to read, and the session in which those of a Spark task share their connections."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.errors import LockNotAvailable

from eventlog.backoff import Backoff, RetryDeadline
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions, require_brokers
from eventlog.postgres.connection import CONFLICTS, Connection, connect, server_reason
from eventlog.recording_spool import CheckedRecording, LineSpool
from eventlog.source import Closing, EventSource, OffsetLost, StreamUnavailable
from eventlog.streams import StreamIdentity
from projections.errors import LogRebuilt, PositionMoved, ProjectionError, StreamBusy
from projections.fold.settings import FoldSettings
from projections.follow.error_policy import LIMITS, OUTAGES, is_login_refused, is_outage, outage_reason
from spark_jobs.errors import SparkJobError

_BUSY_RETRY_SECONDS: Final = 0.5
_HAS_COPY: Final = """
select exists (select from pg_stat_activity where application_name = %s and pid <> pg_backend_pid()
               and (state = 'active' or state_change > clock_timestamp() - projection.lost_after()))
"""
_RETRIED: Final = (*OUTAGES, *CONFLICTS, PositionMoved, LogRebuilt, OffsetLost)


@dataclass(frozen=True)
class LogTaskSettings:
    """What log tasks need. Pickled for the executors, so that no plan, property or log shows its secrets.

    ``kind`` is an option of a replay. ``channel`` identifies the run, and is notified of its progress.
    While database or brokers do not answer, a log task is retried for ``outage_seconds``; then Spark retries its whole
    task. The log tasks of a Spark task together wait for ``busy_seconds`` for streams that other sessions hold, such as
    a lost executor's, and for topics without a leader.
    """

    database_url: str = field(repr=False)
    fold: FoldSettings
    kafka: KafkaOptions | None = None
    kind: str | None = None
    channel: str = field(default_factory=lambda: f"coordstream_spark_{token_hex(8)}")
    outage_seconds: float = 30.0
    busy_seconds: float = 30.0


@dataclass(frozen=True)
class LogTask:
    """One log or file to read. ``weight``: its size, in the unit of all log tasks of the run.

    ``run`` does all of it or nothing, and a second run changes nothing. It is pickled for the executors, and its result
    for the driver. It raises EventLogError, ProjectionError, psycopg.Error.
    """

    weight: int
    run: Callable[["LogTaskSession"], Any]


@dataclass(frozen=True)
class StreamTask(LogTask):
    """Replays or verifies one log of a stream; the result of a replay is a `LogResult`.

    ``job``: a name and an id, if they are not those of the stream. ``is_shared``: what is read has other streams too,
    so that each Spark task reads all of it.
    """

    stream: StreamIdentity
    job: tuple[str, str] | None = None
    is_shared: bool = False


class Outcome(NamedTuple):
    """The result of a log task, or a sentence that says why there is none."""

    result: Any
    failure: str = ""


class LogTaskInterrupted(Exception):
    """Database or brokers did not answer for so long that Spark has to retry the task. The message has no secret."""


class LogTaskSession(Closing):
    """The connections of a Spark task, each opened when a log task first needs it. A context manager.

    ``spool`` and ``recordings`` are what its log tasks share of files with several topics. ``number`` is that of the
    Spark task, by which its sessions recognize those of its copies: Spark may run a slow task twice.
    """

    def __init__(self, settings: LogTaskSettings, log_tasks: Sequence[LogTask] = (), number: int = 0) -> None:
        self.settings = settings
        self.log_tasks = log_tasks
        self._name = f"{settings.channel.replace('_', ' ')} task {number}"
        self.spool = LineSpool()
        self.recordings: dict[Path, CheckedRecording] = {}
        self._patience = settings.busy_seconds

    @cached_property
    def connection(self) -> Connection:
        """A connection to the database, in autocommit mode."""
        return connect(self.settings.database_url, application_name=self._name, prepares=True)

    @cached_property
    def source(self) -> EventSource:
        from eventlog.kafka.source import KafkaSource  # noqa: PLC0415 (most log tasks need no Kafka client)

        return KafkaSource(require_brokers(self.settings.kafka))

    def run(self, log_task: LogTask) -> Outcome:
        """Run a log task; retry it while the database, the brokers or the stream are not available.

        Raises `LogTaskInterrupted`: database or brokers did not answer for ``outage_seconds``.
        """
        outage: RetryDeadline | None = None
        while True:
            try:
                return Outcome(log_task.run(self))
            except LockNotAvailable:
                if not self._wait_for_copy():
                    return Outcome(None, "Another session is rebuilding or writing it. Try again later.")
            except (StreamBusy, StreamUnavailable) as error:
                if not self._wait_for_stream(error):
                    return Outcome(None, str(error))
            except (EventLogError, ProjectionError, psycopg.Error) as error:
                if _is_final(error, outage):
                    return Outcome(None, _failure(error))
                self._disconnect()
                outage = outage or RetryDeadline(self.settings.outage_seconds, Backoff())
                if outage.is_over or is_login_refused(error):
                    raise LogTaskInterrupted(_describe(error)) from None
                outage.wait()

    def notify(self, payload: str) -> None:
        """Notify the run's channel, outside of any transaction; a lost connection only loses the notification."""
        with suppress(psycopg.Error):
            self.connection.execute("select pg_notify(%s, %s)", (self.settings.channel, payload))

    def close(self) -> None:
        self._disconnect()
        self.spool.close()

    def _disconnect(self) -> None:
        """Close the connections; the next log task opens new ones."""
        for opened in [vars(self).pop(name) for name in ("connection", "source") if name in vars(self)]:
            with suppress(Exception):
                opened.close()

    def _wait_for_copy(self) -> bool:
        """Wait a moment if a copy of the task is running; False if there is none, or it has been silent for long."""
        has_copy = False
        with suppress(psycopg.Error):
            has_copy = self.connection.execute(_HAS_COPY, (self._name,)).fetchone() == (True,)
        if has_copy:
            time.sleep(_BUSY_RETRY_SECONDS)
        return has_copy

    def _wait_for_stream(self, error: StreamBusy | StreamUnavailable) -> bool:
        """Wait a moment; False if the task has no patience left, and no copy of it has the stream."""
        if isinstance(error, StreamBusy) and self._wait_for_copy():
            return True
        seconds = min(_BUSY_RETRY_SECONDS, self._patience)
        self._patience -= seconds
        time.sleep(seconds)
        return seconds > 0


def run_here(log_tasks: Sequence[LogTask], settings: LogTaskSettings) -> list[Outcome]:
    """Run log tasks in this process, one after the other. Raises SparkJobError: the database does not answer."""
    try:
        with LogTaskSession(settings, log_tasks) as session:
            return [session.run(each) for each in log_tasks]
    except LogTaskInterrupted as error:
        raise SparkJobError(str(error)) from None


def _is_final(error: Exception, outage: RetryDeadline | None) -> bool:
    """Whether an error is one of this log, which does not pass or has not passed for as long as an outage may take."""
    if not isinstance(error, _RETRIED) or isinstance(error, LIMITS):
        return True
    return outage is not None and outage.is_over and not is_outage(error)


def _failure(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return f"The database rejected it: {server_reason(error) or type(error).__name__}."
    return str(error)


def _describe(error: Exception) -> str:
    reason = outage_reason(error) if isinstance(error, OUTAGES) else str(error).rstrip(".")
    return f"{reason[:1].upper()}{reason[1:]}."
