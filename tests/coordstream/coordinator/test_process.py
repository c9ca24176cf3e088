"""The process of a job coordinator that loses its lock."""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from functools import partial

import pytest

from coordstream.coordinator.job_lock import JobLock, JobTakenOver
from coordstream.coordinator.process import CoordinatorProcess, CoordinatorRun
from coordstream.coordinator.services import ServiceOptions
from eventlog.memory import MemoryEventLog
from eventlog.postgres.connection import connect
from eventlog.streams import identify
from managers.coordinator.job_attempt import JobAttempt
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata
from managers.job_models.job_coordinator_metadata_manager import NON_YARN, JobCoordinatorMetadataManager
from managers.job_models.job_model import JobModel
from managers.stores.coordinator_store import CoordinatorStreamStore

STREAM = "__samza_coordinator_orders_1"
METADATA = JobCoordinatorMetadata("deployment-1", "0", "0")


@pytest.fixture
def store() -> Iterator[CoordinatorStreamStore]:
    with CoordinatorStreamStore(MemoryEventLog(identify(STREAM))) as store:
        JobCoordinatorMetadataManager(store, NON_YARN).write_job_coordinator_metadata(METADATA)
        yield store


def test_a_lock_that_was_lost_and_free_again_is_taken_unless_the_job_changed(
    store: CoordinatorStreamStore, database_url: str
) -> None:
    services = ServiceOptions("127.0.0.1", 0, lambda _config: nullcontext({}))
    run = CoordinatorRun("orders", None, False, services, lambda _line: None)
    with closing(JobLock(partial(connect, database_url), "orders", STREAM)) as lock:
        process = CoordinatorProcess(run, store, lock)
        assert lock.require()
        assert not lock.require()
        process.context.publish(JobAttempt({}, JobModel({}, {}), METADATA, frozenset()))
        lock.close()
        process._keep_lock()
        lock.close()
        other = JobCoordinatorMetadata("deployment-2", "0", "0")
        JobCoordinatorMetadataManager(store, NON_YARN).write_job_coordinator_metadata(other)
        with pytest.raises(JobTakenOver):
            process._keep_lock()
