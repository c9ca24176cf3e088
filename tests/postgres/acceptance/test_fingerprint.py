"""`coordinator.fingerprint` is equal for equal rows, and differs in the tables that differ."""

from collections.abc import Callable
from typing import Final

import psycopg
import pytest

from coordstream.migrate import upgrade
from eventlog.postgres.connection import Connection, connect
from projections.rebuild import rebuild_log
from projections.relations import LOG_TABLES
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.fixtures.properties.generated_jobs import GeneratedJob, Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events

LONG: Final = Knobs(events=(60, 90), without_topic=0, without_coordinator=0)
SEEDS: Final = range(1, 6)
FINGERPRINTED: Final = LOG_TABLES.keys() - {"gap"} | {"archived_event", "job_log", "log_gap"}
FINGERPRINTS: Final = """
select f.* from projection.job_log j cross join lateral coordinator.fingerprint(j.job_name, j.job_id) f
where j.stream_name = %s
"""

TABLES_WITH: Final = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'key_id'
where c.relnamespace = 'projection'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
"""
SWAP: Final = """
with pair as (
  select a.log_id, a.log_offset as one, b.log_offset as other, a.{column} as of_one, b.{column} as of_other
  from projection.checkpoint_event a join projection.checkpoint_event b using (log_id)
  where a.key_id <> b.key_id and a.layout_id <> b.layout_id and a.record_time <> b.record_time limit 1)
update projection.checkpoint_event e set {column} = case e.log_offset when one then of_other else of_one end
from pair where e.log_id = pair.log_id and e.log_offset in (one, other)
"""

REFUSES_MD5: Final = """
create schema fips;
create function fips.md5(text) returns text language plpgsql as
  $$ begin raise 'could not compute MD5 hash: unsupported'; end $$;
create function fips.md5(bytea) returns text language plpgsql as $$ begin perform fips.md5(''::text); end $$;
do $$ begin execute format('alter database %I set search_path = fips, pg_catalog', current_database()); end $$;
"""
"""As OpenSSL does in a server that runs in FIPS mode."""

Fingerprints = dict[str, tuple[int, str]]


def fingerprints(connection: Connection, job: GeneratedJob) -> Fingerprints:
    rows = connection.execute(FINGERPRINTS, (job.logs[0].stream_name,)).fetchall()
    return {relation: (row_count, fingerprint) for relation, row_count, fingerprint in rows}


def import_job(connection: Connection, job: GeneratedJob, batch_events: int = 40_000) -> None:
    for log in job.logs:
        import_events(connection, log.stream_name, log.events, batch_events)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_other_batches_another_database_and_a_rebuild_make_no_difference(
    clone_database: Callable[[], str], seed: int
) -> None:
    job = generate_job(seed, LONG)
    with connect(clone_database()) as connection:
        import_job(connection, job)
        imported = fingerprints(connection, job)
        for log in job.logs:
            rebuild_log(connection, logs_of(connection, log.stream_name)[0], SETTINGS)
        assert fingerprints(connection, job) == imported
    with connect(clone_database()) as connection:
        import_job(connection, generate_job(seed + 100, LONG))  # other ids of logs
        import_job(connection, job, batch_events=7)
        assert fingerprints(connection, job) == imported


def test_a_server_that_refuses_md5_suffices(empty_database_url: str) -> None:
    with connect(empty_database_url) as owner:
        owner.execute(REFUSES_MD5)
    upgrade(empty_database_url)
    with connect(empty_database_url) as connection:
        with pytest.raises(psycopg.errors.RaiseException, match="MD5"):
            connection.execute("select md5('')")
        job = generate_job(1)
        import_job(connection, job)
        for log in (tracked for each in job.logs for tracked in logs_of(connection, each.stream_name)):
            assert verify_log(connection, log, SETTINGS).is_equal
            rebuild_log(connection, log, SETTINGS)
        assert fingerprints(connection, job)


def test_every_table_has_one_and_counts_its_rows(connection: Connection) -> None:
    job = generate_job(1, LONG)
    import_job(connection, job)
    found = fingerprints(connection, job)
    assert set(found) == FINGERPRINTED
    for table, (row_count, _) in found.items():
        assert connection.execute(f"select count(*) from projection.{table}".encode()).fetchone() == (row_count,), table


def test_the_numbers_of_keys_make_no_difference(connection: Connection) -> None:
    job = generate_job(1, LONG)
    import_job(connection, job)
    before = fingerprints(connection, job)
    tables = connection.execute(TABLES_WITH).fetchall()
    assert len(tables) > 1
    for (table,) in tables:
        connection.execute(f"update projection.{table} set key_id = key_id + 1000".encode())
    assert fingerprints(connection, job) == before


@pytest.mark.parametrize(
    ("damage", "relations"),
    [
        (
            "delete from projection.quarantine where log_offset = (select min(log_offset) from projection.quarantine)",
            {"quarantine"},
        ),
        ("insert into projection.gap values ((select min(log_id) from projection.job_log), 1000, 1001)", {"log_gap"}),
        ("update projection.checkpoint set record_time = record_time + interval '1 ms'", {"checkpoint"}),
        (SWAP.format(column="key_id"), {"checkpoint_event"}),
        (SWAP.format(column="layout_id"), {"checkpoint_event"}),
        (SWAP.format(column="record_time"), {"checkpoint_event"}),
        ("update projection.checkpoint_event set layout_id = 0 where layout_id is null", {"checkpoint_event"}),
    ],
    ids=[
        *("a row deleted", "a row added", "rows changed"),
        *("keys swapped", "layouts swapped", "times swapped", "deletes made empty"),
    ],
)
def test_damage_changes_the_affected_fingerprint(connection: Connection, damage: str, relations: set[str]) -> None:
    job = generate_job(1, LONG)
    import_job(connection, job)
    before = fingerprints(connection, job)
    connection.execute(damage.encode())
    after = fingerprints(connection, job)
    assert {relation for relation in after if after[relation] != before[relation]} == relations


def test_an_unknown_job_is_an_error(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.NoDataFound, match='No job "nojob" with id "1"'):
        connection.execute("select * from coordinator.fingerprint('nojob', '1')")
