"""The process of a job coordinator that loses its lock."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial

import pytest

from coordstream.coordinator import process as processes
from coordstream.coordinator.job_lock import JobLock, JobTakenOver
from coordstream.coordinator.process import CoordinatorProcess, CoordinatorRun
from coordstream.coordinator.services import OpenAdmins, ServiceOptions
from eventlog.memory import MemoryEventLog
from eventlog.postgres.connection import connect
from eventlog.source import SourceUnavailable
from eventlog.streams import identify
from managers.config.job_config import set_config
from managers.coordinator.job_attempt import JobAttempt
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata
from managers.job_models.job_coordinator_metadata_manager import NON_YARN, JobCoordinatorMetadataManager
from managers.job_models.job_model import JobModel
from managers.job_names import Config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.input_admin import InputAdmin

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


def test_the_job_is_checked_after_an_outage_of_lock_and_stream(
    store: CoordinatorStreamStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    services = ServiceOptions("127.0.0.1", 0, lambda _config: nullcontext({}))
    with closing(JobLock(partial(connect, database_url), "orders", STREAM)) as lock:
        process = CoordinatorProcess(CoordinatorRun("orders", None, False, services, lines.append), store, lock)
        process.context.publish(JobAttempt({}, JobModel({}, {}), METADATA, frozenset()))
        with monkeypatch.context() as outage:
            outage.setattr(process._coordinator, "is_current", unavailable)
            process._keep_lock()
            process._keep_lock()
        assert lines == ["The coordinator stream does not answer. Retrying; containers are still served."]
        other = JobCoordinatorMetadata("deployment-2", "0", "0")
        JobCoordinatorMetadataManager(store, NON_YARN).write_job_coordinator_metadata(other)
        with pytest.raises(JobTakenOver):
            process._coordinator.publish_url("http://localhost/")


def test_a_change_is_not_forgotten_in_an_outage(
    store: CoordinatorStreamStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "RETRY_SECONDS", 0)
    set_config(store, "job.name", "orders")
    lines: list[str] = []
    answers: list[OpenAdmins] = [unavailable, unavailable, lambda _config: nullcontext({})]

    def open_admins(config: Config) -> AbstractContextManager[Mapping[str, InputAdmin]]:
        return answers.pop(0)(config)

    services = ServiceOptions("127.0.0.1", 0, open_admins)
    with closing(JobLock(partial(connect, database_url), "orders", STREAM)) as lock:
        process = CoordinatorProcess(CoordinatorRun("orders", None, False, services, lines.append), store, lock)
        process._react("kafka.in has 16 partitions; the job model has 8")
        process._retry()
        assert lines == [
            "kafka.in has 16 partitions; the job model has 8.",
            "The job model stays as it is: No broker answers.",
        ]
        process._retry()
        process._retry()
        assert (answers, len(lines)) == ([], 3)


def unavailable(_: object) -> AbstractContextManager[Mapping[str, InputAdmin]]:
    """A broker that does not answer."""
    raise SourceUnavailable("No broker answers.")
