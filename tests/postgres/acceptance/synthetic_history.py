"""A generated history of a released job in a database of its own, and plans of queries."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from benchmarks.generator import RELEASED_CHECKPOINTS, RELEASED_COORDINATOR, RELEASED_JOB, generate
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS
from tests.fixtures.properties.importing import import_events
from tests.oracle import log_times, to_time

JOB: Final = RELEASED_JOB
TASKS: Final = 200
CONFIG_KEYS: Final = 300


class History(NamedTuple):
    """A connection to where the events are, and those of the job's two logs, with log_time in ms of the checkpoints."""

    connection: Connection
    coordinator: list[RecordedEvent]
    checkpoint: list[RecordedEvent]
    checkpoint_times: list[int]

    def checkpoint_time(self, part: float) -> datetime | None:
        """log_time after this part of the checkpoint topic."""
        return to_time(self.checkpoint_times[int(part * (len(self.checkpoint) - 1))])


def load_history(connection: Connection, count: int) -> History:
    """Import generated events of all their jobs."""
    by_stream: dict[str, list[RecordedEvent]] = {}
    for stream_name, event in generate(count, tasks=TASKS, config_keys=CONFIG_KEYS):
        by_stream.setdefault(stream_name, []).append(event)
    for stream_name, events in by_stream.items():
        import_events(connection, stream_name, events)
    connection.execute("vacuum analyze")
    checkpoints = by_stream[RELEASED_CHECKPOINTS]
    return History(connection, by_stream[RELEASED_COORDINATOR], checkpoints, log_times(checkpoints, ARCHIVED_MS))


def plan(connection: Connection, query: str, *values: object) -> dict[str, Any]:
    """The plan of a query as it was executed, with the buffers it touched."""
    explained = connection.execute(f"explain (analyze, buffers, format json) {query}".encode(), values).fetchone()
    assert explained is not None
    found: dict[str, Any] = explained[0][0]["Plan"]
    return found


def buffers(executed: dict[str, Any]) -> int:
    """Shared buffers that a plan touched, in memory or not."""
    return int(executed["Shared Hit Blocks"] + executed["Shared Read Blocks"])


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A plan's node and all below it."""
    yield node
    for below in node.get("Plans", []):
        yield from nodes(below)


def scans(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a plan that read a table."""
    return (each for each in nodes(node) if "Relation Name" in each)
