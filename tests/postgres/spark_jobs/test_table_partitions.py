"""Partitions are created while the transaction of a log is open, and no other session waits for its end."""

from collections.abc import Callable
from typing import Final

import pytest

from eventlog.postgres.connection import connect
from eventlog.postgres.table_partitions import PARTITION_OFFSETS
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from projections.log_result import LogResult
from projections.projector import LogPartitions
from spark_jobs.log_task import LogTaskSession, LogTaskSettings
from spark_jobs.table_partitions import replay_projector
from tests.builders import checkpoint_v1, config_set, recorded
from tests.fixtures.properties.importing import SETTINGS, import_events

RANGES: Final = (0, 1, 2, 7, 500, 2**62 // PARTITION_OFFSETS)
LOCK: Final = "lock table eventlog.event, projection.checkpoint_event in share update exclusive mode nowait"
ROWS: Final = "select log_offset from eventlog.event order by 1"


def replay(
    session: LogTaskSession, stream_name: str, offsets: list[int], batch_events: int, on_progress: Callable[[int], None]
) -> LogResult:
    event = config_set() if "coordinator" in stream_name else checkpoint_v1()
    events = [each._replace(offset=at) for each, at in zip(recorded([event] * len(offsets)), offsets, strict=True)]
    return import_events(
        session.connection,
        stream_name,
        events,
        batch_events,
        is_atomic=True,
        on_progress=on_progress,
        make_projector=replay_projector(session),
    )


@pytest.mark.parametrize("stream_name", [coordinator_stream_name("job"), checkpoint_stream_name("job")])
@pytest.mark.parametrize("batch_events", [1, 2, 100])
def test_other_sessions_can_create_partitions_during_a_replay(
    database_url: str, stream_name: str, batch_events: int
) -> None:
    offsets = [number * PARTITION_OFFSETS + more for number in RANGES for more in (3, 4)]
    imported: list[int] = []
    with connect(database_url) as other, LogTaskSession(LogTaskSettings(database_url, SETTINGS)) as session:

        def lock_as_others_do(count: int) -> None:
            imported.extend([count] if count else [])
            with other.transaction():
                other.execute(LOCK)

        done = replay(session, stream_name, offsets, batch_events, lock_as_others_do)
        assert (done.added, done.quarantined, len(imported)) == (len(offsets), 0, -(-len(offsets) // batch_events))
        assert [offset for (offset,) in other.execute(ROWS).fetchall()] == offsets


def test_partitions_that_another_session_creates_meanwhile_are_used(database_url: str) -> None:
    firsts = [number * PARTITION_OFFSETS for number in range(4)]
    with connect(database_url) as other, LogTaskSession(LogTaskSettings(database_url, SETTINGS)) as session:
        create = LogPartitions(other).make
        done = replay(session, checkpoint_stream_name("job"), firsts, 1, lambda _: create(firsts))
    assert done.added == 4
