"""A work inside an executor: one log or file, done over connections that the works of a task share."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Any, Final, NamedTuple, Protocol, Self

import psycopg
from psycopg.errors import LockNotAvailable

from eventlog.backoff import Backoff, RetryDeadline
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions, require_brokers
from eventlog.postgres.connection import Connection, connect, server_reason
from eventlog.recordings.checked_recording import CheckedRecording
from eventlog.recordings.line_spool import LineSpool
from eventlog.source import EventSource, OffsetLost, StreamUnavailable
from projections.conflicts import CONFLICTS
from projections.errors import LogRebuilt, PositionMoved, ProjectionError, StreamBusy
from projections.fold.settings import FoldSettings
from projections.follow.error_policy import LIMITS, OUTAGES, is_login_refused, is_outage, outage_reason

_BUSY_RETRY_SECONDS: Final = 0.5
_HAS_COPY: Final = """
select exists (select from pg_stat_activity where application_name = %s and pid <> pg_backend_pid()
               and (state = 'active' or state_change > clock_timestamp() - projection.lost_after()))
"""
_RETRIED: Final = (*OUTAGES, *CONFLICTS, PositionMoved, LogRebuilt, OffsetLost)


def new_channel() -> str:
    """A channel of Postgres for the works of one run."""
    return f"coordstream_spark_{token_hex(8)}"


class WorkInterrupted(Exception):
    """Database or brokers did not answer for so long that Spark has to retry the task. The message has no secret."""


@dataclass(frozen=True)
class WorkSettings:
    """What works need. Pickled for the executors, so that no plan, property or log shows its secrets.

    ``until`` and ``kind`` are those of a replay. ``channel`` identifies the run; it is notified of finished works
    (`shown_progress`). While database or brokers do not answer, a work is retried for ``outage_seconds``; then Spark
    retries the whole task. The works of a task together wait for ``busy_seconds`` for streams that other sessions hold,
    such as a lost executor's, and for topics without a leader.
    """

    database_url: str = field(repr=False)
    fold: FoldSettings
    kafka: KafkaOptions | None = None
    until: datetime | None = None
    kind: str | None = None
    channel: str = field(default_factory=new_channel)
    outage_seconds: float = 30.0
    busy_seconds: float = 30.0


class Work(Protocol):
    """One log or file. Picklable. ``weight``: its size, in the same unit as that of the other works."""

    @property
    def weight(self) -> int:
        """The size."""

    def run(self, session: "WorkSession") -> Any:
        """Do all of it or nothing; a second run changes nothing. Raises EventLogError, ProjectionError, psycopg.Error.

        The result is pickled for the driver.
        """


class Outcome(NamedTuple):
    """The result of a work, or a sentence that says why there is none."""

    result: Any
    failure: str = ""


class WorkSession:
    """The connections of a task, each opened when a work first needs it. A context manager.

    ``works``: all of the task. ``spool`` and ``recordings`` are what they share of files with several topics. ``task``
    is its number, by which its sessions recognize those of its copies: Spark may run a slow task twice.
    """

    def __init__(self, settings: WorkSettings, works: Sequence[Work] = (), task: int = 0) -> None:
        self.settings = settings
        self.works = works
        self._name = f"{settings.channel.replace('_', ' ')} task {task}"
        self.spool = LineSpool()
        self.recordings: dict[Path, CheckedRecording] = {}
        self._connection: Connection | None = None
        self._source: EventSource | None = None
        self._patience = settings.busy_seconds

    @property
    def connection(self) -> Connection:
        """A connection to the database, in autocommit mode."""
        if self._connection is None:
            self._connection = connect(self.settings.database_url, application_name=self._name)
        return self._connection

    @property
    def source(self) -> EventSource:
        """The Kafka cluster of the settings."""
        if self._source is None:
            from eventlog.kafka.source import KafkaSource  # noqa: PLC0415 (most works need no Kafka client)

            self._source = KafkaSource(require_brokers(self.settings.kafka))
        return self._source

    def do(self, work: Work) -> Outcome:
        """Do a work; retry it while the database, the brokers or the stream are not available.

        Raises:
            WorkInterrupted: database or brokers did not answer for ``outage_seconds``.
        """
        outage: RetryDeadline | None = None
        while True:
            try:
                return Outcome(work.run(self))
            except LockNotAvailable:
                if not self._wait_for_copy():
                    return Outcome(None, "Another session is rebuilding or writing it. Try again later.")
            except (StreamBusy, StreamUnavailable) as error:
                if not self._wait_for_stream(error):
                    return Outcome(None, str(error))
            except (EventLogError, ProjectionError, psycopg.Error) as error:
                if _is_final(error, outage):
                    return Outcome(None, _failure(error))
                self.close()
                outage = outage or RetryDeadline(self.settings.outage_seconds, Backoff())
                if outage.is_over or is_login_refused(error):
                    raise WorkInterrupted(_describe(error)) from None
                outage.wait()

    def notify(self, payload: str) -> None:
        """Notify the run's channel, outside of any transaction; a lost connection only loses the notification."""
        with suppress(psycopg.Error):
            self.connection.execute("select pg_notify(%s, %s)", (self.settings.channel, payload))

    def close(self) -> None:
        """Close the connections; the next work opens new ones."""
        with suppress(Exception):
            if self._connection is not None:
                self._connection.close()
        with suppress(Exception):
            if self._source is not None:
                self._source.close()
        self._connection = self._source = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        self.spool.close()

    def _wait_for_copy(self) -> bool:
        """Wait a moment if a copy of the task is at work; False if there is none, or it has been silent for long."""
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
