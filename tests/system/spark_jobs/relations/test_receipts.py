"""A read that left a receipt is read again: the same rows, or an error, whatever came later."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

import pytest
from pyspark.sql import DataFrame, SparkSession

from benchmarks.generator import RELEASED_JOB, STREAM_NAMES, generate
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.startpoint import StartpointOldest
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from projections.job_choice import Job
from projections.retention import retain
from projections.tracked_logs import logs_of
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.reader import RelationReader, log_positions
from spark_jobs.relations.receipts import receipt_of
from tests.builders import FIRST_TIME, config_set, recorded, startpoint
from tests.fixtures.acceptance.imported_job import SETTINGS, ImportedJob
from tests.fixtures.database_users import database_user
from tests.fixtures.properties.importing import import_events
from tests.fixtures.spark_jobs.fleet import COMMITS, EVERY, FIRST, JOBS, add_commits

JOB: Final = "job-3"
BEFORE: Final = 3_000
FURTHER: Final = 100_000
LEFT: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("checkpoint", {}),
    ("config", {"job": RELEASED_JOB[0]}),
    ("starting_offset", {}),
    ("commit_history", {"partitions": 2}),
    ("checkpoint_history", {"job": RELEASED_JOB[0], "columns": ["task_name", "input_offset", "is_preferred"]}),
    ("config_change", {}),
    ("event", {"job": RELEASED_JOB[0]}),
)


@pytest.fixture
def reader(fleet_url: str) -> RelationReader:
    return RelationReader(lambda: fleet_url)


def rows_of(frame: DataFrame) -> Counter[Any]:
    return Counter(frame.collect())


def receipt_row(url: str, number: int, columns: str) -> list[tuple[Any, ...]]:
    with connect(url) as connection:
        query = f"select {columns} from coordinator.spark_read where spark_read_id = %s order by stream_name"
        return connection.execute(query.encode(), (number,)).fetchall()


@pytest.mark.long
def test_100_000_further_events_change_no_row(spark: SparkSession, database_url: str) -> None:
    """Among them new values of the config that decides which checkpoints are preferred."""
    events = generate(BEFORE + FURTHER, tasks=20, config_keys=50)
    reader = RelationReader(lambda: database_url)
    with connect(database_url) as connection:
        import_generated(connection, islice(events, BEFORE))
        frames = [reader.read_relation(spark, name, leave_receipt=True, **how) for name, how in LEFT]
        before = [(frame.columns, log_positions(frame), rows_of(frame)) for frame in frames]
        import_generated(connection, events)
    again = [reader.read_relation(spark, receipt=receipt_of(frame), partitions=2) for frame in frames]
    assert [(frame.columns, log_positions(frame), rows_of(frame)) for frame in again] == before
    assert all(rows for *_, rows in before)
    for frame, (name, how) in zip(again[:3], LEFT, strict=False):
        assert rows_of(reader.read_relation(spark, name, **how)) != rows_of(frame)


def import_generated(connection: Connection, events: Iterator[tuple[str, RecordedEvent]]) -> None:
    """Import generated events of all jobs."""
    by_stream: dict[str, list[RecordedEvent]] = {name: [] for name in STREAM_NAMES}
    for name, event in events:
        by_stream[name].append(event)
    for name, of_stream in by_stream.items():
        import_events(connection, name, of_stream)


def test_a_receipt_says_what_was_read(spark: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    rows = reader.read_relation(spark, "checkpoint", job=JOB, columns=["task_name", "input_offset"], leave_receipt=True)
    columns = "job_name, relation_name, column_names, read_by, application, row_count, stream_name, next_offset"
    read = (JOB, "checkpoint", "task_name, input_offset", "coordstream", "tests", 1)
    streams = [(checkpoint_stream_name(JOB), COMMITS), (coordinator_stream_name(JOB), 1)]
    assert receipt_row(fleet_url, receipt_of(rows), columns) == [(*read, *stream) for stream in streams]
    shown = reader.read_relation(spark, "spark_read", job=JOB).where(f"spark_read_id = {receipt_of(rows)}")
    assert [row.read_at >= row.as_of for row in shown.collect()] == [True, True]


def test_all_jobs_are_read_again(spark: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    first = reader.read_relation(spark, "checkpoint", leave_receipt=True)
    history = reader.read_relation(spark, "commit_history", leave_receipt=True)
    add_commits(fleet_url, "job-5", 2)
    again = reader.read_relation(spark, receipt=receipt_of(first), partitions=4)
    assert rows_of(again) == rows_of(first)
    assert log_positions(again) == log_positions(first)
    assert receipt_of(again) == receipt_of(first)
    assert len(rows_of(first)) == len(JOBS)
    assert rows_of(reader.read_relation(spark, "commit_history", receipt=receipt_of(history))) == rows_of(history)
    assert rows_of(reader.read_relation(spark, "checkpoint")) != rows_of(first)


@pytest.mark.parametrize("cut", [{"as_of": FIRST + 9 * EVERY}, {"as_of_offset": 9}])
@pytest.mark.parametrize("relation", ["checkpoint", "checkpoint_history"])
def test_a_cut_is_read_again(spark: SparkSession, reader: RelationReader, relation: str, cut: dict[str, Any]) -> None:
    first = reader.read_relation(spark, relation, job=JOB, **cut)
    left = reader.read_relation(spark, relation, job=JOB, leave_receipt=True, **cut)
    assert rows_of(first) == rows_of(left) == rows_of(reader.read_relation(spark, receipt=receipt_of(left)))
    assert log_positions(first) == log_positions(left)


def test_a_block_leaves_receipts_of_one_moment(spark: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    with reader.snapshot(spark) as moment:
        add_commits(fleet_url, "job-6", 1)
        first = reader.read_relation(spark, "checkpoint", job="job-6", leave_receipt=True)
        with pytest.raises(SparkJobError, match=r"^No receipt \d+\."):  # the block began before
            reader.read_relation(moment, receipt=receipt_of(first))
    assert log_positions(first) == moment.positions_of(Job("job-6", "1"))
    with reader.snapshot(spark):
        again = reader.read_relation(spark, receipt=receipt_of(first))
    assert rows_of(again) == rows_of(first)


def test_spark_connect_does_the_same(connect_session: SparkSession, reader: RelationReader, fleet_url: str) -> None:
    first = reader.read_relation(connect_session, "checkpoint_history", job="job-9", leave_receipt=True)
    add_commits(fleet_url, "job-9", 1)
    again = reader.read_relation(connect_session, receipt=receipt_of(first))
    assert sorted(again.collect()) == sorted(first.collect())


def test_expiry_is_judged_when_it_was_first(spark: SparkSession, database_url: str) -> None:
    """A startpoint that is valid for a read as of its time has expired now."""
    requested = [startpoint("kafka.in.0", StartpointOldest(FIRST_TIME)), config_set(at=FIRST_TIME + 1)]
    reader = RelationReader(lambda: database_url)
    with connect(database_url) as connection:
        ImportedJob(connection, "one", coordinator=requested)
    for relation in ("startpoint", "startpoint_history"):
        then = reader.read_relation(spark, relation, as_of=FIRST, leave_receipt=True)
        assert rows_of(reader.read_relation(spark, receipt=receipt_of(then))) == rows_of(then)
        assert rows_of(reader.read_relation(spark, relation)) != rows_of(then)


def test_a_reader_needs_no_other_right(spark: SparkSession, fleet_url: str) -> None:
    with database_user(fleet_url, "coordstream_reader") as url:
        reader = RelationReader(lambda: url)
        rows = reader.read_relation(spark, "config", job=JOB, leave_receipt=True)
        assert rows_of(reader.read_relation(spark, receipt=receipt_of(rows))) == rows_of(rows)
        ((user,),) = set(receipt_row(fleet_url, receipt_of(rows), "read_by"))
    assert user in url
    with database_user(fleet_url) as url, pytest.raises(SparkJobError, match="may not read"):
        RelationReader(lambda: url).read_relation(spark, receipt=receipt_of(rows))


@pytest.mark.parametrize(
    ("relation", "arguments", "message"),
    [
        (None, {}, r"^Nothing to read\. Pass the name of a relation, or the number of a receipt\.$"),
        (None, {"receipt": 10**9}, r"^No receipt 1000000000\. The relation spark_read lists the receipts\.$"),
        (None, {"receipt": 1, "job": JOB}, r"^A receipt names what was read\. Pass nothing but partitions with it\.$"),
        (None, {"receipt": 1, "leave_receipt": True}, "Pass nothing but partitions"),
        ("task_lag", {"leave_receipt": True}, r'^Relation "task_lag" cannot be read again\. These can: .*starting_off'),
        ("job", {"leave_receipt": True}, r'^Relation "job" cannot be read again\. These can: changelog_mapping, '),
        ("config", {"leave_receipt": True, "as_of": "2001-01-01"}, r"^No log had an event then"),
    ],
)
def test_what_cannot_be_is_reported(
    spark: SparkSession, reader: RelationReader, relation: str | None, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SparkJobError, match=message):
        reader.read_relation(spark, relation, **arguments)


def test_a_receipt_is_of_one_relation(spark: SparkSession, reader: RelationReader) -> None:
    rows = reader.read_relation(spark, "config", job=JOB, leave_receipt=True)
    with pytest.raises(SparkJobError, match=r'^Receipt \d+ is of relation "config"\. Pass this name, or none\.$'):
        reader.read_relation(spark, "checkpoint", receipt=receipt_of(rows))
    with pytest.raises(SparkJobError, match="leave_receipt=True has a receipt"):
        receipt_of(rows.limit(1))


def test_rows_that_a_retention_detached_are_missed(spark: SparkSession, database_url: str) -> None:
    reader = RelationReader(lambda: database_url)
    days = recorded(
        [config_set("a", str(day)) for day in range(20)], step=int(timedelta(days=1).total_seconds()) * 1000
    )
    with connect(database_url) as connection:
        job = ImportedJob(connection, "kept")
        job.import_recorded(job.coordinator_stream, days)
        early = reader.read_relation(spark, "config", as_of_offset=4, job="kept", leave_receipt=True)
        late = reader.read_relation(spark, "config", leave_receipt=True)
        history = reader.read_relation(spark, "config_history", leave_receipt=True)
        horizon = datetime.fromtimestamp(days[10].timestamp / 1000, UTC)
        assert retain(connection, logs_of(connection, job.coordinator_stream), SETTINGS, horizon).logs
    with pytest.raises(SparkJobError, match=r'^Cannot read relation "config": The history of .* is retained from '):
        reader.read_relation(spark, receipt=receipt_of(early))
    assert rows_of(reader.read_relation(spark, receipt=receipt_of(late))) == rows_of(late)
    with pytest.raises(SparkJobError, match=r'^Relation "config_history" no longer has the 20 rows .* but 1\d that'):
        reader.read_relation(spark, receipt=receipt_of(history))
