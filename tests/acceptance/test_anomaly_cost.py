"""Anomalies of a stretch or a time of one job's logs cost by that stretch, not by the history."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.acceptance.imported_job import ImportedJob, Row
from tests.acceptance.synthetic_history import JOB, History, load_history, plan, scans
from tests.builders import FIRST_TIME, checkpoint_v1, checkpoint_v2, config_set
from tests.fixtures.postgres import CloneSeries
from tests.oracle import to_time

pytestmark = pytest.mark.slow

EVENTS: Final = 100_000
STRETCH: Final = 1_000
MINUTE: Final = 60_000
OF_THE_JOB: Final = "select * from coordinator.anomaly where job_name = %s and job_id = %s"
BETWEEN: Final = "select * from coordinator.anomaly_between(%s, %s, %s, %s)"
OF_A_STRETCH: Final = f"{OF_THE_JOB} and stream_kind = 'checkpoint' and log_offset between %s and %s"


@pytest.fixture(scope="module")
def history(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[History]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield load_history(connection, EVENTS)


def suspects(history: History) -> int:
    row = history.connection.execute("select count(*) from projection.suspect_checkpoint").fetchone()
    assert row is not None
    return int(row[0])


def read_checkpoints(executed: dict[str, Any]) -> int:
    """How many rows of the checkpoints' history a plan read."""
    return sum(
        scan["Actual Rows"] * scan["Actual Loops"]
        for scan in scans(executed)
        if scan["Relation Name"].startswith("checkpoint_event")
    )


@pytest.mark.parametrize("of", [OF_THE_JOB, "select * from coordinator.anomaly"])
def test_checkpoints_are_read_only_where_the_fold_suspects_an_anomaly(history: History, of: str) -> None:
    """Each suspect and the checkpoint before it."""
    kinds = ("checkpoint_moved_back", "unread_checkpoint")
    parameters = JOB if of == OF_THE_JOB else ()
    for kind in kinds:
        executed = plan(
            history.connection, of.replace("coordinator.anomaly", f"projection.anomaly_{kind}"), *parameters
        )
        assert read_checkpoints(executed) <= 4 * suspects(history) + 10
    assert 0 < suspects(history) < EVENTS / 100


def test_another_max_age_than_the_usual_ones_looks_at_every_commit(database: Connection) -> None:
    commits = [checkpoint_v1("t", {"kafka.in.0": "1"}, at=FIRST_TIME)]
    commits += [checkpoint_v2("t", {"kafka.in.0": "1"}, at=FIRST_TIME + minute * MINUTE) for minute in (1, 3, 90, 180)]
    offsets = {}
    for minutes in (2, 10, 120):
        job = f"max-age-{minutes}"
        config = [
            config_set("task.checkpoint.read.versions", "1,2"),
            config_set("task.live.checkpoint.max.age", str(minutes * MINUTE)),
        ]
        ImportedJob(database, job, coordinator=config, checkpoints=commits)
        query = (
            "select log_offset from coordinator.anomaly where job_name = %s and anomaly = 'checkpoint_version_rollback'"
        )
        offsets[minutes] = [offset for (offset,) in database.execute(query, (job,))]
    assert offsets == {2: [2], 10: [3], 120: [4]}


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
    assert read_checkpoints(executed) <= STRETCH


def test_the_anomalies_of_a_time_are_those_of_its_stretches(history: History) -> None:
    found: set[Row] = set()
    for since, until in pairwise([None, *map(history.checkpoint_time, (0.3, 0.7, 0.9)), None]):
        rows = set(history.connection.execute(BETWEEN, (*JOB, since, until)).fetchall())
        assert found.isdisjoint(rows)
        found |= rows
    assert found == set(history.connection.execute(OF_THE_JOB, JOB).fetchall()) != set()


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
