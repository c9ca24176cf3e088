"""A process that appends events at a given rate; run as a module.

``python -m benchmarks.appending PLACE STREAM FIRST COUNT RATE`` appends one of the generated events, and then that many
at that rate, to a stream of a database (its URL) or of brokers, which ends at offset FIRST and has no other writer. It
prints a JSON list: when the append of each event after the first one began, in nanoseconds of the clock that all
processes of the machine share.

What stops this process, or the follower beside it, counts as latency. So events go to Kafka with librdkafka, which
takes little CPU, the first event opens what an append needs, and the garbage collector does not run.
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
from eventlog.events import NewEvent, no_collections
from eventlog.postgres.log import PostgresEventLog

SECOND_NS: Final = 1_000_000_000
ACKNOWLEDGED_SECONDS: Final = 30

Write = Callable[[Sequence[NewEvent]], None]
Writer = tuple[Write, Callable[[], object]]
"""The second function waits until all events are acknowledged."""


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
    events = (event for name, event in generate(sys.maxsize) if name == OLDEST_COORDINATOR)
    return [NewEvent(event.key, event.value) for event in islice(events, first, first + count)]


def _main(place: str, stream_name: str, first: str, count: str, rate: str) -> None:
    opening, *events = generated(int(first), 1 + int(count))
    offsets: list[int | None] = []
    with _writer(place, stream_name, offsets) as (write, flush), no_collections():
        write([opening])
        flush()
        times = _write_paced(events, float(rate), write)
        flush()
    if offsets != list(range(int(first), int(first) + 1 + len(events))):
        sys.exit(f"{stream_name} did not end at {first}, or has another writer. The figures would be wrong.")
    print(json.dumps(times))


def _write_paced(events: Sequence[NewEvent], rate: float, write: Write) -> list[int]:
    """Write all events together that are due, so that delays do not add up; return when each write began."""
    now = started = time.monotonic_ns()
    times: list[int] = []
    while (done := len(times)) < len(events):
        due = min(int((now - started) * rate / SECOND_NS) + 1, len(events))
        if due > done:
            write(events[done:due])
            times += [now] * (due - done)
        else:
            time.sleep(max(started + done / rate * SECOND_NS - now, 0) / SECOND_NS)
        now = time.monotonic_ns()
    return times


@contextmanager
def _writer(place: str, stream_name: str, offsets: list[int | None]) -> Iterator[Writer]:
    """Append to the stream, and note the offsets."""
    if place.startswith("postgresql://"):
        with PostgresEventLog(place, stream_name) as log:
            yield lambda events: offsets.extend(log.append(events)), lambda: None
    else:
        yield _kafka_writer(place, stream_name, offsets)


def _kafka_writer(brokers: str, stream_name: str, offsets: list[int | None]) -> Writer:
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

    return send, flush


if __name__ == "__main__":
    _main(*sys.argv[1:])
