"""JDBC reads: quoted values, unchanged types, and filters on times in every zone."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest
from psycopg import sql
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from eventlog.postgres.connection import connect
from spark_jobs.dispatch import default_tasks
from spark_jobs.relations.jdbc import INSTANTS, Relation, read_rows
from spark_jobs.relations.reader import RelationReader, default_partitions
from tests.builders import checkpoint_v1
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.spark_jobs.fleet import COMMITS, JOBS


@pytest.mark.spark
def test_values_are_quoted(spark: SparkSession, database_url: str) -> None:
    names = ("it's", "a\\b", "100%", "${x}", "x? {fn now()}", 'a"b', "δ🙂")
    with connect(database_url) as connection:
        ImportedJob(connection, "odd", checkpoints=[checkpoint_v1(name) for name in names])
    with RelationReader(lambda: database_url).snapshot(spark) as moment:
        for name in names:
            of_task = sql.SQL("coordinator.commit_history AS r WHERE r.task_name = {}").format(name)
            relation = Relation(("task_name", "log_offset"), of_task)
            rows = read_rows(spark, moment.connection, relation, moment.session_statement(), "log_offset", [])
            assert [row.task_name for row in rows.collect()] == [name]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("column", "columns", "count"),
    [("log_offset", ("log_offset",), 1), ("log_offset", ("log_offset",), 4), ("job_bucket", ("input_offset",), 4)],
)
def test_rows_outside_the_bounds_are_read_once_and_the_partition_column_need_not_be_selected(
    spark: SparkSession, fleet_url: str, column: str, columns: tuple[str, ...], count: int
) -> None:
    relation = Relation(columns, sql.SQL("{} AS r").format(sql.Identifier("coordinator", "checkpoint_history")))
    with RelationReader(lambda: fleet_url).snapshot(spark) as moment:
        statement = moment.session_statement()
        rows = read_rows(spark, moment.connection, relation, statement, column, [13, 20, 26][: count - 1])
        assert (rows.columns, rows.rdd.getNumPartitions()) == ([*columns], count)
        found = sorted(int(row[0]) for row in rows.collect())
    assert found == sorted([*range(COMMITS)] * len(JOBS))


@contextmanager
def in_jvm_zone(spark: SparkSession, zone: str) -> Iterator[None]:
    """Change the JVM's time zone, which pgjdbc sends to Postgres."""
    zones = cast("Any", spark.sparkContext._jvm).java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(zone))
    try:
        yield
    finally:
        zones.setDefault(before)


TYPES = """
CREATE TABLE IF NOT EXISTS coordinator.typed (a text, b bigint, c integer, d boolean, e timestamptz);
TRUNCATE coordinator.typed;
INSERT INTO coordinator.typed VALUES
('text', 9223372036854775807, -2147483648, true, '2026-07-01 00:30:00.123456+00'), (NULL, NULL, NULL, NULL, NULL);
"""


@pytest.mark.spark
@pytest.mark.parametrize("session_zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("jvm_zone", ["UTC", "Asia/Kolkata"])
def test_types_and_values_arrive_unchanged(
    spark: SparkSession, fleet_url: str, session_zone: str, jvm_zone: str
) -> None:
    with psycopg.connect(fleet_url) as connection:
        connection.execute(TYPES)
    spark.conf.set("spark.sql.session.timeZone", session_zone)
    reader = RelationReader(lambda: fleet_url)
    with in_jvm_zone(spark, jvm_zone), reader.snapshot(spark):
        rows = reader.read_relation(spark, "typed")
        assert [kind for _, kind in rows.dtypes] == ["string", "bigint", "int", "boolean", "timestamp"]
        read = rows.orderBy(sf.col("b").desc()).withColumn("e", sf.unix_micros("e")).collect()
    moment = datetime(2026, 7, 1, 0, 30, 0, tzinfo=UTC)
    micros = int(moment.timestamp()) * 1_000_000 + 123_456
    assert [tuple(row) for row in read] == [("text", 2**63 - 1, -(2**31), True, micros), (None,) * 5]


MOMENTS = """
CREATE TABLE IF NOT EXISTS coordinator.moment AS
SELECT n, timestamptz '2026-11-01 04:00:00Z' + n * interval '10 minutes' AS at
FROM generate_series(0, 29) AS n;
"""
EASTERN = "America/New_York"  # 05:00 to 06:00 and 06:00 to 07:00 UTC are the same hour there


@pytest.mark.spark
@pytest.mark.parametrize(
    ("jvm_zone", "session_zone", "instants", "pushed"),
    [(EASTERN, "UTC", "true", True), (EASTERN, "UTC", "false", False), (EASTERN, EASTERN, "true", False)],
)
def test_a_filter_on_times_finds_the_same_rows_in_every_zone(
    spark: SparkSession, fleet_url: str, jvm_zone: str, session_zone: str, instants: str, pushed: bool
) -> None:
    with psycopg.connect(fleet_url) as connection:
        connection.execute(MOMENTS)
    spark.conf.set("spark.sql.session.timeZone", session_zone)
    spark.conf.set(INSTANTS, instants)
    try:
        reader = RelationReader(lambda: fleet_url)
        with in_jvm_zone(spark, jvm_zone), reader.snapshot(spark):
            moments = reader.read_relation(spark, "moment")
            assert later_moments(moments) == (list(range(8, 30)), pushed)
            for zone in (EASTERN, "UTC"):  # the zone of the session may change after the read
                spark.conf.set("spark.sql.session.timeZone", zone)
                assert later_moments(moments) == (list(range(8, 30)), zone == "UTC" and instants == "true")
    finally:
        spark.conf.set(INSTANTS, "true")


def later_moments(moments: DataFrame) -> tuple[list[int], bool]:
    """The numbers of the moments from a time on, and whether Postgres has applied the filter."""
    later = moments.where("at >= timestamp '2026-11-01 05:20:00Z'").select("n")
    plan = cast("Any", later)._jdf.queryExecution().toString()
    return sorted(row.n for row in later.collect()), "GreaterThanOrEqual(at" in plan


@pytest.mark.parametrize(("cores", "partitions"), [(2, 2), (64, 8), (0, 1)])
def test_a_large_read_has_a_connection_per_core_and_at_most_eight(cores: int, partitions: int) -> None:
    session = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=cores))
    assert default_partitions(cast("SparkSession", session)) == partitions


@pytest.mark.spark
def test_reads_and_log_tasks_assume_the_same_cores_behind_spark_connect(connect_session: SparkSession) -> None:
    assert default_partitions(connect_session) == default_tasks(connect_session, []) == 4
