"""Reads in one line: what they return, what they say about it, and what they refuse."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

import psycopg
import pytest
from psycopg import sql
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from eventlog.postgres.connection import connect
from eventlog.startpoint import StartpointOldest
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.open_snapshot import OpenSnapshot
from spark_jobs.relations.reader import SAMPLE, RelationReader, log_positions
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, recorded, startpoint
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.database_users import database_user
from tests.fixtures.spark_jobs.fleet import COMMITS, EVERY, FIRST, JOBS, add_commits
from tests.postgres.acceptance.synthetic_history import buffers, plan

JOB: Final = "job-3"
AFTER_TEN: Final = FIRST + 9 * EVERY
COORDINATOR, CHECKPOINTS = coordinator_stream_name(JOB), checkpoint_stream_name(JOB)


@pytest.fixture
def reader(fleet_url: str) -> RelationReader:
    return RelationReader(lambda: fleet_url)


def offsets(spark: Any, reader: RelationReader, relation: str = "checkpoint", **arguments: Any) -> list[int]:
    """The committed offsets that a read returns, sorted."""
    rows = reader.read_relation(spark, relation, columns=["input_offset_number"], **arguments)
    assert rows.columns == ["input_offset_number"]
    return sorted(row.input_offset_number for row in rows.collect())


def test_a_relation_has_the_rows_of_one_job_or_of_all_jobs(spark: SparkSession, reader: RelationReader) -> None:
    assert offsets(spark, reader, job=f"{JOB}/1") == [COMMITS - 1]
    assert offsets(spark, reader, job=JOB) == [COMMITS - 1]
    assert offsets(spark, reader) == [COMMITS - 1] * len(JOBS)
    assert offsets(spark, reader, partitions=4) == [COMMITS - 1] * len(JOBS)


def test_a_relation_is_read_as_of_a_time(spark: SparkSession, reader: RelationReader) -> None:
    for time in (AFTER_TEN, AFTER_TEN.isoformat(), f"{AFTER_TEN:%Y-%m-%d %H:%M:%S}"):
        assert offsets(spark, reader, job=JOB, as_of=time) == [9]
    assert offsets(spark, reader, as_of=AFTER_TEN) == [9] * len(JOBS)
    assert offsets(spark, reader, job=JOB, as_of="2001-01-01") == []


def test_a_relation_is_read_as_of_an_offset(spark: SparkSession, reader: RelationReader) -> None:
    assert offsets(spark, reader, job=JOB, as_of_offset=12) == [12]
    assert offsets(spark, reader, job=JOB, as_of_offset=0, stream_kind="coordinator", incarnation=1) == [0]


def test_a_history_as_of_a_cut_ends_there(spark: SparkSession, reader: RelationReader) -> None:
    ten = list(range(10))
    assert offsets(spark, reader, "checkpoint_history", job=JOB, as_of=AFTER_TEN) == ten
    assert offsets(spark, reader, "checkpoint_history", as_of=AFTER_TEN) == sorted(ten * len(JOBS))
    assert offsets(spark, reader, "checkpoint_history", job=JOB, as_of_offset=9) == ten
    config = reader.read_relation(spark, "config_history", job=JOB, as_of_offset=0)
    assert [(row.config_key, row.log_offset) for row in config.collect()] == [("task.inputs", 0)]


def test_a_read_has_the_log_positions_that_it_shows(spark: SparkSession, reader: RelationReader) -> None:
    now = reader.read_relation(spark, "checkpoint", job=JOB)
    assert log_positions(now) == {(CHECKPOINTS, 1): COMMITS, (COORDINATOR, 1): 1}
    then = reader.read_relation(spark, "checkpoint", job=JOB, as_of=AFTER_TEN)
    assert log_positions(then) == {(CHECKPOINTS, 1): 10, (COORDINATOR, 1): 1}
    after = reader.read_relation(spark, "checkpoint", job=JOB, as_of_offset=12)
    assert log_positions(after) == {(CHECKPOINTS, 1): 13, (COORDINATOR, 1): 1}
    fleet = reader.read_relation(spark, "checkpoint", as_of=AFTER_TEN)
    assert sorted(log_positions(fleet).values()) == [1] * len(JOBS) + [10] * len(JOBS)
    late = reader.read_relation(spark, "checkpoint", job=JOB, as_of="2100-01-01")
    assert log_positions(late) == log_positions(now)
    with pytest.raises(SparkJobError, match="Pass that one"):
        log_positions(now.limit(1))


def committed(rows: Any) -> int:
    """The number of commits in a DataFrame."""
    return len(rows.collect())


def test_rows_that_were_read_stay_as_they_are(spark: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    before = reader.read_relation(spark, "commit_history", job="job-5")
    add_commits(fleet_url, "job-5", 2)
    after = reader.read_relation(spark, "commit_history", job="job-5")
    assert [committed(before), committed(after), committed(before)] == [COMMITS, COMMITS + 2, COMMITS]


def read_around_a_commit(spark: Any, reader: RelationReader, url: str, job: str) -> tuple[int, int, int]:
    """How many commits three reads find: two in a block, with a commit before they are evaluated, and one after it."""
    with reader.snapshot(spark) as moment:
        first = reader.read_relation(spark, "commit_history", job=job)
        add_commits(url, job, 1)
        second = reader.read_relation(spark, "commit_history", job=job, columns=["task_name"])
        counts = committed(first), committed(second)
        assert moment.positions[checkpoint_stream_name(job), 1] == COMMITS
        assert log_positions(second)[checkpoint_stream_name(job), 1] == COMMITS
    return *counts, committed(reader.read_relation(spark, "commit_history", job=job))


def test_all_reads_in_a_block_show_one_moment(spark: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    assert read_around_a_commit(spark, reader, fleet_url, "job-6") == (COMMITS, COMMITS, COMMITS + 1)


def test_a_thread_reads_in_the_block_if_it_is_given_the_snapshot(
    spark: SparkSession, reader: RelationReader, fleet_url: str
) -> None:
    with reader.snapshot(spark) as moment, ThreadPoolExecutor(1) as pool:
        add_commits(fleet_url, "job-8", 1)
        assert committed(pool.submit(reader.read_relation, moment, "commit_history", job="job-8").result()) == COMMITS


def test_an_action_after_the_block_fails(spark: SparkSession, reader: RelationReader) -> None:
    with reader.snapshot(spark) as moment:
        rows = reader.read_relation(spark, "commit_history", job=JOB)
    with pytest.raises(Exception, match=r"invalid snapshot identifier|snapshot .* does not exist"):
        rows.collect()
    with pytest.raises(SparkJobError, match=r"^Cannot read the jobs \(the connection is closed\)"):
        moment.job(JOB)
    with pytest.raises(SparkJobError, match=r'^Cannot read relation "checkpoint": the connection is closed\.$'):
        reader.read_relation(moment, "checkpoint", as_of=AFTER_TEN)


@pytest.mark.parametrize(
    "condition",
    [
        "log_offset = '5' and job_name in ('job-1', 'it''s', NULL)",
        "input_offset_number not in (3, 5) and not job_name like 'job-1%'",
        "record_time >= timestamp '2026-11-21 09:17:00+00' or checkpoint_id is null",
    ],
)
def test_a_filter_in_a_block_finds_the_same_rows_as_in_sql(
    spark: SparkSession, reader: RelationReader, fleet_url: str, condition: str
) -> None:
    with reader.snapshot(spark) as moment:
        found = committed(reader.read_relation(spark, "checkpoint_history").where(condition))
        query = f"SELECT count(*) FROM coordinator.checkpoint_history WHERE {condition}"
        assert moment.connection.execute(cast("Any", query)).fetchall() == [(found,)]
    assert found > 0


def test_spark_connect_reads_the_same(connect_session: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    assert offsets(connect_session, reader, job=JOB) == [COMMITS - 1]
    assert offsets(connect_session, reader, as_of=AFTER_TEN, partitions=4) == [9] * len(JOBS)
    assert offsets(connect_session, reader, job=JOB, as_of_offset=12) == [12]
    assert offsets(connect_session, reader) == offsets(connect_session, reader, partitions=1)
    assert read_around_a_commit(connect_session, reader, fleet_url, "job-9") == (COMMITS, COMMITS, COMMITS + 1)


@pytest.mark.parametrize(
    ("relation", "arguments", "message"),
    [
        ("chekpoint", {}, r'^Unknown relation "chekpoint". Did you mean "checkpoint".* Relations: anomaly, .*config, '),
        ("config", {"columns": ["key"]}, r'^Relation "config" has no column "key".* Columns: job_name, .*config_key, '),
        ("config", {"columns": "host"}, r"^Invalid columns 'host'\. Expected a list of names.*\['host'\]\.$"),
        ("config", {"columns": []}, r"^Invalid columns \[\]\. Expected different names, or None for all columns\.$"),
        ("config", {"columns": ["job_id"] * 2}, r"^Invalid columns \['job_id', 'job_id'\]\. Expected different names"),
        ("config", {"job": JOB, "as_of_offset": "5"}, "^Invalid as_of_offset '5'"),
        ("config", {"partitions": "2"}, "^Invalid number of partitions '2'"),
        ("config", {"job": "job"}, r'^No job "job". Did you mean "job-'),
        ("config", {"job": f"{JOB}/2"}, r'^No job "job-3/2". Did you mean "job-3/1"'),
        ("job", {"as_of": AFTER_TEN}, r'^Relation "job" cannot be read as of a time. These can: .*config, config_ch'),
        ("starting_offset", {"job": JOB, "as_of_offset": 1}, r"cannot be read as of a log offset. These can: "),
        ("config", {"as_of": "noon"}, r"^Invalid time 'noon'. Expected ISO 8601"),
        ("config", {"as_of": datetime(2026, 1, 1)}, r"^The time 2026-01-01 00:00:00 has no time zone"),  # noqa: DTZ001
        ("config", {"as_of": datetime(2026, 1, 1, tzinfo=UTC), "as_of_offset": 1}, "exclude each other"),
        ("config", {"as_of": 1.5}, r"^Invalid time 1\.5\. Expected ISO 8601"),
        ("config", {"as_of_offset": 1}, "as_of_offset needs a job"),
        ("config", {"job": JOB, "as_of_offset": 1, "incarnation": 7}, "has no incarnation 7 of its coordinator log"),
        ("config", {"stream_kind": "coordinator"}, "belong to as_of_offset"),
        ("config", {"job": JOB, "as_of_offset": 1, "stream_kind": "other"}, "^Invalid stream_kind 'other'"),
        ("config", {"partitions": 0}, "^Invalid number of partitions 0"),
    ],
)
def test_an_invalid_argument_is_reported(
    spark: SparkSession, reader: RelationReader, relation: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SparkJobError, match=message) as refusal:
        reader.read_relation(spark, relation, **arguments)
    assert "\n" not in str(refusal.value)


DROP_FIRST_EVENTS: Final = """
SET session_replication_role = replica;
DELETE FROM eventlog.event e USING projection.job_log l
WHERE l.log_id = e.log_id AND l.job_name = 'job-10' AND l.stream_kind = 'checkpoint' AND e.log_offset < 20
"""


def test_a_time_that_the_archive_no_longer_has_is_reported_and_does_not_end_the_block(
    spark: SparkSession, reader: RelationReader, fleet_url: str
) -> None:
    with psycopg.connect(fleet_url) as connection:
        connection.execute(DROP_FIRST_EVENTS)
    with reader.snapshot(spark):
        with pytest.raises(SparkJobError, match=r'^Cannot read relation "checkpoint": .* begins at offset 20'):
            reader.read_relation(spark, "checkpoint", job="job-10", as_of=AFTER_TEN)
        assert offsets(spark, reader, job="job-10") == [COMMITS - 1]


def test_a_user_without_rights_is_told_who_can_grant_them(spark: SparkSession, fleet_url: str) -> None:
    with database_user(fleet_url) as url, pytest.raises(SparkJobError, match=r"may not read.* `coordstream db grant "):
        RelationReader(lambda: url).read_relation(spark, "config")
    with database_user(fleet_url, "coordstream_reader") as url:
        assert offsets(spark, RelationReader(lambda: url), job=JOB, as_of=AFTER_TEN) == [9]


HOUR: Final = 3_600_000
AFTER_TWO: Final = FIRST + timedelta(milliseconds=1)
HIST_COORDINATOR, HIST_CHECKPOINTS = coordinator_stream_name("hist"), checkpoint_stream_name("hist")


@pytest.fixture
def recreated(database_url: str) -> RelationReader:
    """A job whose coordinator stream has two incarnations with the same times, and another job."""
    with connect(database_url) as connection:
        job = ImportedJob(connection, "hist", checkpoints=[checkpoint_v1(at=FIRST_TIME + 1)])
        for value in ("a", "b"):
            job.import_recorded(job.coordinator_stream, recorded([config_set(f"k{n}", value) for n in range(4)]))
        ImportedJob(connection, "other", coordinator=[config_set("k0")])
    return RelationReader(lambda: database_url)


def events(spark: Any, reader: RelationReader, relation: str = "config_history", **arguments: Any) -> list[Any]:
    """The events of a history as (incarnation, offset), sorted; those of checkpoint topics have a 0 in front."""
    read = reader.read_relation(spark, relation, columns=["stream_kind", "incarnation", "log_offset"], **arguments)
    rows = read.collect()
    found = [(row.incarnation, row.log_offset) for row in rows if row.stream_kind == "coordinator"]
    return sorted(found) + [0] * (len(rows) - len(found))


def test_each_incarnation_ends_at_the_time(spark: SparkSession, recreated: RelationReader) -> None:
    both = [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert events(spark, recreated, job="hist", as_of=AFTER_TWO) == both
    assert events(spark, recreated, job="hist", as_of=(FIRST - timedelta(days=1)).date()) == []
    assert events(spark, recreated, as_of=AFTER_TWO) == sorted([*both, (1, 0)])
    assert events(spark, recreated, as_of=AFTER_TWO, partitions=2) == sorted([*both, (1, 0)])
    assert events(spark, recreated, "event", job="hist", as_of=AFTER_TWO) == [*both, 0]
    assert events(spark, recreated, "event", job="hist", as_of=FIRST) == [(1, 0), (2, 0)]
    read = recreated.read_relation(spark, "config_history", job="hist", as_of=AFTER_TWO)
    assert log_positions(read) == {(HIST_COORDINATOR, 1): 2, (HIST_COORDINATOR, 2): 2, (HIST_CHECKPOINTS, 1): 1}
    state = recreated.read_relation(spark, "config", job="hist", as_of=AFTER_TWO)
    assert log_positions(state) == {(HIST_COORDINATOR, 2): 2, (HIST_CHECKPOINTS, 1): 1}


def test_earlier_incarnations_end_at_the_time_of_the_event(spark: SparkSession, recreated: RelationReader) -> None:
    at_two: dict[str, Any] = {"job": "hist", "as_of_offset": 2}
    assert events(spark, recreated, **at_two) == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    assert events(spark, recreated, **at_two, incarnation=1) == [(1, 0), (1, 1), (1, 2)]
    assert events(spark, recreated, "event", job="hist", as_of_offset=0) == [(1, 0), (1, 1), (2, 0), (2, 1), 0]
    assert events(spark, recreated, "event", job="hist", as_of_offset=0, stream_kind="coordinator") == [(1, 0), (2, 0)]
    read = recreated.read_relation(spark, "config_history", **at_two)
    assert log_positions(read) == {(HIST_COORDINATOR, 1): 3, (HIST_COORDINATOR, 2): 3, (HIST_CHECKPOINTS, 1): 1}


def test_a_history_of_one_job_is_divided_by_its_rows(
    spark: SparkSession, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compacted topic has few old events, and an event is as many rows as it has inputs."""
    inputs = [{f"kafka.views.{number}": "1" for number in range(count)} for count in (5, 35)]
    commits = recorded([checkpoint_v1(offsets=inputs[number // 1_500]) for number in range(3_000)])
    compacted = [event._replace(offset=min(event.offset * 1_000, 100_000 + event.offset)) for event in commits]
    with connect(database_url) as connection:
        job = ImportedJob(connection, "hist")
        job.import_recorded(job.checkpoint_stream, compacted)
        connection.execute("vacuum analyze")
    reader, queries = RelationReader(lambda: database_url), list[sql.Composed]()
    ask = OpenSnapshot.ask

    def noted(moment: OpenSnapshot, query: sql.Composed, relation: str) -> list[Any]:
        queries.append(query)
        return ask(moment, query, relation)

    monkeypatch.setattr(OpenSnapshot, "ask", noted)
    with reader.snapshot(spark) as moment:
        rows = reader.read_relation(spark, "checkpoint_history", job="hist", partitions=4)
        counts = [row["count"] for row in rows.groupBy(sf.spark_partition_id()).count().collect()]
        whole = plan(moment.connection, "select * from coordinator.checkpoint_history")
        divided = plan(moment.connection, queries[0].as_string())
    assert sum(counts) == 60_000
    assert min(counts) > 13_000
    assert max(counts) < 16_000
    assert buffers(divided) <= buffers(whole)
    assert divided["Plans"][0]["Actual Rows"] < SAMPLE


def test_a_startpoint_that_expired_before_the_event_is_in_the_history(spark: SparkSession, database_url: str) -> None:
    requested = startpoint("kafka.in.0", StartpointOldest(FIRST_TIME))
    later = [config_set(at=FIRST_TIME + hours * HOUR) for hours in (11, 13)]
    with connect(database_url) as connection:
        ImportedJob(connection, "hist", coordinator=[requested, *later])
    reader = RelationReader(lambda: database_url)

    def statuses(**arguments: Any) -> list[str]:
        read = reader.read_relation(spark, "startpoint_history", job="hist", **arguments)
        return sorted(row.status for row in read.collect())

    assert statuses(as_of_offset=1) == statuses(as_of=FIRST + timedelta(hours=11)) == ["requested"]
    assert statuses(as_of_offset=2) == statuses(as_of=FIRST + timedelta(hours=13)) == ["expired", "requested"]
