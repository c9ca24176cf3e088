"""Fixtures of the managers' tests: logs on three backends."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from eventlog.log import EventLog, MemoryEventLog
from eventlog.streams import identify
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.managers.log_makers import KafkaLogs, LogMaker, MemoryLogs, PostgresLogs


@pytest.fixture(params=["memory", "postgres", pytest.param("kafka", marks=pytest.mark.kafka)])
def logs(request: pytest.FixtureRequest) -> Iterator[LogMaker]:
    """Creates logs, on each backend: ``logs.create("checkpoint")``, ``logs.open_again(log)``."""
    with ExitStack() as opened:
        if request.param == "memory":
            yield MemoryLogs(opened)
        elif request.param == "postgres":
            yield PostgresLogs(opened, request.getfixturevalue("database_url"))
        else:
            wanted = [request.getfixturevalue(name) for name in ("kafka_options", "topics", "job_name")]
            yield KafkaLogs(opened, *wanted)


@pytest.fixture
def coordinator_log(logs: LogMaker) -> EventLog:
    return logs.create()


@pytest.fixture
def coordinator_store(coordinator_log: EventLog) -> Iterator[CoordinatorStreamStore]:
    with CoordinatorStreamStore(coordinator_log) as store:
        yield store


@pytest.fixture
def topic(logs: LogMaker) -> EventLog:
    """An empty checkpoint topic, on each backend."""
    return logs.create("checkpoint")


@pytest.fixture
def memory_topic() -> MemoryEventLog:
    """An empty checkpoint topic in memory, for tests that do not depend on the backend."""
    return MemoryEventLog(identify("__samza_checkpoint_ver_1_for_orders_1"))
