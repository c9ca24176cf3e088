"""Times that Postgres can represent and Spark cannot are null, wherever Spark reads them."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from eventlog.postgres.connection import connect
from eventlog.timestamps import LAST_STORABLE_MS
from spark_jobs.data_source.source import register
from spark_jobs.lake.archive import archive
from spark_jobs.log_task import LogTaskSettings, run_here
from spark_jobs.relations.reader import RelationReader
from spark_jobs.timestamps import spark_micros
from tests.builders import FIRST_TIME, config_set
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.data_source import FOLD
from tests.fixtures.properties.importing import SETTINGS

LAST: Final = 9_223_372_036_854_775
TIMES: Final = (FIRST_TIME, LAST, LAST + 1, LAST_STORABLE_MS, LAST_STORABLE_MS + 1)
READ: Final = [FIRST_TIME * 1000, LAST * 1000, None, None, None]
"""What Spark reads, in microseconds."""


@pytest.mark.parametrize(("ms", "micros"), [*zip(TIMES, READ, strict=True), (0, 0), (-1, -1000), (-(2**62), None)])
def test_the_range_ends_with_64_bits(ms: int, micros: int | None) -> None:
    assert spark_micros(ms) == micros


@pytest.fixture
def far_future(database_url: str) -> str:
    """A database with a job whose config was written at `TIMES`."""
    with connect(database_url) as connection:
        ImportedJob(connection, "far", coordinator=[config_set(f"k{n}", at=at) for n, at in enumerate(TIMES)])
    return database_url


def read(rows: DataFrame) -> list[Any]:
    return [row[0] for row in rows.orderBy("log_offset").select(sf.unix_micros("record_time")).collect()]


def test_relations_and_events_have_the_times_that_spark_can_represent(
    spark: SparkSession, far_future: str, tmp_path: Path
) -> None:
    register(spark, LogTaskSettings(far_future, FOLD))
    reader = RelationReader(lambda: far_future)
    with reader.snapshot(spark):
        for relation in ("config_history", "event"):
            rows = reader.read_relation(spark, relation, columns=["log_offset", "record_time"])
            assert read(rows) == READ
            assert rows.where("record_time >= timestamp '2023-01-01 00:00:00Z'").count() == 2
        assert read(reader.read_relation(spark, "event", job="far", as_of="2100-01-01")) == READ
    events = spark.read.format("coordinator_stream")
    for other in ("value binary", "operation string"):
        assert read(events.schema(f"log_offset long, record_time timestamp, {other}").load()) == READ
    settings = LogTaskSettings(far_future, SETTINGS)
    archive(str(tmp_path / "lake"), settings.database_url, partial(run_here, settings=settings))
    assert read(spark.read.parquet(f"{tmp_path}/lake/stream_name=*")) == READ
    lake = spark.read.format("coordinator_stream").option("from", str(tmp_path / "lake"))
    assert read(lake.load()) == READ
