"""Spark reads every documented relation: columns, types and all rows, now and as of a time and an offset."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import reduce
from typing import Final

import psycopg
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from eventlog.postgres.connection import connect
from spark_jobs.relations.reader import RelationReader
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.odd_jobs import import_recording_a
from tests.fixtures.documentation.relations_page import parse_page

PAGE: Final = CHECKOUT / "docs" / "relations.md"
SPARK_TYPES: Final = {
    "text": "string",
    "bigint": "bigint",
    "integer": "int",
    "boolean": "boolean",
    "timestamptz": "timestamp",
}
TIME: Final = datetime(2026, 11, 21, 9, 17, tzinfo=UTC)
JOB: Final = "'wordcount_pv', '1'"
FUNCTIONS: Final = "select proname::text from pg_proc where pronamespace = 'coordinator'::regnamespace"


@pytest.fixture
def recorded_job(database_url: str) -> str:
    with connect(database_url) as connection:
        import_recording_a(connection)
    return database_url


def test_spark_reads_every_relation_with_its_types(spark: SparkSession, recorded_job: str) -> None:
    reader = RelationReader(lambda: recorded_job)
    relations = parse_page(PAGE.read_text(encoding="utf-8"))
    expected = {one.name: [(column.name, SPARK_TYPES[column.kind]) for column in one.columns] for one in relations}
    with reader.snapshot(spark):
        frames = {name: reader.read_relation(spark, name) for name in expected}
        assert {name: frame.dtypes for name, frame in frames.items()} == expected
        counts = count_rows(frames)
    assert counts == {name: count(recorded_job, f"coordinator.{name}") for name in expected}
    assert sum(counts.values()) > 1000


def test_spark_reads_every_as_of_function(spark: SparkSession, recorded_job: str) -> None:
    with psycopg.connect(recorded_job) as connection:
        names = [name for (name,) in connection.execute(FUNCTIONS).fetchall()]
    by_time = [name.removesuffix("_as_of") for name in names if name.endswith("_as_of")]
    by_offset = [name.removesuffix("_as_of_offset") for name in names if name.endswith("_as_of_offset")]
    reader, job = RelationReader(lambda: recorded_job), "wordcount_pv"
    with reader.snapshot(spark):
        then = count_rows({name: reader.read_relation(spark, name, job=job, as_of=TIME) for name in by_time})
        all_jobs = count_rows({name: reader.read_relation(spark, name, as_of=TIME) for name in by_time})
        there = count_rows({name: reader.read_relation(spark, name, job=job, as_of_offset=60) for name in by_offset})
    assert (
        then
        == all_jobs
        == {name: count(recorded_job, f"coordinator.{name}_as_of({JOB}, '{TIME}')") for name in by_time}
    )
    assert there == {name: count(recorded_job, f"coordinator.{name}_as_of_offset({JOB}, 60)") for name in by_offset}
    assert min(len(then), len(there)) > 10
    assert then["checkpoint"] == there["checkpoint"] == 16


def count_rows(frames: Mapping[str, DataFrame]) -> dict[str, int]:
    """How many rows each DataFrame has, whose columns Spark reads all; in one job instead of one for each."""
    texts = [frame.select(sf.lit(name).alias("name"), sf.to_json(sf.struct("*"))) for name, frame in frames.items()]
    found = Counter(row.name for row in reduce(DataFrame.unionAll, texts).collect())
    return {name: found[name] for name in frames}


def count(url: str, source: str) -> int:
    """The number of rows in Postgres."""
    with psycopg.connect(url) as connection:
        ((rows,),) = connection.execute(f"select count(*) from {source}".encode()).fetchall()
    return int(rows)
