"""The logs of a lake are restored as the database had them that the lake was written from. Needs no Spark."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection, connect
from projections.errors import ProjectionError
from projections.log_result import LogResult
from projections.projector import Projector
from projections.rebuild import rebuild_log
from projections.retention import retain
from projections.tracked_logs import logs_of, make_current
from projections.verify import verify_log
from spark_jobs.lake import comparison
from spark_jobs.lake.archive import archive
from spark_jobs.lake.comparison import complete_log
from spark_jobs.lake.log_files import LogFiles
from spark_jobs.lake.replay import lake_streams, restore_stream
from spark_jobs.lake.table import LakeError, open_lake
from spark_jobs.log_task import LogTaskSession, LogTaskSettings, run_here
from tests.fixtures.coordstream.command_line import FINGERPRINTS
from tests.fixtures.memory_source import FIRST_MS, MemorySource
from tests.fixtures.projections.follow.running import ORDERS
from tests.fixtures.properties.importing import SETTINGS
from tests.postgres.projections.follow.steps import at_the_old_position, grow, read_to_end, resume, set_config
from tests.postgres.projections.follow.test_resync import LATER, run_resync

LOGS: Final = """
select l.stream_name, l.incarnation, l.backend, l.cluster_id, l.topic_id, l.created_at, j.is_current, j.is_complete,
       j.job_name, p.next_offset
from eventlog.log l join projection.job_log j using (log_id) join projection.position p using (log_id) order by 2
"""
OBSERVATIONS: Final = """
select l.incarnation, o.at_offset, o.kind, o.key, o.from_offset, o.to_offset, o.observed_at
from eventlog.observation o join eventlog.log l using (log_id) order by o.observation_id
"""
HORIZON: Final = "select horizon_offset, horizon_time from projection.log_horizon"
OTHER_STREAM: Final = "__samza_coordinator_counts_1"


class Lake:
    """A lake in a folder, which is written without Spark from one database, and replayed into another one."""

    def __init__(self, folder: Path, url: str, other: str) -> None:
        self.folder, self.url, self.other = folder, url, other
        self.failures: Mapping[str, str] = {}

    def archive(self) -> list[LogFiles]:
        """Write the new events of the only stream of the database, and return its logs in the lake."""
        settings = LogTaskSettings(self.url, SETTINGS)
        self.failures = archive(str(self.folder), self.url, partial(run_here, settings=settings)).failures
        lake = open_lake(str(self.folder))
        return [LogFiles.of(lake, key) for key in sorted(lake.logs)]

    def replay(self, logs: list[LogFiles]) -> tuple[int, int]:
        return run(self.other, partial(restore_stream, logs))


class Databases(NamedTuple):
    """Where the topics are, and the two databases of the lake."""

    source: MemorySource
    connection: Connection
    replayed: Connection


def run(url: str, replay: Callable[[LogTaskSession], LogResult]) -> tuple[int, int]:
    with LogTaskSession(LogTaskSettings(url, SETTINGS)) as session:
        done = replay(session)
    return done.added, done.skipped


def contents(connection: Connection) -> list[Any]:
    """What a database has of all logs, with the times of archiving."""
    log_ids = [log_id for (log_id,) in connection.execute("select log_id from eventlog.log order by incarnation")]
    events = [list(read_archived(connection, log_id)) for log_id in log_ids]
    return [connection.execute(query.encode()).fetchall() for query in (FINGERPRINTS, LOGS, OBSERVATIONS)] + [events]


def recreate(connection: Connection, source: MemorySource, now: datetime, **values: str) -> None:
    """Make the topic again, with an event for each value, and read it."""
    set_config(source.create(ORDERS), **values)
    start = resume(connection, source, now)
    projector = Projector(connection, start.log, SETTINGS, lambda: now)
    projector.apply(list(source.read(ORDERS, projector.next_offset, start.target)))
    with connection.transaction():
        make_current(connection, start.log)


@pytest.fixture
def lake(tmp_path: Path, database_url: str, clone_database: Callable[[], str]) -> Lake:
    return Lake(tmp_path, database_url, clone_database())


@pytest.fixture
def databases(lake: Lake) -> Iterator[Databases]:
    with connect(lake.url) as connection, connect(lake.other) as replayed:
        yield Databases(MemorySource(), connection, replayed)


def test_sweeps_gaps_and_incarnations_are_restored(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    topic = source.create(ORDERS)
    read_to_end(connection, source)
    assert (lake.replay(lake.archive()), contents(replayed)) == ((0, 0), contents(connection))
    set_config(topic, a="1", b="2", c="3", d="4", e="5", f="6")
    read_to_end(connection, source)
    assert (lake.replay(lake.archive()), contents(replayed)) == ((6, 0), contents(connection))
    grow(topic)
    run_resync(connection, source)
    assert (lake.replay(lake.archive()), contents(replayed)) == ((2, 6), contents(connection))
    recreate(connection, source, LATER)
    assert (lake.replay(lake.archive()), contents(replayed)) == ((0, 8), contents(connection))
    set_config(source.topics[ORDERS], x="1", y="2")
    read_to_end(connection, source)
    assert (lake.replay(lake.archive()), contents(replayed)) == ((2, 8), contents(connection))
    assert lake.replay(lake.archive()) == (0, 10)
    assert all(verify_log(replayed, log, SETTINGS).is_equal for log in logs_of(replayed, ORDERS))


def test_a_new_database_gets_all_at_once(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    topic = at_the_old_position(source)
    read_to_end(connection, source)
    grow(topic)
    run_resync(connection, source)
    recreate(connection, source, LATER, x="1", y="2")
    logs = lake.archive()
    (stream,) = lake_streams(str(lake.folder))
    assert (stream.weight, stream.stream.job_name, stream.stream.job_id) == (10, "orders", "1")
    assert (lake.replay(logs), contents(replayed)) == ((10, 0), contents(connection))
    assert replayed.execute("select distinct end_offset from projection.position").fetchall() == [(None,)]
    assert run(lake.url, stream.run) == (0, 10)


def test_other_events_and_a_changed_file_leave_the_database_as_it_was(
    databases: Databases, clone_database: Callable[[], str], lake: Lake
) -> None:
    source, connection, replayed = databases
    topic = at_the_old_position(source)
    read_to_end(connection, source)
    logs = lake.archive()
    changed = MemorySource()
    set_config(changed.create(ORDERS), a="other")
    read_to_end(replayed, changed)
    before = contents(replayed)
    with pytest.raises(LakeError, match="The database has other events of incarnation 1 than lake"):
        lake.replay(logs)
    assert contents(replayed) == before
    set_config(topic, h="8")
    lake.other = clone_database()
    path = lake.folder / logs[0].files[-1].path
    path.write_bytes(b"")
    with connect(lake.other) as empty:
        with pytest.raises(LakeError, match=f"a file was removed or changed .*{path.name}"):
            lake.replay(logs)
        assert empty.execute("select count(*) from eventlog.log").fetchone() == (0,)


def test_a_database_of_another_cluster_is_refused(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    at_the_old_position(source)
    elsewhere = MemorySource("cluster-2")
    set_config(elsewhere.create(OTHER_STREAM), a="1")
    read_to_end(connection, source)
    read_to_end(replayed, elsewhere, stream_name=OTHER_STREAM)
    with pytest.raises(ProjectionError, match="is on the Kafka cluster cluster-1, but the database has logs of"):
        lake.replay(lake.archive())
    assert replayed.execute("select stream_name from eventlog.log").fetchall() == [(OTHER_STREAM,)]


def overwrite(connection: Connection, source: MemorySource, first: int, last: int) -> None:
    """Set one key again and again, and read that."""
    for number in range(first, last):
        set_config(source.topics[ORDERS], a=str(number))
    read_to_end(connection, source)


def detach_before(connection: Connection, offset: int) -> None:
    time = datetime.fromtimestamp((FIRST_MS + offset * 1_000) // 1_000, UTC)
    assert retain(connection, logs_of(connection, ORDERS), SETTINGS, time).logs


def test_a_lake_written_after_a_retention_has_its_horizon(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    source.create(ORDERS)
    overwrite(connection, source, 0, 20)
    detach_before(connection, 10)
    logs = lake.archive()
    assert (lake.replay(logs), contents(replayed)) == ((logs[0].log.events, 0), contents(connection))
    assert replayed.execute(HORIZON).fetchall() == connection.execute(HORIZON).fetchall()


def test_a_lake_does_not_continue_a_log_whose_deletions_it_has_missed(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    set_config(source.create(ORDERS), b="deleted later")
    overwrite(connection, source, 1, 20)
    before, has_been = lake.archive(), contents(connection)
    set_config(source.topics[ORDERS], b=None)
    overwrite(connection, source, 21, 60)
    detach_before(connection, 40)
    assert lake.archive() == before
    assert lake.failures[ORDERS].startswith(
        "A retention has detached events of the offsets 20 to 40 (incarnation 1) before the lake had them."
    )
    lake.replay(before)
    assert contents(replayed) == has_been


def test_a_lake_has_all_detached_events(databases: Databases, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    source, connection, replayed = databases
    source.create(ORDERS)
    overwrite(connection, source, 0, 20)
    lake.archive()
    overwrite(connection, source, 20, 30)
    before = contents(connection)
    detach_before(connection, 20)  # the event at the horizon stays
    logs = lake.archive()
    assert lake.failures == {}
    assert (lake.replay(logs), contents(replayed)) == ((30, 0), before)

    def rebuild_and_detach(*given: Any) -> Any:
        result = rebuild_log(*given)
        detach_before(connection, 20)
        return result

    monkeypatch.setattr(comparison, "rebuild_log", rebuild_and_detach)
    (log,) = logs_of(connection, ORDERS)
    assert run(lake.url, partial(complete_log, logs[0], log)) == (19, 0)
    assert connection.execute("select retention_number from eventlog.horizon").fetchall() == [(2,)]


def test_a_newer_incarnation_than_those_of_the_lake_stays_current(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    source.create(ORDERS)
    overwrite(connection, source, 0, 20)
    lake.replay(lake.archive())
    recreate(replayed, MemorySource(), LATER, x="1", y="2")  # which the first database has not noticed
    overwrite(connection, source, 20, 30)
    assert lake.replay(lake.archive()) == (10, 20)
    current = "select incarnation, is_current from projection.job_log order by 1"
    assert replayed.execute(current).fetchall() == [(1, False), (2, True)]


def test_a_log_of_postgres_can_be_appended_to(databases: Databases, lake: Lake) -> None:
    source, connection, replayed = databases
    at_the_old_position(source)
    read_to_end(connection, source)
    (only,) = lake.archive()
    log = replace(only.log, backend="postgres", cluster_id=None, topic_id=None)
    lake.replay([replace(only, log=log)])
    assert replayed.execute("select next_offset from eventlog.log_head").fetchall() == [(6,)]
