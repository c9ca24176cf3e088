"""A job's two logs imported at once, each over a connection of its own, as two processes do."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import pytest

from eventlog.checkpoint import READ_VERSIONS
from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.source import RECORDING
from eventlog.streams import identify
from projections.log_result import LogResult
from projections.projector import Projector
from projections.tracked_logs import register_log
from tests.builders import checkpoint_v1, checkpoint_v2, config_set, recorded, set_checkpoint
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS, always_copying, import_events
from tests.fixtures.waiting import PATIENCE, wait_until

COORDINATOR: Final = "__samza_coordinator_a-b_1"
CHECKPOINT: Final = "__samza_checkpoint_ver_1_for_a-b_1"
NAMED: Final = recorded([config_set("job.name", "a_b"), config_set("job.id", "007")])
NAMES: Final = "select distinct stream_kind, job_name, job_id from coordinator.log_position order by 1"
WAITING: Final = """
select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
"""


def names(connection: Connection) -> list[tuple[object, ...]]:
    return connection.execute(NAMES).fetchall()


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param([], recorded([config_set("a", "1")]), id="a stream that comes meanwhile"),
        pytest.param(
            recorded([config_set("a", "1")]), recorded([config_set("a", "2")]), id="an incarnation that takes over"
        ),
    ],
)
def test_a_log_that_comes_while_config_names_its_job_gets_that_name(
    database_url: str, connected: Connection, before: list[RecordedEvent], now: list[RecordedEvent]
) -> None:
    with connect(database_url) as first, connect(database_url) as second, ThreadPoolExecutor(1) as pool:
        if before:
            import_events(connected, CHECKPOINT, before)
        comes: list[Future[LogResult]] = []

        def on_step(step: str) -> None:
            if step == "merged":  # the name is given and not yet committed
                comes.append(pool.submit(import_events, second, CHECKPOINT, now))
                wait_until(lambda: comes[0].done() or connected.execute(WAITING).fetchone())

        import_events(first, COORDINATOR, NAMED, make_projector=always_copying(on_step))
        assert comes[0].result(timeout=PATIENCE).added == 1
        assert names(connected) == [("checkpoint", "a_b", "007"), ("coordinator", "a_b", "007")]


@pytest.mark.parametrize(
    ("said", "version"),
    [([config_set("a", "1"), config_set(READ_VERSIONS, "2")], 2), ([set_checkpoint(), set_checkpoint()], 1)],
)
def test_what_the_coordinator_stream_says_while_a_checkpoint_topic_comes(
    database_url: str, connected: Connection, said: list[NewEvent], version: int
) -> None:
    events = recorded(said)
    with connect(database_url) as first, connect(database_url) as second, ThreadPoolExecutor(1) as pool:
        import_events(first, COORDINATOR, events[:1])
        with first.transaction():
            log = register_log(first, identify(CHECKPOINT), 1, RECORDING, SETTINGS, ARCHIVED_AT)
            Projector(first, log, SETTINGS, lambda: ARCHIVED_AT).apply(recorded([checkpoint_v1(), checkpoint_v2()]))
            added = pool.submit(import_events, second, COORDINATOR, events)
            wait_until(lambda: connected.execute(WAITING).fetchone())
        assert added.result(timeout=PATIENCE).added == 1
        versions = first.execute("select checkpoint_version from coordinator.checkpoint").fetchall()
        assert versions == [(version,)]
