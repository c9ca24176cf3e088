"""A process that appends events at a given rate; run as a module.

``python -m benchmarks.appending PLACE STREAM FIRST COUNT RATE`` appends one of the generated events, and then that many
at that rate, to a stream of a database (its URL) or of brokers, which ends at offset FIRST and has no other writer. It
prints a JSON list: when the append of each event after the first one began, in nanoseconds of the clock that all
processes of the machine share.

What would stop this process, or the follower beside it, would count as latency. So events go to Kafka with librdkafka:
with kafka-python, this process took two thirds of a core at 1,000 events a second. The first event opens what an append
needs, the garbage collector does not run, which took 45 ms, and nothing else runs until all events are acknowledged.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from benchmarks.generator import OLDEST_COORDINATOR, generate
from benchmarks.pace import write_paced
from eventlog.events import NewEvent, no_collections
from eventlog.postgres.log import PostgresEventLog

ACKNOWLEDGED_SECONDS: Final = 30
_ENDLESS: Final = sys.maxsize

Write = Callable[[Sequence[NewEvent]], None]
Flush = Callable[[], object]


def start_appending(place: str, stream_name: str, first: int, count: int, rate: float) -> subprocess.Popen[str]:
    """Start the process; `began` waits until it ends."""
    command = [sys.executable, "-m", "benchmarks.appending", place, stream_name, str(first), str(count), str(rate)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def began(appending: subprocess.Popen[str]) -> list[int]:
    """When each append began. Raises CalledProcessError: the process failed."""
    printed, _ = appending.communicate()
    if appending.returncode:
        raise subprocess.CalledProcessError(appending.returncode, "benchmarks.appending")
    times: list[int] = json.loads(printed)
    return times


def generated(first: int, count: int) -> list[NewEvent]:
    """Events of a generated coordinator stream from an offset on."""
    events = (event for name, event in generate(_ENDLESS) if name == OLDEST_COORDINATOR)
    return [NewEvent(event.key, event.value) for event in islice(events, first, first + count)]


def _main(place: str, stream_name: str, first: str, count: str, rate: str) -> None:
    opening, *events = generated(int(first), 1 + int(count))
    offsets: list[int | None] = []
    with _writer(place, stream_name, offsets) as (write, flush), no_collections():
        write([opening])
        flush()
        times = write_paced(events, float(rate), write, time.monotonic_ns, time.sleep)
        flush()
    if offsets != list(range(int(first), int(first) + 1 + len(events))):
        sys.exit(f"{stream_name} did not end at {first}, or has another writer. The figures would be wrong.")
    print(json.dumps(times))


@contextmanager
def _writer(place: str, stream_name: str, offsets: list[int | None]) -> Iterator[tuple[Write, Flush]]:
    """Append to the stream, and note the offsets; the second function waits until all events are acknowledged."""
    if not place.startswith("postgresql://"):
        with _kafka_writer(place, stream_name, offsets) as writer:
            yield writer
        return
    with PostgresEventLog(place, stream_name) as log:
        yield lambda events: offsets.extend(log.append(events)), lambda: None


@contextmanager
def _kafka_writer(brokers: str, stream_name: str, offsets: list[int | None]) -> Iterator[tuple[Write, Flush]]:
    """Write as Samza's containers do: send each event at once, without waiting for acknowledgements."""
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": 0})
    producer.list_topics(stream_name, ACKNOWLEDGED_SECONDS)  # connects and loads the topic's metadata

    def note(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            raise KafkaException(error)
        offsets.append(message.offset())

    def send(events: Sequence[NewEvent]) -> None:
        for event in events:
            producer.produce(stream_name, event.value, event.key, partition=0, on_delivery=note)
        producer.poll(0)

    def flush() -> None:
        if missing := producer.flush(ACKNOWLEDGED_SECONDS):
            raise TimeoutError(f"{missing} events were not acknowledged within {ACKNOWLEDGED_SECONDS} s.")

    yield send, flush


if __name__ == "__main__":
    _main(*sys.argv[1:])
