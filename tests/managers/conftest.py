"""Fixtures of the managers' tests: logs on three backends."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from eventlog.log import EventLog
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
    """An empty coordinator stream, on each backend."""
    return logs.create()


@pytest.fixture
def coordinator_store(coordinator_log: EventLog) -> Iterator[CoordinatorStreamStore]:
    """An open store of an empty coordinator stream, on each backend."""
    with CoordinatorStreamStore(coordinator_log) as store:
        yield store
