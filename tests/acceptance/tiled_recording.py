"""Recording A many times over, each time under another job's name, and what the relations say of all of them."""

import json
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from tests.acceptance.imported_job import import_events
from tests.acceptance.samza_answers import recorded_stream
from tests.properties.importing import CURRENT, HISTORIES

_JOB: Final = b'"wordcount_pv"'
RELATIONS: Final = (*(name for name in CURRENT if name != "starting_offset"), *HISTORIES)
_TABLE_DIGESTS: Final = """
select job_name, count(*), md5(string_agg(r::text, chr(10) order by r::text))
from (select job_name, to_jsonb(t) - 'is_expired' r from coordinator.{} t) _ group by 1
"""
"""Whether a startpoint is expired is judged when it is asked, and the recorded ones expired on the day of recording."""
_ARCHIVE_DIGESTS: Final = """
select l.stream_name, l.incarnation, count(*), min(e.log_offset), max(e.log_offset),
  md5(string_agg(concat_ws(' ', e.log_offset, e.record_time, encode(e.key, 'hex'), encode(e.value, 'hex')), chr(10)
                 order by e.log_offset))
from eventlog.event e join eventlog.log l using (log_id) group by 1, 2 order by 1, 2
"""
_POSITIONS: Final = """
select j.stream_name, p.next_offset from projection.position p join projection.job_log j using (log_id) order by 1, 2
"""

Digests = dict[str, list[tuple[object, ...]]]


class Tile(NamedTuple):
    """One stream of one of the jobs, and its events."""

    stream_name: str
    events: tuple[RecordedEvent, ...]


def stream_names(jobs: int) -> list[str]:
    """The streams of a number of jobs, two per job."""
    return [name for job in range(jobs) for name in _names(job)]


def tiles(jobs: int) -> Iterator[Tile]:
    """The streams of a number of jobs with their events."""
    for job in range(jobs):
        coordinator, checkpoint = _names(job)
        yield Tile(coordinator, renamed(recorded_stream("coordinator"), f"wordcount_pv_{job}"))
        yield Tile(checkpoint, recorded_stream("checkpoint"))


def as_new(events: Iterable[RecordedEvent]) -> list[NewEvent]:
    """The events, to be appended to another log with the times that they have."""
    return [NewEvent(event.key, event.value, event.timestamp) for event in events]


def import_tiles(connection: Connection, jobs: int) -> None:
    """Import them, which is what following is held to."""
    for stream_name, events in tiles(jobs):
        import_events(connection, stream_name, events)


def digests(connection: Connection) -> Digests:
    """Count and digest of each relation's rows, by job, and of the archive's, by stream; and all positions."""
    queries = {name: _TABLE_DIGESTS.format(name) for name in RELATIONS}
    queries |= {"archive": _ARCHIVE_DIGESTS, "positions": _POSITIONS}
    return {name: connection.execute(query.encode()).fetchall() for name, query in queries.items()}


def _names(job: int) -> tuple[str, str]:
    name = f"wordcount-pv-{job}"
    return coordinator_stream_name(name), checkpoint_stream_name(name)


def renamed(events: Iterable[RecordedEvent], job_name: str) -> tuple[RecordedEvent, ...]:
    """The events of the coordinator stream as a job of another name would have written them."""
    name = json.dumps(job_name).encode()
    return tuple(
        event if event.value is None else event._replace(value=event.value.replace(_JOB, name)) for event in events
    )
