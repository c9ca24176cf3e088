"""What reading costs (EXPLAIN): as-of questions by key, histories in one pass, anomalies by their stretch."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pytest

from benchmarks.relation_data import JobLogs, JobSize
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.builders import FIRST_TIME, checkpoint_v1
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.postgres import CloneSeries
from tests.fixtures.properties.importing import import_events
from tests.oracle import Row, to_time
from tests.postgres.acceptance.synthetic_history import (
    CONFIG_KEYS,
    JOB,
    TASKS,
    History,
    buffers,
    load_history,
    nodes,
    plan,
    scans,
)

pytestmark = pytest.mark.slow

SMALL: Final = 12_000
LARGE: Final = 60_000
A_CUT: Final = 60
"""Buffers that finding the job, its logs and the cut of the other log may take: a stretch of the archive is read."""
A_CHECKPOINT_KEY: Final = 13
"""Buffers for a key: the dictionary, one descent of the primary key, the row, its layout's rows."""
A_CONFIG_KEY: Final = 6
A_RULE: Final = 120
"""Buffers for the config that says how checkpoints are read: it is looked up by key, among few."""


ALL_TASKS: Final = A_RULE + 2 * TASKS * A_CHECKPOINT_KEY
ONE_TASK: Final = A_RULE + 2 * TASKS + 2 * A_CHECKPOINT_KEY
"""The dictionary has no index by task: the keys of all tasks are read there."""
ALL_CONFIG: Final = A_CUT + CONFIG_KEYS * A_CONFIG_KEY
OF_ONE_TASK: Final = "where task_name = 'Partition 7'"
QUESTIONS: Final = [
    ("checkpoint", "", 2 * TASKS, ALL_TASKS),
    ("checkpoint", OF_ONE_TASK, 2, ONE_TASK),
    ("config", "", CONFIG_KEYS, ALL_CONFIG),
]
"""An as-of question: a relation, a condition, how many keys it needs, and the buffers that it may touch."""


@pytest.fixture(scope="module")
def small(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[History]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield load_history(connection, SMALL)


@pytest.fixture(scope="module")
def history(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[History]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield load_history(connection, LARGE)


def ask(history: History, query: str, value: object) -> tuple[int, set[str]]:
    """Buffers touched, and which history tables were read otherwise than by probes."""
    plan(history.connection, query, *JOB, value)  # the catalogue is read once for each session
    executed = plan(history.connection, query, *JOB, value)
    otherwise = {
        f"{node['Node Type']} {node.get('Scan Direction')} {node['Relation Name']}"
        for node in scans(executed)
        if node["Relation Name"].startswith(("checkpoint_event", "message_event"))
        and not (
            node["Node Type"] in ("Index Scan", "Index Only Scan")
            and node["Scan Direction"] == "Backward"
            and node["Index Name"].endswith(("_pkey", "pk_message_event"))
        )
    }
    otherwise |= {f"Seq Scan {node['Relation Name']}" for node in scans(executed) if is_scan_of_the_archive(node)}
    return buffers(executed), otherwise


def is_scan_of_the_archive(node: dict[str, str]) -> bool:
    return node["Relation Name"].startswith("event_from") and node["Node Type"] == "Seq Scan"


@pytest.mark.parametrize("by_time", [False, True], ids=["by offset", "by time"])
@pytest.mark.parametrize(("relation", "condition", "keys", "limit"), QUESTIONS)
def test_cost_is_by_key_and_not_by_history(
    small: History, history: History, relation: str, condition: str, keys: int, limit: int, by_time: bool
) -> None:
    function = f"{relation}_as_of" if by_time else f"{relation}_as_of_offset"
    for part in (0.5, 0.9, 1.0):
        found = []
        for one in (small, history):
            log = one.coordinator if relation == "config" else one.checkpoint
            value = one.checkpoint_time(part) if by_time else log[int(part * (len(log) - 1))].offset
            touched, otherwise = ask(one, f"select * from coordinator.{function}(%s, %s, %s) {condition}", value)
            assert (otherwise, touched <= limit) == (set(), True)
            found.append(touched)
        # a longer history may be one level more of the trees of history and of layouts; a cut falls anywhere in its
        # stretch
        assert found[1] <= found[0] + 2 * keys + 64


SIZE: Final = JobSize("measured", events=20_000, tasks=100, config_keys=50)
"""V1 and V2 of each commit, and a job that reads both."""
OTHERS: Final = 10
OF_THE_JOB: Final = "where job_name = 'measured' and job_id = '1'"
NEWEST: Final = 50


@pytest.fixture(scope="module")
def jobs(database: Connection) -> Connection:
    """The measured job among small ones, so that the planner cannot guess the size of a log."""
    small = (JobSize(f"small-{number}", events=1_000, tasks=4, config_keys=10) for number in range(OTHERS))
    for logs in map(JobLogs, (SIZE, *small)):
        import_events(database, logs.coordinator, list(logs.coordinator_events()))
        import_events(database, logs.checkpoints, list(logs.checkpoint_events()))
    database.execute("vacuum analyze")
    return database


def executed(connection: Connection, query: str) -> dict[str, Any]:
    plan(connection, query)  # the catalogue is read once for each session
    return plan(connection, query)


def lookups(node: dict[str, Any], table: str) -> int:
    """How often a plan looked into a table."""
    return sum(scan["Actual Loops"] for scan in scans(node) if scan["Relation Name"].startswith(table))


def rows_read(node: dict[str, Any], table: str) -> float:
    """How many rows of a table a plan read."""
    read = (
        scan["Actual Rows"] * scan["Actual Loops"] for scan in scans(node) if scan["Relation Name"].startswith(table)
    )
    return float(sum(read))


def compared_in_vain(executed: dict[str, Any]) -> float:
    """How many pairs of rows a plan held together that do not belong together."""
    return sum(float(node.get("Rows Removed by Join Filter", 0) * node["Actual Loops"]) for node in nodes(executed))


def test_the_events_of_a_job_are_found_by_index(jobs: Connection) -> None:
    """Those of one job in three tables, without the archive, whose rows are several times as wide."""
    found = executed(jobs, f"select * from coordinator.event {OF_THE_JOB}")
    assert not any(scan["Relation Name"].startswith("event_from") for scan in scans(found))
    events = found["Actual Rows"]
    assert sum(rows_read(found, table) for table in ("checkpoint_event", "message_event", "quarantine")) <= 1.1 * events
    assert rows_read(found, "event_key") <= events
    assert found["Temp Read Blocks"] == 0


def test_requests_are_not_compared_with_each_other(jobs: Connection) -> None:
    found = executed(jobs, f"select * from coordinator.startpoint_history {OF_THE_JOB}")
    assert compared_in_vain(found) <= 2 * found["Actual Rows"]


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


def test_the_anomalies_of_a_job_cost_what_they_are(jobs: Connection) -> None:
    """A kind of anomaly that the filter on the job does not reach would be read whole for each job."""

    def cost(condition: str) -> int:
        return buffers(executed(jobs, f"select * from coordinator.anomaly {condition}"))

    job_by_job = sum(cost(f"where job_name = 'small-{number}' and job_id = '1'") for number in range(OTHERS))
    assert job_by_job <= 1.25 * (cost("") - cost(OF_THE_JOB))


STRETCH: Final = 1_000
MINUTE: Final = 60_000
ANOMALIES: Final = "select * from coordinator.anomaly where job_name = %s and job_id = %s"
BETWEEN: Final = "select * from coordinator.anomaly_between(%s, %s, %s, %s)"
OF_A_STRETCH: Final = f"{ANOMALIES} and stream_kind = 'checkpoint' and log_offset between %s and %s"


@pytest.mark.parametrize("part", [0.2, 0.6, 1.0])
def test_a_stretch_is_read_by_index(history: History, part: float) -> None:
    last = history.checkpoint[int(part * (len(history.checkpoint) - 1))].offset
    executed = plan(history.connection, OF_A_STRETCH, *JOB, last - STRETCH, last)
    read_whole = {
        node["Relation Name"]
        for node in scans(executed)
        if node["Node Type"] == "Seq Scan" and node["Relation Name"].startswith(("checkpoint_event", "event_from"))
    }
    assert read_whole == set()
    assert rows_read(executed, "checkpoint_event") <= STRETCH


def test_the_anomalies_of_a_time_are_those_of_its_stretches(history: History) -> None:
    found: set[Row] = set()
    for since, until in pairwise([None, *map(history.checkpoint_time, (0.3, 0.7, 0.9)), None]):
        rows = set(history.connection.execute(BETWEEN, (*JOB, since, until)).fetchall())
        assert found.isdisjoint(rows)
        found |= rows
    assert found == set(history.connection.execute(ANOMALIES, JOB).fetchall()) != set()


def test_an_event_is_found_where_the_log_had_got_to(database: Connection) -> None:
    """By log_time: the second event's own time is an hour before that of the first."""
    minutes = {60: "9", 0: "4", 70: "5"}
    commits = [
        checkpoint_v1("t", {"kafka.in.0": offset}, at=FIRST_TIME + at * MINUTE) for at, offset in minutes.items()
    ]
    ImportedJob(database, "late", checkpoints=commits)
    times = [to_time(FIRST_TIME + minute * MINUTE) for minute in (-1, 30, 60, 70)]
    shown = [
        [row[-1] for row in database.execute(BETWEEN, ("late", "1", since, until))] for since, until in pairwise(times)
    ]
    assert shown == [[], [1], []]


def test_the_log_that_a_job_reads_is_found_without_those_of_other_jobs(connected: Connection) -> None:
    connected.execute("""
        insert into projection.job_log (log_id, stream_name, stream_kind, incarnation, job_suffix, job_name, job_id,
                                        job_bucket, is_current, is_complete)
        select n, 's' || n, 'coordinator', 1, 'j' || n, 'j' || n, '1', 0, true, true from generate_series(1, 2000) n
    """)
    connected.execute("analyze projection.job_log")
    assert rows_read(executed(connected, "select r.* from projection.read_log(700) r"), "job_log") < 10
