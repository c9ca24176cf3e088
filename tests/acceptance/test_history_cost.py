"""Histories are read in one pass, and the newest rows cost what they are (EXPLAIN)."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from benchmarks.relation_data import JobLogs, JobSize
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.acceptance.synthetic_history import buffers, plan, scans
from tests.fixtures.postgres import CloneSeries
from tests.properties.importing import import_events

pytestmark = pytest.mark.slow

SIZE: Final = JobSize("measured", events=20_000, tasks=100, config_keys=50)
"""V1 and V2 of each commit, and a job that reads both."""
OTHERS: Final = 10
OF_THE_JOB: Final = "where job_name = 'measured' and job_id = '1'"
NEWEST: Final = 50


@pytest.fixture(scope="module")
def jobs(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[Connection]:
    """The measured job among small ones, so that the planner cannot guess the size of a log."""
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        small = (JobSize(f"small-{number}", events=1_000, tasks=4, config_keys=10) for number in range(OTHERS))
        for logs in map(JobLogs, (SIZE, *small)):
            import_events(connection, logs.coordinator, list(logs.coordinator_events()))
            import_events(connection, logs.checkpoints, list(logs.checkpoint_events()))
        connection.execute("vacuum analyze")
        yield connection


def executed(connection: Connection, query: str) -> dict[str, Any]:
    plan(connection, query)  # the catalogue is read once for each session
    return plan(connection, query)


def lookups(node: dict[str, Any], table: str) -> int:
    """How often a plan looked into a table."""
    return sum(scan["Actual Loops"] for scan in scans(node) if scan["Relation Name"].startswith(table))


def rows_read(node: dict[str, Any], table: str) -> float:
    """How many rows of a table a plan read."""
    read = (scan["Actual Rows"] * scan["Actual Loops"] for scan in scans(node) if scan["Relation Name"] == table)
    return float(sum(read))


def compared_in_vain(node: dict[str, Any]) -> float:
    """How many pairs of rows a plan held together that do not belong together."""
    of_this = float(node.get("Rows Removed by Join Filter", 0) * node["Actual Loops"])
    return of_this + sum(map(compared_in_vain, node.get("Plans", [])))


def one(connection: Connection, query: str) -> int:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("relation", ["commit_history", "checkpoint_history", "state_checkpoint_history"])
def test_preferred_commits_need_no_lookup(jobs: Connection, relation: str) -> None:
    """A correlated probe took five buffers and more an event."""
    preferred = executed(jobs, f"select count(*) filter (where is_preferred) from coordinator.{relation} {OF_THE_JOB}")
    every = executed(jobs, f"select count(*) from coordinator.{relation} {OF_THE_JOB}")
    assert buffers(preferred) <= buffers(every) * 1.1 + 100


@pytest.mark.parametrize("relation", ["checkpoint_history", "state_checkpoint_history"])
def test_the_layouts_of_a_job_are_read_once(jobs: Connection, relation: str) -> None:
    """They were looked up for each commit: most of the pages that reading a history took."""
    found = executed(jobs, f"select * from coordinator.{relation} {OF_THE_JOB}")
    assert 0 < lookups(found, "checkpoint_layout") <= 2


def test_the_key_of_an_event_is_looked_up_once_a_key(jobs: Connection) -> None:
    """For each event, its key was hashed twice and searched for among the keys of all jobs."""
    found = executed(jobs, f"select * from coordinator.event {OF_THE_JOB}")
    keys = one(jobs, "select count(*) from projection.event_key join projection.job_log using (log_id) " + OF_THE_JOB)
    assert lookups(found, "event_key") == rows_read(found, "event_key") == keys
    assert found["Temp Read Blocks"] == 0


@pytest.mark.parametrize("count", [10, NEWEST])
@pytest.mark.parametrize("function", ["newest_commits", "newest_events"])
def test_the_newest_cost_what_they_are(jobs: Connection, function: str, count: int) -> None:
    """Each key is found by its hash: compared with all keys of the log, the hash was made for every pair again."""
    found = executed(jobs, f"select * from coordinator.{function}('measured', '1', {count})")
    assert count <= found["Actual Rows"] <= 2 * count
    assert buffers(found) <= 100 * found["Actual Rows"]
    assert lookups(found, "event_from") <= 2 + found["Actual Rows"]
    assert compared_in_vain(found) <= found["Actual Rows"]


def test_the_newest_commits_are_those_of_the_history(jobs: Connection) -> None:
    newest = jobs.execute(f"select * from coordinator.newest_commits('measured', '1', {NEWEST})".encode()).fetchall()
    assert (
        newest
        == jobs.execute(
            f"select * from coordinator.commit_history {OF_THE_JOB} order by log_offset desc limit {NEWEST}".encode()
        ).fetchall()
    )


def test_the_newest_events_are_those_of_each_log(jobs: Connection) -> None:
    newest = jobs.execute(f"select * from coordinator.newest_events('measured', '1', {NEWEST})".encode()).fetchall()
    ordered = f"{OF_THE_JOB} and stream_kind = %s order by log_offset desc limit {NEWEST}"
    assert newest == [
        row
        for kind in ("checkpoint", "coordinator")
        for row in jobs.execute(f"select * from coordinator.event {ordered}".encode(), (kind,)).fetchall()
    ]
