"""The managers' store: how fast it reads a topic, its memory, and how long a put takes."""

import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from benchmarks.bootstrap import READERS, Bootstrap, bootstrap
from benchmarks.broker import TOPIC_SETTINGS
from benchmarks.server import BenchmarkServer
from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog
from eventlog.messages import Envelope
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import coordinator_stream_name, identify
from eventlog.wire.coordinator import encode_key
from managers.config.job_config import config_value
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.namespaced_key import NamespacedKey
from tests.fixtures.kafka_topics import Topics

KEYS: Final = 100_000
PUTS: Final = 1_000
WARM_UP: Final = 100
_CHUNK: Final = 50_000
_WRITER: Final = Envelope("job-runner", "10.0.0.1", "samza", 1_700_000_000_000)


class Library(NamedTuple):
    """Alternating bootstraps, and milliseconds of puts by the kind of log."""

    bootstraps: Mapping[str, Sequence[Bootstrap]]
    puts: Mapping[str, Sequence[float]]


def measure_library(server: BenchmarkServer, topics: Topics, events: int, rounds: int) -> Library:
    """Write a topic of ``events`` events with `KEYS` keys, read it both ways, and put keys to it and to Postgres."""
    name = topics.create(coordinator_stream_name("library"), TOPIC_SETTINGS)
    for first in range(0, events, _CHUNK):
        topics.write(name, [event(number) for number in range(first, min(first + _CHUNK, events))])
    turns = [(reader, bootstrap(reader, topics.bootstrap_servers, name)) for _ in range(rounds) for reader in READERS]
    with KafkaEventLog(KafkaOptions.parse(topics.bootstrap_servers), identify(name)) as log:
        puts = {"Kafka": put_times(log, PUTS)}
    with server.database("library") as url, PostgresEventLog.create(url, identify(name)) as log:
        puts["Postgres"] = put_times(log, PUTS)
    topics.delete_made()
    return Library({reader: [one for whose, one in turns if whose == reader] for reader in READERS}, puts)


def event(number: int) -> NewEvent:
    """A config key that is set for the n-th time."""
    key = f"systems.kafka.streams.topic-{number % KEYS}.samza.offset.default"
    return NewEvent(encode_key("set-config", key), config_value(key, f"value number {number}", _WRITER))


def put_times(log: EventLog, puts: int) -> list[float]:
    """Milliseconds of each put, which returns when it is acknowledged; the first ones are not measured."""
    times: list[float] = []
    with CoordinatorStreamStore(log) as store:
        for number in range(WARM_UP + puts):
            value = config_value("k", str(number), _WRITER)
            started = time.perf_counter()
            store.put(NamespacedKey("set-config", f"put.{number % 100}"), value)
            store.flush()
            times.append((time.perf_counter() - started) * 1000)
    return times[WARM_UP:]
