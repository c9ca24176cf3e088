"""Fixtures of the managers' tests: logs on three backends."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import StreamIdentity, identify
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import clock
from tests.managers.log_makers import LogMaker

if TYPE_CHECKING:  # a run without a broker does not wait for it
    from tests.fixtures.kafka_topics import Topics


@pytest.fixture(params=["memory", "postgres", pytest.param("kafka", marks=pytest.mark.kafka)])
def logs(request: pytest.FixtureRequest) -> Iterator[LogMaker]:
    """Creates logs, on each backend: ``logs.create("checkpoint")``, ``logs.open_again(log)``."""
    with ExitStack() as opened:
        if request.param == "memory":
            yield LogMaker(opened)
        elif request.param == "postgres":
            url = request.getfixturevalue("database_url")
            yield LogMaker(
                opened,
                lambda stream: PostgresEventLog.create(url, stream, clock=clock),
                lambda log: PostgresEventLog(url, log.stream_name, clock=clock),
            )
        else:
            yield kafka_logs(opened, *map(request.getfixturevalue, ("kafka_options", "topics", "job_name")))


def kafka_logs(opened: ExitStack, options: KafkaOptions, topics: "Topics", job_name: str) -> LogMaker:
    """Topics with Samza's settings on the run's broker."""
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415 (a run without a broker does not wait for it)

    def create(stream: StreamIdentity) -> EventLog:
        topics.create(stream.stream_name)
        return KafkaEventLog(options, stream, clock=clock)

    return LogMaker(
        opened, create, lambda log: KafkaEventLog(options, identify(log.stream_name), clock=clock), job_name
    )


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
