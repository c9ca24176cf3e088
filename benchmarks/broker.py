"""A broker for the figures: that of the tests, and topics in which nothing is compacted away meanwhile."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.fixtures.kafka_broker import running_broker
from tests.fixtures.kafka_jars import broker_jars
from tests.fixtures.kafka_topics import LASTING, Topics

JARS: Final = Path(".pytest_cache/d/kafka-jars")
"""Where the tests keep them too."""

TOPIC_SETTINGS: Final[Mapping[str, str]] = {
    **LASTING,
    "min.compaction.lag.ms": "86400000",
    "message.timestamp.after.max.ms": str(2**63 - 1),  # some generated events are a century ahead
}


@contextmanager
def benchmark_broker(jars: Path = JARS) -> Iterator[Topics]:
    """The topics of a broker that is gone afterwards; its jars are fetched if they are not there."""
    jars.mkdir(parents=True, exist_ok=True)
    with running_broker(broker_jars(jars, os.environ)) as broker, Topics(broker.bootstrap_servers) as topics:
        yield topics
