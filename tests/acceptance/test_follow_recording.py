"""Recording A on compacted topics with transactions: its relations are those of an import."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import pytest

from eventlog.events import NewEvent, RecordedEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from projections.follow.follow_run import FollowPlan
from tests.acceptance.imported_job import IMPORTED_AT, SETTINGS, ImportedJob
from tests.acceptance.samza_answers import recorded_stream
from tests.acceptance.tiled_recording import as_new, renamed
from tests.fixtures.kafka_topics import COMPACTED_SOON, Topics
from tests.projections.follow.running import following, wait_for_position
from tests.properties.importing import CURRENT

AS_OF: Final = "'2026-12-01 00:00:00+00'"
OFFSETS: Final = frozenset({"log_offset", "startpoint_log_offset", "checkpoint_log_offset"})
"""Columns that other records in between change."""
SPAN: Final = frozenset({"first_record_time", "last_record_time"})
"""Columns of a job that compaction changes."""

NEVER: Final = NewEvent(b'[1,"set-config","never.committed"]', b'{"values":{"value":"1"}}')

Recording = dict[str, Sequence[RecordedEvent]]
Rows = dict[str, list[str]]


def chunks(events: Sequence[RecordedEvent]) -> Iterator[list[NewEvent]]:
    """The events in chunks of random sizes, to be appended."""
    rng, first = random.Random(3), 0
    while first < len(events):
        until = first + rng.choice([1, 2, 7, 40, 150])
        yield as_new(events[first:until])
        first = until


@pytest.fixture
def recording(job_name: str) -> Recording:
    """The recording, with the name of the test's own job."""
    return {
        coordinator_stream_name(job_name): renamed(recorded_stream("coordinator"), job_name),
        checkpoint_stream_name(job_name): recorded_stream("checkpoint"),
    }


@pytest.fixture
def source(kafka_options: KafkaOptions) -> Iterator[KafkaSource]:
    with KafkaSource(kafka_options) as opened:
        yield opened


def rows(
    connection: Connection, job_name: str, relations: Sequence[str], left_out: frozenset[str] = frozenset()
) -> Rows:
    """Return the job's rows of relations, without some columns, as text."""
    found: Rows = {}
    for relation in relations:
        place = f"{relation} where job_name = '{job_name}'"
        if relation == "starting_offset":
            place = f"starting_offset_as_of('{job_name}', '1', {AS_OF})"
        cursor = connection.execute(f"select * from coordinator.{place}".encode())
        places = [at for at, column in enumerate(cursor.description or ()) if column.name not in left_out]
        found[relation] = sorted(repr([row[at] for at in places]) for row in cursor)
    return found


def imported(connection: Connection, job_name: str, recording: Recording) -> ImportedJob:
    job = ImportedJob(connection, job_name)
    for stream_name, events in recording.items():
        job.import_recorded(stream_name, events)
    return job


def test_compaction_and_transaction_markers_change_no_current_relation(
    clone_database: Callable[[], str],
    database_url: str,
    topics: Topics,
    source: KafkaSource,
    recording: Recording,
    job_name: str,
) -> None:
    with connect(clone_database()) as connection:
        imported(connection, job_name, recording)
        expected = rows(connection, job_name, CURRENT, OFFSETS | SPAN)
    plan = FollowPlan(tuple(recording))
    with connect(database_url) as connection:
        with following(database_url, source, plan, clock=lambda: IMPORTED_AT, settings=SETTINGS):
            for stream_name, events in recording.items():
                topics.create(stream_name, COMPACTED_SOON)
                for chunk in chunks(events):
                    topics.write_transaction(stream_name, [NEVER], commit=False)
                    topics.write_transaction(stream_name, chunk)
                assert len(topics.compact(stream_name)) < len(events) / 2
            for stream_name in recording:
                wait_for_position(connection, stream_name, topics.end_offset(stream_name))
        assert rows(connection, job_name, CURRENT, OFFSETS | SPAN) == expected
    late_url = clone_database()
    with connect(late_url) as connection:
        with following(late_url, source, plan, clock=lambda: IMPORTED_AT, settings=SETTINGS):
            for stream_name in recording:
                wait_for_position(connection, stream_name, topics.end_offset(stream_name))
        assert rows(connection, job_name, CURRENT, OFFSETS | SPAN) == expected
        gaps = connection.execute("select distinct reason from coordinator.log_gap").fetchall()
    assert gaps == [("compacted",)]
