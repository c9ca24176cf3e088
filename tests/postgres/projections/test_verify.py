"""`verify_log` finds every kind of damage, and `rebuild_log` repairs it."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from projections.errors import ProjectionError
from projections.rebuild import rebuild_log
from projections.relations import CURRENT_TABLES, LOG_TABLES
from projections.table_differences import EXAMPLES
from projections.tracked_logs import logs_of
from projections.verify import Verification, verify_log
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.postgres import create_clone
from tests.fixtures.projections.rebuilt import folded_rows
from tests.fixtures.properties.generated_jobs import Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events

pytestmark = pytest.mark.slow

LONG: Final = Knobs(events=(30, 45), without_topic=0, without_coordinator=0)
WITH_ALL_TABLES: Final = 24
"""The number of a generated job that has rows in every table."""


class Imported(NamedTuple):
    """A database with the logs of one job, and its rows."""

    url: str
    stream_names: list[str]
    rows: dict[str, list[str]]


@pytest.fixture(scope="module")
def imported(postgres_server: EmbeddedPostgres, template_database: str) -> Imported:
    url = create_clone(postgres_server, template_database, "verified")
    with connect(url) as connected:
        return Imported(url, import_job(connected, WITH_ALL_TABLES), folded_rows(connected))


@pytest.fixture(scope="module")
def undamaged(imported: Imported) -> Iterator[Connection]:
    """A database that holds `imported`: each test repairs what it damages, and at the end no row differs."""
    with connect(imported.url) as connected:
        yield connected
        assert folded_rows(connected) == imported.rows


def import_job(connection: Connection, number: int, batch_events: int = 40_000) -> list[str]:
    job = generate_job(number, LONG)
    for log in job.logs:
        import_events(connection, log.stream_name, log.events, batch_events)
    return [log.stream_name for log in job.logs]


def verify(connection: Connection, stream_name: str, batch_events: int = 40_000) -> Verification:
    return verify_log(connection, logs_of(connection, stream_name)[0], SETTINGS, batch_events=batch_events)


def found(verification: Verification) -> dict[str, tuple[int, int, int]]:
    return {t.table: (t.missing, t.extra, t.different) for t in verification.tables if not t.is_equal}


@pytest.mark.parametrize("batch_events", [1, 7, 40_000])
@pytest.mark.torture
@pytest.mark.parametrize("number", range(1, scaled(5, 340)))
def test_rows_equal_the_log_whatever_the_batches(
    clone_database: Callable[[], str], number: int, batch_events: int
) -> None:
    with connect(clone_database()) as connection:
        for stream_name in import_job(connection, number, batch_events):
            verification = verify(connection, stream_name, batch_events=13)
            assert found(verification) == {}
            assert verification.is_equal
            assert verification.events > 0


UNKNOWN_KEY: Final = "\\\\x" + "00" * 32
PARTITIONS: Final = "select inhrelid::regclass::text from pg_inherits where inhparent = %s::regclass"
CHANGES: Final = {
    "event_key": "update projection.event_key set message_key = message_key || 'x' where key_id = 1",
    "startpoint_reading": "update projection.startpoint_reading set task_name = 'nobody' where n = 1",
    "message_event": "update projection.message_event set body = '{}' where body is not null",
    **{table: f"update projection.{table} set host = 'elsewhere'" for table in CURRENT_TABLES},
    "checkpoint_layout": "update projection.checkpoint_layout set stream_name[1] = 'elsewhere'",
    "checkpoint_event": "update projection.checkpoint_event set offsets = '0' where layout_id is not null",
    "checkpoint_envelope": "update projection.checkpoint_envelope set source = 'someone'",
    "log_time": "update projection.log_time set log_time = log_time + interval '1 s'",
    "gap": "update projection.gap set last_offset = last_offset + 1",
    "quarantine": "update projection.quarantine set resolved_by = 0",
    "position": "update projection.position set next_offset = next_offset - 1",
    "job_log": "update projection.job_log set job_name = 'another'",
}


def damaged(connection: Connection, stream_names: list[str], statement: str) -> dict[str, tuple[int, int, int]]:
    """What verifying all logs finds after a statement that damages them."""
    connection.execute(statement.encode())
    tables: dict[str, tuple[int, int, int]] = {}
    for stream_name in stream_names:
        for table, counts in found(verify(connection, stream_name)).items():
            missing, extra, different = (a + b for a, b in zip(tables.get(table, (0, 0, 0)), counts, strict=True))
            tables[table] = (missing, extra, different)
    return tables


def rebuild(connection: Connection, stream_names: list[str]) -> None:
    """Rebuild all logs, which leaves no difference."""
    for stream_name in stream_names:
        rebuild_log(connection, logs_of(connection, stream_name)[0], SETTINGS, batch_events=17)
    assert all(verify(connection, stream_name).is_equal for stream_name in stream_names)


def detach(connection: Connection, table: str) -> str:
    """The statement that detaches a table's only partition."""
    ((partition,),) = connection.execute(PARTITIONS, (table,)).fetchall()
    return f"alter table {table} detach partition {partition}"


@pytest.mark.parametrize("table", CHANGES)
def test_a_changed_row_is_found_and_repaired(undamaged: Connection, imported: Imported, table: str) -> None:
    tables = damaged(undamaged, imported.stream_names, CHANGES[table])
    assert list(tables) == [table]
    assert sum(tables[table]) > 0
    rebuild(undamaged, imported.stream_names)


@pytest.mark.parametrize("table", sorted(LOG_TABLES))
def test_a_deleted_row_is_found_and_repaired(undamaged: Connection, imported: Imported, table: str) -> None:
    tables = damaged(undamaged, imported.stream_names, f"delete from projection.{table}")
    missing, extra, different = tables[table]
    assert missing > 0
    assert (extra, different) == (0, 0)
    rebuild(undamaged, imported.stream_names)


@pytest.mark.parametrize("table", sorted(LOG_TABLES))
def test_an_added_row_is_found_and_repaired(undamaged: Connection, imported: Imported, table: str) -> None:
    key = LOG_TABLES[table][-1]
    changes = f"jsonb_build_object('{key}', {key} + 1000, 'key_sha256', '{UNKNOWN_KEY}')"
    statement = f"""
        insert into projection.{table}
        select (jsonb_populate_record(t, {changes})).* from projection.{table} t limit 1
    """
    assert damaged(undamaged, imported.stream_names, statement)[table] == (0, 1, 0)
    rebuild(undamaged, imported.stream_names)


SWAP: Final = """
update projection.config c set config_value = s.config_value
from projection.config s,
     (select a.key_id, b.key_id from projection.config a join projection.config b using (log_id)
      where a.log_id = %s and a.config_value <> b.config_value order by 1, 2 limit 1) two (a, b)
where c.log_id = %s and s.log_id = c.log_id and c.key_id in (two.a, two.b) and s.key_id = two.a + two.b - c.key_id
"""


def test_values_that_two_rows_have_swapped_are_found(undamaged: Connection, imported: Imported) -> None:
    log = logs_of(undamaged, imported.stream_names[0])[0]
    assert undamaged.execute(SWAP, (log.log_id, log.log_id)).rowcount == 2
    for _ in range(10):  # each time with another seed
        assert found(verify(undamaged, log.stream.stream_name)) == {"config": (0, 0, 2)}
    rebuild(undamaged, imported.stream_names)


def test_the_keys_are_named_with_stored_and_expected_values(connected: Connection) -> None:
    stream_name, *_ = import_job(connected, 1)
    connected.execute("update projection.config set host = 'elsewhere'")
    (check,) = (table for table in verify(connected, stream_name).tables if not table.is_equal)
    assert len(check.examples) == min(check.different, EXAMPLES)
    for difference in check.examples:
        assert difference.stored is not None
        assert difference.expected is not None
        assert difference.key == {"key_id": difference.stored["key_id"]}
        assert difference.stored["host"] == "elsewhere" != difference.expected["host"]


def test_a_detached_partition_of_the_history_is_found_and_attached(connected: Connection) -> None:
    stream_names = import_job(connected, 1)
    before = folded_rows(connected)
    assert list(damaged(connected, stream_names, detach(connected, "projection.checkpoint_event"))) == [
        "checkpoint_event"
    ]
    rebuild(connected, stream_names)
    assert folded_rows(connected) == before


def test_a_detached_partition_of_the_archive_is_found_and_not_repaired(connected: Connection) -> None:
    stream_names = import_job(connected, 1)
    before = connected.execute("select count(*) from coordinator.config_history").fetchall()
    tables = damaged(connected, stream_names, detach(connected, "eventlog.event"))
    assert {"event_key", "message_event"} <= set(tables)
    for stream_name in stream_names:
        with pytest.raises(ProjectionError):
            rebuild_log(connected, logs_of(connected, stream_name)[0], SETTINGS)
    assert connected.execute("select count(*) from coordinator.config_history").fetchall() == before
