"""What a running coordinator reports about the config on its stream."""

from collections.abc import Iterator
from typing import Final

import pytest

from coordstream.coordinator.config_watch import ConfigWatch
from eventlog.log import MemoryEventLog
from eventlog.source import SourceUnavailable
from eventlog.streams import identify
from managers.assignments.job_model_assignments import LocalityManager
from managers.config.job_config import delete_config, set_config, write_config
from managers.coordinator.serving_context import JobAttempt, JobServingContext
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata
from managers.job_models.job_model import JobModel
from managers.stores.coordinator_store import CoordinatorStreamStore

GROUPER: Final = "job.systemstreampartition.grouper.factory"
CONFIG: Final = {"job.name": "orders", "task.class": "demo.Task", "db.password": "hunter2"}


class Watched:
    """A stream, and the sentences about it."""

    def __init__(self, store: CoordinatorStreamStore) -> None:
        self.store = store
        self.context = JobServingContext(LocalityManager(store).read_locality)
        self.sentences: list[str] = []
        self.serve(CONFIG)
        self.watch = ConfigWatch(store, self.context, self.sentences.append)
        self.watch.start()
        self.watch.stop()  # its thread; the tests poll

    def serve(self, config: dict[str, str]) -> None:
        metadata = JobCoordinatorMetadata("1", "1", "1")
        self.context.attempt = JobAttempt(config, JobModel(config, {}), metadata, frozenset())

    def poll(self) -> list[str]:
        self.sentences.clear()
        self.watch.poll()
        return self.sentences


@pytest.fixture
def watched() -> Iterator[Watched]:
    with CoordinatorStreamStore(MemoryEventLog(identify("__samza_coordinator_orders_1"))) as store:
        write_config(store, CONFIG)
        yield Watched(store)


def test_keys_are_reported_without_values(watched: Watched) -> None:
    set_config(watched.store, "db.password", "hunter3")
    delete_config(watched.store, "task.class")
    assert watched.poll() == ["The config changed (db.password, task.class). The next start uses it."]
    assert watched.poll() == []


def test_the_same_value_is_not_reported(watched: Watched) -> None:
    write_config(watched.store, CONFIG)
    assert watched.poll() == []


def test_what_the_coordinator_serves_is_not_reported(watched: Watched) -> None:
    new = {**CONFIG, "task.inputs": "kafka.orders"}
    write_config(watched.store, new)
    watched.serve(new)
    assert watched.poll() == []


def test_a_write_once_key_is_reported_as_such(watched: Watched) -> None:
    set_config(watched.store, GROUPER, "demo.Grouper", force=True)
    assert watched.poll()[0].startswith(f"Another program changed {GROUPER}, which may be set only once: ")


def test_an_outage_is_reported_once_and_when_it_ends(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as outage:
        outage.setattr(watched.store, "catch_up", unavailable)
        watched.watch.check_once()
        watched.watch.check_once()
        assert watched.watch.has_outage
    watched.watch.check_once()
    assert watched.sentences == ["No broker answers. Retrying.", "The coordinator stream can be read again."]
    assert not watched.watch.has_outage


def test_an_outage_after_an_unexpected_error_is_no_failure(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(watched.store, "catch_up", fail)
    watched.watch.check_once()
    assert list(watched.watch.failures()) == ["The watch of the config failed unexpectedly: ZeroDivisionError."]
    monkeypatch.setattr(watched.store, "catch_up", unavailable)
    watched.watch.check_once()
    assert list(watched.watch.failures()) == []


def unavailable() -> None:
    """A broker that does not answer."""
    raise SourceUnavailable("No broker answers.")
