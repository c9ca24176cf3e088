"""The sinks of steered jobs: output and position in one transaction, and one writer at a time."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from traceback import format_exception

import psycopg
import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema
from pyspark.sql import DataFrame, SparkSession

from coordstream import SteeredConsumer
from coordstream.spark import DeltaSink, PostgresSink
from managers.errors import NotReady
from managers.steered.steered_job import JobTakenOver, SteeredBatch
from spark_jobs.errors import SparkJobError
from spark_jobs.steered.sink import Sink
from tests.fixtures.spark_jobs.clicks import ALL, ClicksJob, clicks, parsed
from tests.fixtures.waiting import wait_until

DAY = date(2026, 1, 2)
ROW = (None, "", 'a "b",\n\\N', b"\x00\xff", True, 1.5, Decimal("1.20"), DAY, datetime(2026, 1, 2, tzinfo=UTC))


@pytest.fixture
def table(tmp_path: Path) -> str:
    """An empty Delta table for clicks."""
    DeltaTable.create(tmp_path / "table", pa.schema({"user_name": pa.string(), "number": pa.int32()}))
    return str(tmp_path / "table")


def numbers(table: str) -> list[int]:
    return sorted(DeltaTable(table).to_pyarrow_table()["number"].to_pylist())


@pytest.mark.long
def test_a_statement_updates_what_others_read(spark: SparkSession, clicks_job: ClicksJob) -> None:
    clicks_job.connection.execute("create table per_user (user_name text primary key, clicks bigint)")
    sink = PostgresSink(
        url=clicks_job.cli.database_url,
        statement="insert into per_user select user_name, count(*) from batch group by 1"
        " on conflict (user_name) do update set clicks = per_user.clicks + excluded.clicks",
    )
    clicks_job.stream(sink=sink, max_records=40).run(spark, available_now=True)
    assert clicks_job.query("select * from per_user order by 1") == [(f"user-{n}", 30) for n in range(5)]
    assert clicks_job.query("select relname from pg_class where relname like 'steered_stage%'") == []


def test_every_type_that_a_sink_in_postgres_takes(spark: SparkSession, clicks_job: ClicksJob) -> None:
    types = ("text", "text", "text", "bytea", "boolean", "float8", "numeric(9,2)", "date", "timestamptz")
    columns = ", ".join(f"c{number} {kind}" for number, kind in enumerate(types)).replace("c1", '"a.`b"')
    clicks_job.connection.execute(f'create table "T" ({columns})'.replace("c2", "steered_attempt").encode())
    schema = "c0 string, `a.``b` string, steered_attempt string, c3 binary, c4 boolean, c5 double, c6 decimal(9,2)"
    schema = f"{schema}, c7 date, c8 timestamp"
    sink = PostgresSink("T", url=clicks_job.cli.database_url)
    clicks_job.stream(sink=sink, process=lambda *_: spark.createDataFrame([ROW], schema)).run(spark, available_now=True)
    assert clicks_job.query('select * from "T"') == [ROW]
    clicks_job.rewind(partition=0, offset=0)
    arrays = clicks_job.stream(sink=sink, process=lambda records, _: records.selectExpr("array(offset) as c0"))
    with pytest.raises(SparkJobError, match="Column c0 has type array<bigint>, which a PostgresSink does not write"):
        arrays.run(spark, available_now=True)
    for value in ("a secret \0", b"a secret \xff"):
        frame = spark.createDataFrame([(value,)], ["c0"]).selectExpr("cast(c0 as string) c0")
        with pytest.raises(SparkJobError, match=r"0 offsets 0 to 99\): The sink refused a text that has") as refusal:
            clicks_job.stream(sink=sink, process=lambda *_, frame=frame: frame).run(spark, available_now=True)
        assert "a secret" not in "".join(format_exception(refusal.value))


def test_a_delta_table(spark: SparkSession, clicks_job: ClicksJob, table: str) -> None:
    assert clicks_job.stream(sink=DeltaSink(table), max_records=40).run(spark, available_now=True) == 4
    clicks_job.rewind(partition=1, offset=30)
    assert clicks_job.stream(sink=DeltaSink(table)).run(spark, available_now=True) == 1
    assert numbers(table) == sorted([*ALL, *range(130, 150)])
    clicks_job.rewind(partition=1, offset=0)
    other = clicks_job.stream(sink=DeltaSink(table), process=lambda records, _: records.select("offset"))
    with pytest.raises(SparkJobError, match="has the columns struct<user_name:string,number:int>, but `process`"):
        other.run(spark, available_now=True)
    nested = spark.createDataFrame([({"a": [(1,)]},)], "`nested.a` map<string,array<struct<n:int>>>")
    DeltaTable.create(f"{table}/nested", Schema.from_json(nested.schema.json()))
    clicks_job.stream(sink=DeltaSink(f"{table}/nested"), process=lambda *_: nested).run(spark, available_now=True)
    assert DeltaTable(f"{table}/nested").to_pyarrow_table().to_pylist() == [{"nested.a": [("a", [{"n": 1}])]}]


def test_a_delta_table_that_the_sink_cannot_write_is_refused(table: str) -> None:
    def refusal(path: str) -> str:
        with pytest.raises(SparkJobError) as error:
            DeltaSink(Path(path)).open("clicks", "1", [])
        return str(error.value)

    assert refusal(f"{table}/none").endswith("is not a Delta table. Create it first.")
    columns = pa.schema([pa.field("number", pa.int64(), nullable=False)])
    strict = DeltaTable.create(f"{table}/strict", columns, configuration={"delta.columnMapping.mode": "name"})
    strict.alter.add_constraint({"positive": "number > 0"})
    rules = '"nullable":false, "delta.columnMapping.physicalName", "delta.constraints.positive"'
    assert f"has {rules}, which DeltaSink does not support." in refusal(f"{table}/strict")
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["rowTracking"]}
    Path(table, "_delta_log", f"{1:020}.json").write_text(json.dumps({"protocol": protocol}) + "\n")
    assert "cannot be used: Unsupported table features required: [RowTracking]" in refusal(table)


@pytest.mark.parametrize("kind", ["postgres", "delta"])
def test_the_older_of_two_copies_stops(spark: SparkSession, clicks_job: ClicksJob, table: str, kind: str) -> None:
    def make() -> Sink:
        return PostgresSink("clicks", url=clicks_job.cli.database_url) if kind == "postgres" else DeltaSink(table)

    batches: list[SteeredBatch] = []

    def overtaken(records: DataFrame, batch: SteeredBatch) -> DataFrame:
        batches.append(batch)
        if len(batches) == 2:
            clicks_job.stream(sink=make()).run(spark, available_now=True)
        return parsed(records)

    with pytest.raises(JobTakenOver, match=f"Another copy of job {clicks_job.name}/1 has taken over its sink"):
        clicks_job.stream(sink=make(), process=overtaken, max_records=40).run(spark, available_now=True)
    assert (clicks_job.written() if kind == "postgres" else numbers(table)) == ALL


def consume(connection: psycopg.Connection, clicks_job: ClicksJob, batches: int) -> None:
    """Write some batches, and leave the next one without a commit."""
    consumer = SteeredConsumer(connection, **clicks_job.given, max_records=40, available_now=True)
    for number, batch in enumerate(consumer):
        for _, event in batch:
            connection.execute("insert into clicks values (%s, %s)", (str(event.key), int(event.value or b"")))
        if number == batches:
            connection.rollback()
            return
        batch.commit(connection)


def test_a_consumer_without_spark(clicks_job: ClicksJob) -> None:
    with psycopg.connect(clicks_job.cli.database_url) as connection:
        consume(connection, clicks_job, batches=2)
        assert 80 <= len(clicks_job.written()) < len(ALL)
        consume(connection, clicks_job, batches=10)
        assert clicks_job.written() == ALL
        connection.rollback()
        connection.autocommit = True
        clicks_job.rewind(partition=0, offset=0)
        consumer = SteeredConsumer(connection, **clicks_job.given, available_now=True)
        consumer.stop()
        assert list(consumer) == []
        batches = iter(consumer)
        with pytest.raises(ValueError, match="the connection is in autocommit mode"):
            next(batches).commit(connection)
        with pytest.raises(NotReady, match=r"Batch \d+ of job .* is not committed\. Call its commit\."):
            next(batches)


def test_records_of_an_open_transaction_wait_for_its_end(clicks_job: ClicksJob) -> None:
    more = range(150, 160)

    def all_written() -> list[int]:
        consume(connection, clicks_job, batches=10)
        return clicks_job.written()

    with (
        psycopg.connect(clicks_job.cli.database_url) as connection,
        clicks_job.topics.transaction(clicks_job.topic, clicks(more)) as producer,
    ):
        assert all_written() == ALL
        producer.commit_transaction()
        wait_until(lambda: all_written() == [*ALL, *more])
