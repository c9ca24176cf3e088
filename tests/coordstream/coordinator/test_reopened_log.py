"""A log that is opened again when its session has ended."""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from functools import partial

import pytest

from coordstream.coordinator.job_lock import JobLock
from coordstream.coordinator.process import CoordinatorProcess, CoordinatorRun
from coordstream.coordinator.reopened_log import ReopenedLog
from coordstream.coordinator.services import ServiceOptions
from eventlog.log import Clock, EventLog
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.source import SourceUnavailable
from managers.coordinator.serving_context import JobAttempt
from managers.job_models.job_coordinator_metadata import NON_YARN, JobCoordinatorMetadata, JobCoordinatorMetadataManager
from managers.job_models.job_model import JobModel
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import STREAM, ConditionalAppendContract
from tests.fixtures.database_sessions import end_sessions

METADATA = JobCoordinatorMetadata("deployment-1", "0", "0")


class TestReopenedLog(ConditionalAppendContract):
    @pytest.fixture(autouse=True)
    def _database(self, database_url: str) -> None:
        self.url = database_url

    def make_log(self, clock: Clock) -> EventLog:
        PostgresEventLog.create(self.url, STREAM).close()
        return ReopenedLog(partial(PostgresEventLog, self.url, STREAM.stream_name, clock=clock))

    def open_again(self, log: EventLog) -> EventLog:
        return PostgresEventLog(self.url, log.stream_name)


@pytest.fixture
def log(database_url: str) -> Iterator[EventLog]:
    PostgresEventLog.create(database_url, STREAM).close()
    with ReopenedLog(partial(PostgresEventLog, database_url, STREAM.stream_name)) as log:
        yield log


def test_a_coordinator_recovers_from_an_outage_of_its_stream_in_postgres(log: EventLog, database_url: str) -> None:
    with CoordinatorStreamStore(log) as store:
        JobCoordinatorMetadataManager(store, NON_YARN).write_job_coordinator_metadata(METADATA)
    lines: list[str] = []
    services = ServiceOptions("127.0.0.1", 0, lambda _config: nullcontext({}))
    with closing(JobLock(partial(connect, database_url), "orders", STREAM.stream_name)) as lock:
        assert lock.take()
        process = CoordinatorProcess(CoordinatorRun("orders", None, False, services, lines.append), log, lock)
        process.context.publish(JobAttempt({}, JobModel({}, {}), METADATA, frozenset()))
        process._keep_job()
        end_sessions(database_url)
        with pytest.raises(SourceUnavailable):
            process.context.read_locality()
        end_sessions(database_url)
        process._keep_job()
        process._watch.poll_once()
        process._keep_job()
        assert [*process._watch.failures()] == []
        assert process.context.read_locality() == {}
    outage = "The coordinator stream does not answer. Retrying; containers are still served."
    assert lines in ([], [outage, "Recovered."])
