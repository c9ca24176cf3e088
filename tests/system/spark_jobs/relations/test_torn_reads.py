"""A writer commits while each kind of read is between its partitions: the read shows one moment.

The same reads without the session statement, which shares the snapshot, mix two moments: otherwise these tests would
prove nothing.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import psycopg
import pytest
from pyspark.sql import SparkSession

from spark_jobs.relations.open_snapshot import OpenSnapshot
from spark_jobs.relations.reader import RelationReader
from tests.fixtures.spark_jobs.fleet import COMMITS, JOBS
from tests.fixtures.waiting import wait_until

GATE: Final = 20_260_301
WAITS_AT_GATE: Final = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
PARTITIONS: Final = 4
FLEET: Final = "SELECT DISTINCT job_name, job_bucket FROM projection.job_log ORDER BY job_bucket"
LATER: Final = "2030-01-01T00:00Z"

# An account for each job of the fleet, and one for each commit of the first job. An account of the second partition is
# read through the gate.
RELATIONS: Final = f"""
CREATE FUNCTION pass_gate() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$ BEGIN
  IF current_setting('application_name') = 'coordstream spark' THEN  -- and not for the snapshot that divides the rows
    PERFORM pg_advisory_xact_lock_shared({GATE});
  END IF;
  RETURN 0;
END $$;
CREATE TABLE accounts AS
SELECT DISTINCT job_name, job_id, job_bucket, 100::bigint AS amount FROM projection.job_log;
CREATE VIEW coordinator.account AS
SELECT job_name, job_id, job_bucket, amount + CASE WHEN job_bucket = %(gate)s THEN pass_gate() ELSE 0 END AS amount
FROM accounts;
CREATE FUNCTION coordinator.account_as_of(job_name text, job_id text, at timestamptz)
RETURNS SETOF coordinator.account LANGUAGE sql STABLE AS
'SELECT a.* FROM coordinator.account a WHERE a.job_name = $1 AND a.job_id = $2';
CREATE VIEW coordinator.account_history AS
SELECT a.*, NULL::timestamptz AS record_time, 'checkpoint'::text AS stream_kind, 1 AS incarnation,
  0::bigint AS log_offset
FROM coordinator.account a;
CREATE TABLE movements AS
SELECT number AS log_offset, 100::bigint AS amount FROM generate_series(0, {COMMITS - 1}) number;
CREATE VIEW coordinator.movement_history AS
SELECT l.job_name, l.job_id, l.job_bucket, NULL::timestamptz AS record_time, l.stream_kind, l.incarnation, m.log_offset,
  m.amount + CASE WHEN m.log_offset = {COMMITS * 3 // 8} THEN pass_gate() ELSE 0 END AS amount
FROM movements m JOIN projection.job_log l ON l.job_name = '{JOBS[0]}' AND l.stream_kind = 'checkpoint';
"""


class Way(NamedTuple):
    """A way to read: the relation, its arguments, and how many accounts of 100 it has."""

    relation: str
    arguments: dict[str, Any]
    accounts: int


OF_ALL_JOBS: Final = {
    "now": Way("account", {}, len(JOBS)),
    "as of a time": Way("account", {"as_of": LATER}, len(JOBS)),
    "history": Way("account_history", {}, len(JOBS)),
    "history as of a time": Way("account_history", {"as_of": LATER}, len(JOBS)),
}
OF_ONE_JOB: Final = {
    "history of a job": Way("movement_history", {"job": JOBS[0]}, COMMITS),
    "history of a job as of a time": Way("movement_history", {"job": JOBS[0], "as_of": LATER}, COMMITS),
    "history of a job as of an offset": Way(
        "movement_history", {"job": JOBS[0], "as_of_offset": COMMITS, "stream_kind": "checkpoint"}, COMMITS
    ),
}
WAYS: Final = OF_ALL_JOBS | OF_ONE_JOB


class Accounts:
    """The database, and how a read of it is disturbed."""

    def __init__(self, url: str) -> None:
        self.url, self.reader = url, RelationReader(lambda: url)
        with psycopg.connect(url, autocommit=True) as connection:
            jobs = connection.execute(FLEET).fetchall()
            self.first, self.last = jobs[0][0], jobs[-1][0]
            gate = jobs[len(jobs) * 3 // 8][1]  # in the second of four partitions
            connection.execute((RELATIONS % {"gate": gate}).encode())

    def total(self, way: Way, source: SparkSession | OpenSnapshot) -> int:
        """The sum of all accounts, while 50 is moved from the first account to the last.

        That is committed while the read waits at the gate. With one core, the partitions before the gate have then been
        read, and those after it have not.
        """
        if way.relation == "movement_history":
            write = "UPDATE movements SET amount = amount + CASE log_offset WHEN 0 THEN -50 ELSE 50 END"
            write += f" WHERE log_offset IN (0, {COMMITS - 1})"
        else:
            write = f"UPDATE accounts SET amount = amount + CASE job_name WHEN '{self.first}' THEN -50 ELSE 50 END"
            write += f" WHERE job_name IN ('{self.first}', '{self.last}')"

        def write_during_the_read(keeper: psycopg.Connection[Any]) -> None:
            try:
                wait_until(lambda: keeper.execute(WAITS_AT_GATE, [GATE]).fetchall()[0][0], what="a reader at the gate")
                keeper.execute(write.encode())
            finally:
                keeper.execute("SELECT pg_advisory_unlock(%s)", [GATE])

        with psycopg.connect(self.url, autocommit=True) as keeper, ThreadPoolExecutor(1) as pool:
            keeper.execute("SELECT pg_advisory_lock(%s)", [GATE])
            writer = pool.submit(write_during_the_read, keeper)
            rows = self.reader.read_relation(source, way.relation, partitions=PARTITIONS, **way.arguments)
            assert rows.rdd.getNumPartitions() == PARTITIONS
            found: int = sum(row.amount for row in rows.collect())
            writer.result()
        return found


@pytest.fixture(scope="module")
def accounts(fleet_url: str) -> Accounts:
    """Moves leave the sum as it is, so the tests share the accounts."""
    return Accounts(fleet_url)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_read_shows_one_moment(
    spark: SparkSession, accounts: Accounts, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert accounts.total(way, spark) == 100 * way.accounts
    with accounts.reader.snapshot(spark) as moment:
        assert accounts.total(way, moment) == 100 * way.accounts
    monkeypatch.setattr(OpenSnapshot, "session_statement", lambda _: "SELECT 1")
    assert accounts.total(way, spark) == 100 * way.accounts + 50
