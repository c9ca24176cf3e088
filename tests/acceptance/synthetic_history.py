"""A generated history of a released job in a database of its own, and what the plain fold says of its prefixes."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from benchmarks.generator import RELEASED_CHECKPOINTS, RELEASED_COORDINATOR, RELEASED_JOB, generate
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from tests.oracle import log_times, to_time
from tests.oracle_job import Relations, job_relations
from tests.properties.generated_jobs import ARCHIVED_MS
from tests.properties.importing import import_events

JOB: Final = RELEASED_JOB
TASKS: Final = 200
CONFIG_KEYS: Final = 300


@dataclass(frozen=True)
class History:
    """A connection to where the events stand, and the events of the job's two logs with their log_time in ms."""

    connection: Connection
    coordinator: list[RecordedEvent]
    checkpoint: list[RecordedEvent]
    coordinator_times: list[int]
    checkpoint_times: list[int]

    def as_of_checkpoint(self, at: int) -> Relations:
        """What the relations say after the checkpoint topic's event number ``at``."""
        return self._relations(bisect_right(self.coordinator_times, self.checkpoint_times[at]), at + 1)

    def as_of_config(self, at: int) -> Relations:
        """What the relations say after the coordinator stream's event number ``at``."""
        return self._relations(at + 1, bisect_right(self.checkpoint_times, self.coordinator_times[at]))

    def as_of_time(self, ms: int) -> Relations:
        """What the relations say as of a time."""
        return self._relations(bisect_right(self.coordinator_times, ms), bisect_right(self.checkpoint_times, ms))

    def checkpoint_time(self, part: float) -> datetime | None:
        """log_time after this part of the checkpoint topic."""
        return to_time(self.checkpoint_times[int(part * (len(self.checkpoint) - 1))])

    def _relations(self, coordinator: int, checkpoint: int) -> Relations:
        topic = self._checkpoint_keys.newest_before(checkpoint)
        return job_relations(self._coordinator_keys.newest_before(coordinator), topic or None)

    @cached_property
    def _coordinator_keys(self) -> "EventsByKey":
        return EventsByKey(self.coordinator)

    @cached_property
    def _checkpoint_keys(self) -> "EventsByKey":
        return EventsByKey(self.checkpoint)


class EventsByKey:
    """The events of a log by key: the last one of each key in a prefix is found without reading the prefix.

    All events of these logs can be decoded, so that earlier ones of a key do not matter.
    """

    def __init__(self, events: list[RecordedEvent]) -> None:
        self._events = events
        self._places: dict[bytes | None, list[int]] = {}
        for place, event in enumerate(events):
            self._places.setdefault(event.key, []).append(place)

    def newest_before(self, end: int) -> list[RecordedEvent]:
        """The last event of each key among the first ``end`` events, in the order of the log."""
        last = (places[bisect_left(places, end) - 1] for places in self._places.values() if places[0] < end)
        return [self._events[place] for place in sorted(last)]


def load_history(connection: Connection, count: int) -> History:
    """Import generated events of all their jobs, and print the duration."""
    by_stream: dict[str, list[RecordedEvent]] = {}
    for stream_name, event in generate(count, tasks=TASKS, config_keys=CONFIG_KEYS):
        by_stream.setdefault(stream_name, []).append(event)
    started = time.monotonic()
    for stream_name, events in by_stream.items():
        import_events(connection, stream_name, events)
    print(f"\n{count} events imported in {time.monotonic() - started:.1f} s")
    connection.execute("vacuum analyze")
    logs = by_stream[RELEASED_COORDINATOR], by_stream[RELEASED_CHECKPOINTS]
    return History(connection, *logs, *(log_times(log, ARCHIVED_MS) for log in logs))


def plan(connection: Connection, query: str, *values: object) -> dict[str, Any]:
    """The plan of a query as it was executed, with the buffers it touched."""
    explained = connection.execute(f"explain (analyze, buffers, format json) {query}".encode(), values).fetchone()
    assert explained is not None
    found: dict[str, Any] = explained[0][0]["Plan"]
    return found


def buffers(executed: dict[str, Any]) -> int:
    """Shared buffers that a plan touched, in memory or not."""
    return int(executed["Shared Hit Blocks"] + executed["Shared Read Blocks"])


def scans(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a plan that read a table."""
    if "Relation Name" in node:
        yield node
    for inner in node.get("Plans", []):
        yield from scans(inner)
