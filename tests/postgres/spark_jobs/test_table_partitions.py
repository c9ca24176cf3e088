"""Partitions are created while the transaction of a log is open, and no other session waits for its end."""

from typing import Final

import pytest

from eventlog.log import system_clock
from eventlog.postgres.connection import connect
from eventlog.postgres.table_partitions import PARTITION_OFFSETS
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from projections.projector import LogPartitions
from projections.recording_import import import_stream
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.log_task_session import LogTaskSession
from spark_jobs.table_partitions import replay_projector
from tests.builders import checkpoint_v1, config_set, recorded
from tests.fixtures.properties.importing import SETTINGS

RANGES: Final = (0, 1, 2, 7, 500, 2**62 // PARTITION_OFFSETS)
LOCK: Final = "lock table eventlog.event, projection.checkpoint_event in share update exclusive mode nowait"
ROWS: Final = "select log_offset from eventlog.event order by 1"


@pytest.mark.parametrize("stream_name", [coordinator_stream_name("job"), checkpoint_stream_name("job")])
@pytest.mark.parametrize("batch_events", [1, 2, 100])
def test_other_sessions_can_create_partitions_during_a_replay(
    database_url: str, stream_name: str, batch_events: int
) -> None:
    event = config_set() if stream_name == coordinator_stream_name("job") else checkpoint_v1()
    offsets = [number * PARTITION_OFFSETS + more for number in RANGES for more in (3, 4)]
    events = [each._replace(offset=at) for each, at in zip(recorded([event] * len(offsets)), offsets, strict=True)]
    batches = 0
    with connect(database_url) as other, LogTaskSession(LogTaskSettings(database_url, SETTINGS)) as session:

        def lock_as_others_do(imported: int) -> None:
            nonlocal batches
            batches += imported > 0
            with other.transaction():
                other.execute(LOCK)

        done = import_stream(
            session.connection,
            identify(stream_name),
            lambda: events,
            SETTINGS,
            system_clock,
            batch_events=batch_events,
            is_atomic=True,
            on_progress=lock_as_others_do,
            make_projector=replay_projector(session),
        )
        assert (done.added, done.quarantined, batches) == (len(offsets), 0, -(-len(offsets) // batch_events))
        assert [offset for (offset,) in other.execute(ROWS).fetchall()] == offsets


def test_partitions_that_another_session_creates_meanwhile_are_used(database_url: str) -> None:
    with connect(database_url) as other, LogTaskSession(LogTaskSettings(database_url, SETTINGS)) as session:
        make_projector = replay_projector(session)
        events = [
            each._replace(offset=number * PARTITION_OFFSETS)
            for number, each in enumerate(recorded([checkpoint_v1()] * 4))
        ]

        def create_the_next(_: int) -> None:
            LogPartitions(other).make([number * PARTITION_OFFSETS for number in range(4)])

        done = import_stream(
            session.connection,
            identify(checkpoint_stream_name("job")),
            lambda: events,
            SETTINGS,
            system_clock,
            batch_events=1,
            is_atomic=True,
            on_progress=create_the_next,
            make_projector=make_projector,
        )
        assert done.added == 4
