"""Logs on each backend, for tests that must hold on all of them."""

import itertools
from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, ClassVar, Final

from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import StreamIdentity, StreamKind, checkpoint_stream_name, coordinator_stream_name, identify
from tests.contracts.event_log import clock

if TYPE_CHECKING:  # a run without a broker does not wait for it
    from tests.fixtures.kafka_topics import Topics

_numbers = itertools.count(1)


class LogMaker(ABC):
    """Makes logs of a test's own, and opens them again as another program would; the test's end closes all."""

    backend: ClassVar[str]

    def __init__(self, opened: ExitStack) -> None:
        self._opened: Final = opened

    def create(self, kind: StreamKind = "coordinator", *, job_name: str | None = None) -> EventLog:
        """An empty log of a job's coordinator stream or checkpoint topic; without a name, of a job not seen before."""
        name = job_name or f"managed{next(_numbers)}"
        stream_name = coordinator_stream_name(name) if kind == "coordinator" else checkpoint_stream_name(name)
        return self._opened.enter_context(self._create(identify(stream_name)))

    def open_again(self, log: EventLog) -> EventLog:
        return self._opened.enter_context(self._open(log))

    @abstractmethod
    def _create(self, stream: StreamIdentity) -> EventLog: ...

    @abstractmethod
    def _open(self, log: EventLog) -> EventLog: ...


class MemoryLogs(LogMaker):
    """Logs in memory: whoever opens one again has the same object."""

    backend = "memory"

    def _create(self, stream: StreamIdentity) -> EventLog:
        return MemoryEventLog(stream, clock=clock)

    def _open(self, log: EventLog) -> EventLog:
        return log


class PostgresLogs(LogMaker):
    """Logs in a database of the test's own."""

    backend = "postgres"

    def __init__(self, opened: ExitStack, database_url: str) -> None:
        super().__init__(opened)
        self.database_url = database_url

    def _create(self, stream: StreamIdentity) -> EventLog:
        return PostgresEventLog.create(self.database_url, stream, clock=clock)

    def _open(self, log: EventLog) -> EventLog:
        return PostgresEventLog(self.database_url, log.stream_name, clock=clock)


class KafkaLogs(LogMaker):
    """Topics with Samza's settings on the run's broker; a job's name gets the test's own in front."""

    backend = "kafka"

    def __init__(self, opened: ExitStack, options: KafkaOptions, topics: "Topics", job_name: str) -> None:
        super().__init__(opened)
        self.options = options
        self._topics = topics
        self._job_name = job_name

    def create(self, kind: StreamKind = "coordinator", *, job_name: str | None = None) -> EventLog:
        own = f"{self._job_name}-{job_name}" if job_name else None
        return super().create(kind, job_name=own or f"{self._job_name}-{next(_numbers)}")

    def _create(self, stream: StreamIdentity) -> EventLog:
        self._topics.create(stream.stream_name)
        return self._kafka_log(stream)

    def _open(self, log: EventLog) -> EventLog:
        return self._kafka_log(identify(log.stream_name))

    def _kafka_log(self, stream: StreamIdentity) -> EventLog:
        from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415 (a run without a broker does not wait for it)

        return KafkaEventLog(self.options, stream, clock=clock)
