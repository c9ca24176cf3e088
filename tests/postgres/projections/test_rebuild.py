"""A log is rebuilt in one transaction, and keeps its position."""

import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from psycopg.errors import DeadlockDetected

from eventlog.errors import WireError
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.copy_rows import Columns, Copies, RowsWriter
from projections import planner_statistics
from projections import rebuild as module
from projections.batch_writes import HISTORIES
from projections.errors import NOT_FOLDED, FoldVersionDiffers, ProjectionError
from projections.fold import batch, checkpoint_batch, settings
from projections.rebuild import rebuild_log
from projections.relations import LOG_TABLES
from projections.table_differences import TableDifferences
from projections.tracked_logs import TrackedLog, block_projectors, logs_of, mark_for_rebuild
from projections.verify import verify_log
from tests.builders import changelog_set, checkpoint_v2, config_set, raw, recorded, set_checkpoint, tombstone
from tests.fixtures.projections.rebuilt import folded_rows
from tests.fixtures.properties.generated_jobs import Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events, import_log

pytestmark = pytest.mark.slow

LONG: Final = Knobs(events=(150, 200), without_topic=0, without_coordinator=0, across_partitions=0)
LATER: Final = datetime(2027, 1, 1, tzinfo=UTC)
POSITIONS: Final = """
select log_id, next_offset, end_offset, heartbeat_at, read_at, state, fold_version from projection.position order by 1
"""
REPEAT_LAST_EVENT: Final = """
insert into eventlog.event (log_id, log_offset, record_time, timestamp_type, key, value, archived_at)
select log_id, log_offset + 5, record_time, timestamp_type, key, value, archived_at
from eventlog.event order by log_offset desc limit 1
"""

KEPT: Final = """
select log_offset from coordinator.config_history union select log_offset from coordinator.quarantine order by 1
"""


def position(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(POSITIONS).fetchall()


def imported(connection: Connection, number: int = 1) -> list[TrackedLog]:
    job = generate_job(number, LONG)
    for log in job.logs:
        import_log(connection, log)
    connection.execute("update projection.position set heartbeat_at = %s, read_at = %s", (LATER, LATER))
    return [logs_of(connection, log.stream_name)[0] for log in job.logs]


@pytest.mark.parametrize("batch_events", [7, 60, 40_000])
def test_a_rebuild_keeps_relations_and_positions(connected: Connection, batch_events: int) -> None:
    logs = imported(connected)
    before, places = folded_rows(connected), position(connected)
    for log in logs:
        connected.execute("update projection.config set config_value = 'another' where log_id = %s", (log.log_id,))
        rebuild_log(connected, log, SETTINGS, batch_events=batch_events)
    assert folded_rows(connected) == before
    assert position(connected) == places


@pytest.mark.parametrize("was_rebuilt", [False, True])
def test_events_beyond_the_position_are_not_folded(connected: Connection, was_rebuilt: bool) -> None:
    """A log to be rebuilt has its end as its position, and no longer when it was rebuilt since it was loaded."""
    log = generate_job(1, LONG).logs[0]
    stream_name, events = log.stream_name, log.events
    import_events(connected, stream_name, events[:100])
    connected.execute("update eventlog.log set backend = 'postgres'")
    before = folded_rows(connected)
    if was_rebuilt:
        connected.execute("update projection.position set fold_version = %s", (NOT_FOLDED,))
    (loaded,) = logs_of(connected, stream_name)
    if was_rebuilt:
        rebuild_log(connected, loaded, SETTINGS)
    connected.execute(REPEAT_LAST_EVENT)
    assert rebuild_log(connected, loaded, SETTINGS).rebuilt == 100
    assert folded_rows(connected) == before
    (rebuilt,) = logs_of(connected, stream_name)
    assert rebuilt.next_offset == events[99].offset + 1
    assert verify_log(connected, rebuilt, SETTINGS).is_equal


def test_a_rebuild_is_tried_again_after_a_deadlock(connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    repair, tries = TableDifferences.repair, itertools.count()

    def fail_first(*arguments: Any) -> Any:
        repaired = repair(*arguments)
        if next(tries) == 0:
            raise DeadlockDetected
        return repaired

    log, *_ = imported(connected)
    before = folded_rows(connected)
    connected.execute("delete from projection.message_event where log_id = %s", (log.log_id,))
    monkeypatch.setattr(TableDifferences, "repair", fail_first)
    rebuild_log(connected, log, SETTINGS)
    assert folded_rows(connected) == before


STATISTICS: Final = """
select count(*) from pg_stats where schemaname = 'projection' and tablename = 'message_event' and attname = 'key_id'
"""


@pytest.mark.parametrize(("many_rows", "expected"), [(10, 1), (10_000, 0)])
def test_statistics_are_collected_if_many_rows_were_written(
    connected: Connection, monkeypatch: pytest.MonkeyPatch, many_rows: int, expected: int
) -> None:
    log, *_ = imported(connected)
    connected.execute("delete from projection.message_event")
    assert connected.execute(STATISTICS).fetchone() == (0,)
    monkeypatch.setattr(planner_statistics, "MANY_ROWS", many_rows)
    rebuild_log(connected, log, SETTINGS)
    assert connected.execute(STATISTICS).fetchone() == (expected,)


CHANGE_INSERTED: Final = """
create function changed() returns trigger language plpgsql as 'begin new.host = ''elsewhere''; return new; end';
create trigger change before insert on projection.message_event for each row execute function changed();
"""


EMPTY: Final = "truncate {}".format(", ".join(f"projection.{table}" for table in LOG_TABLES))


@pytest.mark.parametrize(
    "damage", ["delete from projection.message_event", "delete from projection.message_event where key_id = 1"]
)
def test_a_rebuild_that_does_not_make_the_rows_equal_changes_nothing(connected: Connection, damage: str) -> None:
    log, *_ = imported(connected)
    connected.execute(damage.encode())
    connected.execute(CHANGE_INSERTED)
    before = folded_rows(connected)
    with pytest.raises(ProjectionError, match="in message_event still differ"):
        rebuild_log(connected, log, SETTINGS)
    assert folded_rows(connected) == before


HISTORY_TABLES: Final = {columns.table.partition(".")[2] for columns in HISTORIES}


@pytest.fixture
def copied_into(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The histories into which a fold has copied rows since then."""
    tables: list[str] = []

    def spy(copies: Copies, columns: Columns) -> AbstractContextManager[RowsWriter]:
        if columns.table.partition(".")[2] in HISTORY_TABLES:
            tables.append(columns.table)
        return open_copy(copies, columns)

    open_copy = Copies.open
    monkeypatch.setattr(Copies, "open", spy)
    return tables


FILLED: Final = {f"projection.{table}" for table in HISTORY_TABLES}
COMPARED: Final = {f"pg_temp.{table}" for table in HISTORY_TABLES}


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (EMPTY, FILLED),
        (f"{EMPTY}, projection.position, projection.job_log", FILLED),
        ("truncate projection.checkpoint_event, projection.message_event", COMPARED),
        (f"{EMPTY}; insert into projection.gap select l.log_id, 7, 8 from eventlog.log l", COMPARED),
    ],
)
def test_histories_are_written_once_if_nothing_is_stored_of_a_log(
    connected: Connection, copied_into: list[str], damage: str, expected: set[str]
) -> None:
    names = [log.stream.stream_name for log in imported(connected)]
    before = folded_rows(connected)
    copied_into.clear()
    connected.execute(damage.encode())
    mark_for_rebuild(connected)
    rebuilt = [rebuild_log(connected, logs_of(connected, name)[0], SETTINGS, batch_events=60) for name in names]
    assert set(copied_into) == expected
    assert folded_rows(connected) == before
    for name, each in zip(names, rebuilt, strict=True):
        assert verify_log(connected, logs_of(connected, name)[0], SETTINGS).is_equal
        repaired = {check.table: check.missing for check in each.repaired}
        assert repaired["checkpoint_event"] + repaired["message_event"] > 0


def test_rows_that_another_session_writes_before_the_log_is_blocked_are_compared(
    database_url: str, copied_into: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_and_block(connection: Connection, logs: list[TrackedLog]) -> None:
        with connect(database_url) as other:
            other.execute("insert into projection.gap values (%s, 7, 8)", (logs[0].log_id,))
        monkeypatch.setattr(module, "block_projectors", block_projectors)
        block_projectors(connection, logs)

    with connect(database_url) as connection:
        log, *_ = imported(connection)
        copied_into.clear()
        connection.execute(EMPTY.encode())
        monkeypatch.setattr(module, "block_projectors", write_and_block)
        rebuild_log(connection, log, SETTINGS)
        assert set(copied_into) == COMPARED
        assert verify_log(connection, log, SETTINGS).is_equal


def test_a_newer_program_can_continue_a_log_after_a_rebuild(
    clone_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = generate_job(1, LONG).logs[0]
    with connect(clone_database()) as connection:
        import_log(connection, log)
        monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION + 1)
        with pytest.raises(FoldVersionDiffers, match=r"older version .* folded it: run `coordstream rebuild --all`"):
            import_log(connection, log)
        rebuild_log(connection, logs_of(connection, log.stream_name)[0], SETTINGS)
        assert import_log(connection, log).added == 0


@pytest.mark.parametrize("backend", ["recording", "postgres"])
@pytest.mark.parametrize("lost", [(4,), (4, 5), (6,), (8,), (0, 1, 4, 5, 6, 8)])
def test_rows_of_events_that_the_archive_lost_stay(connected: Connection, lost: tuple[int, ...], backend: str) -> None:
    """The offsets 2, 3 and 7 never had events; the event at offset 6 cannot be decoded."""
    stream_name, offsets = "__samza_coordinator_orders_1", (0, 1, 4, 5, 6, 8)
    events = [config_set("app.note", f"{offset}") for offset in offsets]
    events[4] = raw(events[4].key, b"{")
    numbered = [event._replace(offset=offset) for event, offset in zip(recorded(events), offsets, strict=True)]
    import_events(connected, stream_name, numbered)
    connected.execute("update eventlog.log set backend = %s", (backend,))
    connected.execute("insert into eventlog.log_head select log_id, 9 from eventlog.log where backend = 'postgres'")
    before = history(connected)
    connected.execute("set session_replication_role = replica")  # no trigger refuses to change the archive
    connected.execute("delete from eventlog.event where log_offset = any(%s)", (list(lost),))
    with pytest.raises(ProjectionError):
        rebuild_log(connected, logs_of(connected, stream_name)[0], SETTINGS)
    assert history(connected) == before
    assert len(before) == len(offsets)


def history(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(KEPT).fetchall()


def test_an_older_program_does_not_rebuild_a_log(connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    log, *_ = imported(connected)
    monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
    with pytest.raises(FoldVersionDiffers, match="A newer version of coordstream folded it"):
        rebuild_log(connected, log, SETTINGS)


def test_a_key_that_one_batch_deletes_stays_deleted(connected: Connection) -> None:
    """Batches of one transaction share temporary tables, which only a commit empties."""
    sets = [*(config_set(f"key-{n}") for n in range(50)), *(set_checkpoint(f"Partition {n}") for n in range(50))]
    stream_name, many = "__samza_coordinator_orders_1", [*sets, *map(tombstone, sets)]
    import_events(connected, stream_name, recorded(many), batch_events=100)
    rebuild_log(connected, logs_of(connected, stream_name)[0], SETTINGS, batch_events=100)
    for table in ("config", "checkpoint"):
        assert connected.execute(f"select count(*) from projection.{table}".encode()).fetchall() == [(0,)]


def test_a_rebuild_decodes_what_an_older_program_could_not(
    clone_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = {
        "__samza_coordinator_orders_1": recorded(
            [
                config_set("job.name", "orders"),
                changelog_set("Partition 0", 3),
                raw(b'[1,"set-changelog","Partition 2"]', b"never readable"),
                changelog_set("Partition 0", 5),
            ]
        ),
        "__samza_checkpoint_ver_1_for_orders_1": recorded([checkpoint_v2("Partition 0"), checkpoint_v2("Partition 1")]),
    }

    def refuse(*_: object) -> Any:
        raise WireError("wrong_type", "it came with a later version")

    with connect(clone_database()) as connection:
        for name, events in streams.items():
            import_events(connection, name, events)
        expected = folded_rows(connection)
    with connect(clone_database()) as connection:
        with monkeypatch.context() as older:
            older.setattr(batch, "decode_message", refuse)
            older.setattr(checkpoint_batch, "decode_checkpoint", refuse)
            older.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
            for name, events in streams.items():
                import_events(connection, name, events)
        assert folded_rows(connection) != expected
        for name, events in streams.items():
            assert rebuild_log(connection, logs_of(connection, name)[0], SETTINGS).rebuilt == len(events)
        assert folded_rows(connection) == expected
