"""JDBC reads: quoted values, unchanged types, and filters on times in every zone."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from pyspark.errors import PySparkAttributeError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_jobs.dispatch import default_tasks
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.relations.jdbc import (
    INSTANTS,
    ONE_PARTITION,
    Ranges,
    Relation,
    choose_partitions,
    jdbc_options,
    read_rows,
)
from spark_jobs.relations.snapshots import exported_snapshot
from tests.spark_jobs.plain_relations import Relations


@pytest.mark.spark
def test_the_driver_selects_the_kind_of_server_of_the_url(spark: SparkSession, relations: Relations) -> None:
    relation = Relation("commit_history", ("task_name",))
    with exported_snapshot(relations.url) as snapshot:
        for wanted in ("primary", "standby"):
            url = make_conninfo(relations.url, target_session_attrs=wanted)
            frame = spark.read.format("jdbc").options(**jdbc_options(url, relation, snapshot, ONE_PARTITION))
            if wanted == "primary":
                assert frame.load().columns == ["task_name"]
            else:
                with pytest.raises(SparkJobError, match="targetServerType: secondary"), spark_errors("Cannot read"):
                    frame.load()


@pytest.mark.spark
@pytest.mark.parametrize("name", ["it's", "a\\b", "100%", "${x}", "x? {fn now()}", 'a"b', "δ🙂"])
def test_values_are_quoted(spark: SparkSession, relations: Relations, name: str) -> None:
    relations.commit(name, 1, {0: 1})
    relations.commit("another", 2, {0: 1})
    of_task = sql.SQL("coordinator.commit_history AS r WHERE r.task_name = {}").format(name)
    relation = Relation("commit_history", ("task_name", "log_offset"), of_task)
    with exported_snapshot(relations.url) as snapshot:
        rows = read_rows(spark, relations.url, relation, snapshot, Ranges("log_offset", 0, 1, 1))
        assert [row.task_name for row in rows.collect()] == [name]


@pytest.mark.parametrize(("count", "partitions"), [(1, 1), (4, 4)])
@pytest.mark.spark
def test_rows_outside_the_bounds_are_read_once(
    spark: SparkSession, relations: Relations, count: int, partitions: int
) -> None:
    for number in range(10):
        relations.commit("Partition 0", number, {})
    relation = Relation("commit_history", ("log_offset",))
    with exported_snapshot(relations.url) as snapshot:
        rows = read_rows(spark, relations.url, relation, snapshot, Ranges("log_offset", 3, 6, count))
        assert rows.rdd.getNumPartitions() == partitions
        assert sorted(row.log_offset for row in rows.collect()) == list(range(10))


@pytest.mark.spark
@pytest.mark.parametrize("column", ["log_offset", "job_bucket"])
def test_the_partition_column_need_not_be_selected(spark: SparkSession, relations: Relations, column: str) -> None:
    for number in range(10):
        relations.commit(f"Partition {number}", number, {}, bucket=number)
    relation = Relation("commit_history", ("task_name",))
    with exported_snapshot(relations.url) as snapshot:
        rows = read_rows(spark, relations.url, relation, snapshot, Ranges(column, 0, 9, 4))
        assert (rows.columns, rows.rdd.getNumPartitions()) == (["task_name"], 4)
        assert sorted(row.task_name for row in rows.collect()) == [f"Partition {number}" for number in range(10)]


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
CREATE TABLE coordinator.typed (a text, b bigint, c integer, d boolean, e timestamptz);
INSERT INTO coordinator.typed VALUES
('text', 9223372036854775807, -2147483648, true, '2026-07-01 00:30:00.123456+00'), (NULL, NULL, NULL, NULL, NULL);
"""


@pytest.mark.spark
@pytest.mark.parametrize("session_zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("jvm_zone", ["UTC", "Asia/Kolkata"])
def test_types_and_values_arrive_unchanged(
    spark: SparkSession, relations: Relations, session_zone: str, jvm_zone: str
) -> None:
    with psycopg.connect(relations.url) as connection:
        connection.execute(TYPES)
    spark.conf.set("spark.sql.session.timeZone", session_zone)
    relation = Relation("typed", ("a", "b", "c", "d", "e"))
    with in_jvm_zone(spark, jvm_zone), exported_snapshot(relations.url) as snapshot:
        rows = read_rows(spark, relations.url, relation, snapshot, Ranges("b", 0, 0, 1))
        assert [kind for _, kind in rows.dtypes] == ["string", "bigint", "int", "boolean", "timestamp"]
        read = rows.orderBy(sf.col("b").desc()).withColumn("e", sf.unix_micros("e")).collect()
    moment = datetime(2026, 7, 1, 0, 30, 0, tzinfo=UTC)
    micros = int(moment.timestamp()) * 1_000_000 + 123_456
    assert [tuple(row) for row in read] == [("text", 2**63 - 1, -(2**31), True, micros), (None,) * 5]


MOMENTS = """
CREATE TABLE coordinator.moment AS SELECT n, timestamptz '2026-11-01 04:00:00Z' + n * interval '10 minutes' AS at
FROM generate_series(0, 29) AS n;
"""
EASTERN = "America/New_York"  # 05:00 to 06:00 and 06:00 to 07:00 UTC are the same hour there


@pytest.mark.spark
@pytest.mark.parametrize(
    ("jvm_zone", "session_zone", "instants", "pushed"),
    [(EASTERN, "UTC", "true", True), (EASTERN, "UTC", "false", False), (EASTERN, EASTERN, "true", False)],
)
def test_a_filter_on_times_finds_the_same_rows_in_every_zone(
    spark: SparkSession, relations: Relations, jvm_zone: str, session_zone: str, instants: str, pushed: bool
) -> None:
    with psycopg.connect(relations.url) as connection:
        connection.execute(MOMENTS)
    spark.conf.set("spark.sql.session.timeZone", session_zone)
    spark.conf.set(INSTANTS, instants)
    try:
        with in_jvm_zone(spark, jvm_zone), exported_snapshot(relations.url) as snapshot:
            relation = Relation("moment", ("n", "at"))
            moments = read_rows(spark, relations.url, relation, snapshot, ONE_PARTITION)
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


class Connect:
    """A session of Spark Connect."""

    @property
    def sparkContext(self) -> None:  # noqa: N802 (PySpark's name)
        raise PySparkAttributeError("none")


def session(cores: int) -> SparkSession:
    return cast("SparkSession", SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=cores)))


@pytest.mark.parametrize(("cores", "partitions"), [(2, 2), (64, 8), (0, 1)])
def test_a_large_read_has_a_connection_per_core_and_at_most_eight(cores: int, partitions: int) -> None:
    assert choose_partitions(session(cores)) == partitions


def test_reads_and_log_tasks_assume_the_same_cores_behind_spark_connect() -> None:
    behind_connect = cast("SparkSession", Connect())
    assert choose_partitions(behind_connect) == 4
    assert default_tasks(behind_connect, []) == 4
