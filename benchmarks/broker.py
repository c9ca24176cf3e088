"""The broker of the tests, with topics that are not compacted during a measurement."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.fixtures.kafka_broker import JVM, running_broker
from tests.fixtures.kafka_jars import broker_jars
from tests.fixtures.kafka_topics import LASTING, Topics

JARS: Final = Path(".pytest_cache/d/kafka-jars")
"""The folder that the tests use too."""

TOPIC_SETTINGS: Final[Mapping[str, str]] = {
    **LASTING,
    "segment.bytes": str(2**31 - 1),  # the active segment is never compacted, however old its events are
    "message.timestamp.after.max.ms": str(2**63 - 1),  # some generated events are a century in the future
}

PRODUCTION_JVM: Final = (
    "-Xms1g",
    "-Xmx1g",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    *(option for option in JVM if option.startswith("-D")),
)
"""Heap and collector of Kafka's own scripts: with those of the tests, a full collection stops the broker for 200 ms."""


@contextmanager
def benchmark_broker(jars: Path = JARS) -> Iterator[Topics]:
    """The topics of a temporary broker, whose jars are fetched if missing."""
    jars.mkdir(parents=True, exist_ok=True)
    with (
        running_broker(broker_jars(jars, os.environ), jvm=PRODUCTION_JVM) as broker,
        Topics(broker.bootstrap_servers) as topics,
    ):
        yield topics
