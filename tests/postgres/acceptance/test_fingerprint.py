"""`coordinator.fingerprint` is equal for equal relations, and differs in the relations that differ."""

from collections.abc import Callable
from typing import Final

import psycopg
import pytest

from coordstream.migrate import upgrade
from eventlog.postgres.connection import Connection, connect
from projections.rebuild import rebuild_log
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.fixtures.properties.generated_jobs import GeneratedJob, Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events

LONG: Final = Knobs(events=(60, 90), without_topic=0, without_coordinator=0)
SEEDS: Final = range(1, 6)
NOT_FINGERPRINTED: Final = {"input_bound", "task_lag", "log_position", "starting_offset"}
RELATIONS: Final = "select relname from pg_class where relnamespace = 'coordinator'::regnamespace and relkind = 'v'"
FINGERPRINTS: Final = """
select f.* from projection.job_log j cross join lateral coordinator.fingerprint(j.job_name, j.job_id) f
where j.stream_name = %s
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


def test_every_relation_has_one_and_counts_its_rows(connection: Connection) -> None:
    job = generate_job(1, LONG)
    import_job(connection, job)
    found = fingerprints(connection, job)
    relations = {name for (name,) in connection.execute(RELATIONS)}
    assert set(found) == relations - NOT_FINGERPRINTED
    for relation in relations - NOT_FINGERPRINTED - {"startpoint_history"}:
        (rows,) = connection.execute(f"select count(*) from coordinator.{relation}".encode()).fetchone() or (None,)
        assert found[relation][0] == rows, relation


def test_startpoints_that_expire_make_no_difference(connection: Connection) -> None:
    job = generate_job(2, LONG)
    import_job(connection, job)
    expired = "select count(*) from coordinator.startpoint_history where status = 'expired'"
    assert connection.execute(expired).fetchone() != (0,)
    rows = "select count(*) from coordinator.startpoint_history where status <> 'expired'"
    assert connection.execute(rows).fetchone() == (fingerprints(connection, job)["startpoint_history"][0],)


@pytest.mark.parametrize(
    ("damage", "relations"),
    [
        (
            "delete from projection.quarantine where log_offset = (select min(log_offset) from projection.quarantine)",
            {"quarantine"},
        ),
        ("insert into projection.gap values ((select min(log_id) from projection.job_log), 1000, 1001)", {"log_gap"}),
        (
            "update projection.checkpoint set record_time = record_time + interval '1 ms'",
            {"checkpoint"},
        ),
    ],
    ids=["a row deleted", "a row added", "a row changed"],
)
def test_damage_changes_only_the_affected_fingerprints(
    connection: Connection, damage: str, relations: set[str]
) -> None:
    job = generate_job(1, LONG)
    import_job(connection, job)
    before = fingerprints(connection, job)
    connection.execute(damage.encode())
    after = fingerprints(connection, job)
    different = {relation for relation in after if after[relation] != before[relation]}
    assert different
    assert different <= relations


def test_an_unknown_job_is_an_error(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.NoDataFound, match='No job "nojob" with id "1"'):
        connection.execute("select * from coordinator.fingerprint('nojob', '1')")
