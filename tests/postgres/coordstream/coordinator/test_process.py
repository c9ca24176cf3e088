"""The process of a job coordinator that loses its lock."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial

import pytest

from coordstream.coordinator import process as processes
from coordstream.coordinator.checks import OpenAdmins
from coordstream.coordinator.job_lock import JobLock, JobTakenOver
from coordstream.coordinator.process import CoordinatorProcess, CoordinatorRun
from eventlog.errors import EventLogError
from eventlog.log import EventLog, MemoryEventLog
from eventlog.postgres.connection import connect
from eventlog.source import SourceUnavailable
from eventlog.streams import identify
from managers.config.job_config import set_config
from managers.coordinator.serving_context import JobAttempt
from managers.job_models.job_coordinator_metadata import NON_YARN, JobCoordinatorMetadata, JobCoordinatorMetadataManager
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model
from managers.job_names import Config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from managers.stream_creation import InputAdmin

STREAM = "__samza_coordinator_orders_1"
METADATA = JobCoordinatorMetadata("deployment-1", "0", "0")
MODEL = build_job_model({"task.inputs": "kafka.in"}, {("kafka", "in"): range(4)}, {})
NO_TASKS = JobModel({}, {})


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog(identify(STREAM))


@pytest.fixture
def store(log: MemoryEventLog) -> Iterator[CoordinatorStreamStore]:
    with CoordinatorStreamStore(log) as store:
        JobCoordinatorMetadataManager(store, NON_YARN).write_job_coordinator_metadata(METADATA)
        yield store


@pytest.fixture
def lock(database_url: str) -> Iterator[JobLock]:
    with closing(JobLock(partial(connect, database_url), "orders", STREAM)) as lock:
        yield lock


@pytest.fixture
def lines() -> list[str]:
    """What the process reports."""
    return []


def process_of(
    log: EventLog, lock: JobLock, lines: list[str] | None = None, model: JobModel | None = NO_TASKS
) -> CoordinatorProcess:
    """A process of a job without inputs, which serves a job model unless that is None."""
    run = CoordinatorRun("orders", no_admins, ([] if lines is None else lines).append)
    process = CoordinatorProcess(run, log, lock)
    if model is not None:
        process.context.attempt = JobAttempt({}, model, METADATA, frozenset())
    return process


def no_admins(_config: Config) -> AbstractContextManager[Mapping[str, InputAdmin]]:
    """Of a job without inputs."""
    return nullcontext({})


def test_a_lock_that_was_lost_and_free_again_is_taken_unless_the_job_changed(
    log: MemoryEventLog, store: CoordinatorStreamStore, lock: JobLock
) -> None:
    process = process_of(log, lock)
    assert lock.require()
    assert not lock.require()
    lock.close()
    process._keep_lock()
    lock.close()
    other = JobCoordinatorMetadata("deployment-2", "0", "0")
    JobCoordinatorMetadataManager(store, NON_YARN).write_job_coordinator_metadata(other)
    with pytest.raises(JobTakenOver):
        process._keep_lock()


def test_the_job_is_checked_after_an_outage_of_lock_and_stream(
    log: MemoryEventLog, store: CoordinatorStreamStore, lock: JobLock, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = process_of(log, lock, lines)
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
    log: MemoryEventLog, store: CoordinatorStreamStore, lock: JobLock, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "RETRY_SECONDS", 0)
    monkeypatch.setattr(processes, "CHECK_SECONDS", 0.01)
    set_config(store, "job.name", "orders")
    answers: list[OpenAdmins] = [unavailable, unavailable, lambda _config: nullcontext({})]

    def open_admins(config: Config) -> AbstractContextManager[Mapping[str, InputAdmin]]:
        if len(answers) == 1:
            process.request_stop()
        return answers.pop(0)(config)

    assert lock.take()
    process = CoordinatorProcess(CoordinatorRun("orders", open_admins, lines.append), log, lock)
    process.context.attempt = JobAttempt({}, NO_TASKS, METADATA, frozenset())
    process.context.changes.put("kafka.in has 16 partitions; the job model has 8")
    process.wait()
    assert lines[:2] == [
        "kafka.in has 16 partitions; the job model has 8.",
        "The job model stays as it is: No broker answers.",
    ]
    assert (answers, len(lines)) == ([], 3)


def unavailable(_: object) -> AbstractContextManager[Mapping[str, InputAdmin]]:
    """A broker that does not answer."""
    raise SourceUnavailable("No broker answers.")


def test_a_lock_that_was_lost_in_a_write_ends_the_write(
    log: MemoryEventLog, store: CoordinatorStreamStore, lock: JobLock
) -> None:
    key, losses = NamespacedKey("set-config", "count"), iter(["once"])

    def add_one(current: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
        return {key: str(int(current.get(key, b"0")) + 1).encode()}

    def lose_lock_and_add_one(current: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
        if next(losses, None):
            lock.close()
            store.put(key, b"5")
        return add_one(current)

    assert lock.take()
    process = process_of(log, lock)
    with pytest.raises(EventLogError, match="ended the session with the lock of orders, so nothing was written"):
        process._store.update(lose_lock_and_add_one, "set-config")
    assert store.get(key) == b"5"
    process._keep_lock()
    process._store.update(add_one, "set-config")
    assert store.get(key) == b"6"


def test_a_process_that_does_not_go_on_is_a_failure(
    log: MemoryEventLog, lock: JobLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = process_of(log, lock)
    process.request_stop()
    process.wait()
    assert list(process.failures()) == []
    monkeypatch.setattr(processes, "HANGS_AFTER_SECONDS", -1)
    (failure,) = process.failures()
    assert failure.startswith("The coordinator hangs: it has not checked its lock for 0 s")


def test_a_lock_that_is_lost_in_the_start_ends_it(
    log: MemoryEventLog, store: CoordinatorStreamStore, lock: JobLock
) -> None:
    position = store.position
    assert lock.take()
    process = process_of(log, lock, model=None)
    lock.close()
    with pytest.raises(JobTakenOver, match="The start of orders was interrupted"):
        process._coordinator.publish_url("http://localhost/")
    assert log.end_offset() == position
