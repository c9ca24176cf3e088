"""A lake is compared event by event with the archive, before a retention detaches events. Needs no Spark."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eventlog.postgres.connection import Connection, connect
from projections.tracked_logs import logs_of
from spark_jobs.lake.manifest import LakeError, LakeFile, LogKey
from spark_jobs.lake.proof import CompareLog, Proven
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.log_task_session import LogTaskSession
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.projections.follow.running import ORDERS
from tests.fixtures.properties.importing import SETTINGS
from tests.postgres.spark_jobs.lake.test_replay import Lake, detach_before, overwrite

EVENTS = 20


@pytest.fixture
def archived(database_url: str, tmp_path: Path) -> tuple[str, Lake, tuple[LakeFile, ...]]:
    """An archive of one log, and a lake of it with several files."""
    source = MemorySource()
    source.create(ORDERS)
    lake = Lake(tmp_path)
    with connect(database_url) as connection:
        overwrite(connection, source, 0, EVENTS)
        (log,) = lake.archive(database_url).logs
    return database_url, lake, log.files


def compare(url: str, lake: Lake, files: tuple[LakeFile, ...]) -> Proven:
    with LogTaskSession(LogTaskSettings(url, SETTINGS)) as session:
        (log,) = logs_of(session.connection, ORDERS)
        return CompareLog(str(lake.folder), LogKey(ORDERS, 1), log.log_id, EVENTS, files).run(session)


def test_each_archived_event_is_found(archived: tuple[str, Lake, tuple[LakeFile, ...]]) -> None:
    url, _, _ = archived
    assert compare(*archived) == Proven(EVENTS, EVENTS)
    with connect(url) as connection:
        detach_before(connection, 10)
        left = count(connection)
    assert left < EVENTS
    assert compare(*archived) == Proven(EVENTS, left)


def test_a_missing_or_other_event_is_named(
    archived: tuple[str, Lake, tuple[LakeFile, ...]], clone_database: Callable[[], str]
) -> None:
    url, lake, files = archived
    with pytest.raises(LakeError, match=rf"does not have the archived event at offset {files[2].first_offset} of"):
        compare(url, lake, (*files[:2], *files[3:]))
    with pytest.raises(LakeError, match=rf"at offset {files[-1].first_offset} of {ORDERS} \(incarnation 1\)\. Write"):
        compare(url, lake, files[:-1])
    url, source = clone_database(), MemorySource()
    source.create(ORDERS)
    with connect(url) as connection:
        overwrite(connection, source, 1, EVENTS)
    with pytest.raises(LakeError, match="at offset 0 of"):
        compare(url, lake, files)


def count(connection: Connection) -> int:
    (events,) = connection.execute("select count(*) from eventlog.event").fetchone() or (0,)
    return int(events)
