"""A process that reads a topic; run as a module.

``python -m benchmarks.bootstrap READER BROKERS STREAM``, where READER is ``store`` (a store's bootstrap) or ``plain``
(kafka-python's consumer, which looks at nothing). It prints JSON, the fields of `Bootstrap`.
"""

import gc
import json
import subprocess
import sys
import time
from typing import Final, NamedTuple

from kafka import KafkaConsumer, TopicPartition

from benchmarks.processes import resident_bytes
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.streams import identify
from managers.stores.coordinator_store import CoordinatorStreamStore

READERS: Final = ("plain", "store")


class Bootstrap(NamedTuple):
    """How long reading a topic to its end took, and how much memory it needs afterwards (none for the plain reader).

    ``grown_bytes``: of the process's memory, from before the reading to after it; None: unknown.
    """

    events: int
    seconds: float
    live_keys: int
    live_bytes: int
    grown_bytes: int | None


def bootstrap(reader: str, brokers: str, stream_name: str) -> Bootstrap:
    """Read the topic in a new process. Raises CalledProcessError."""
    command = [sys.executable, "-m", "benchmarks.bootstrap", reader, brokers, stream_name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Bootstrap(*json.loads(done.stdout))


def _store(brokers: str, stream_name: str) -> Bootstrap:
    with KafkaEventLog(KafkaOptions.parse(brokers), identify(stream_name)) as log:
        before = resident_bytes()
        started = time.perf_counter()
        with CoordinatorStreamStore(log) as store:
            seconds = time.perf_counter() - started
            gc.collect()
            grown = _difference(resident_bytes(), before)
            held = store.all()
            sizes = sum(len(name.namespace) + len(name.key) + len(value) for name, value in held.items())
            return Bootstrap(store.position, seconds, len(held), sizes, grown)


def _plain(brokers: str, stream_name: str) -> Bootstrap:
    consumer = KafkaConsumer(bootstrap_servers=brokers, group_id=None)
    partition = TopicPartition(stream_name, 0)
    started = time.perf_counter()
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    end = consumer.end_offsets([partition])[partition]
    events = 0
    for record in consumer:
        events += 1
        if record.offset + 1 >= end:
            break
    seconds = time.perf_counter() - started
    consumer.close()
    return Bootstrap(events, seconds, 0, 0, None)


def _difference(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before


if __name__ == "__main__":
    print(json.dumps({"plain": _plain, "store": _store}[sys.argv[1]](*sys.argv[2:])))
