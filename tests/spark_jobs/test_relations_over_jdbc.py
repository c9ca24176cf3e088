"""Spark reads every documented relation over JDBC: columns, types and all rows."""

from pathlib import Path
from typing import Final

import psycopg
import pytest
from pyspark.sql import SparkSession

from eventlog.postgres.connection import connect
from spark_jobs.readers import Ranges, read_relation
from spark_jobs.readers import Relation as ReadRelation
from spark_jobs.settings import ReadSettings
from spark_jobs.snapshots import exported_snapshot
from tests.acceptance.odd_jobs import import_recording_a
from tests.documentation.relations_page import Relation, parse_page

PAGE: Final = Path(__file__).parents[2] / "docs" / "relations.md"
SPARK_TYPES: Final = {
    "text": "string",
    "bigint": "bigint",
    "integer": "int",
    "boolean": "boolean",
    "timestamptz": "timestamp",
}


@pytest.mark.spark
def test_spark_reads_every_relation_with_its_types(spark: SparkSession, database_url: str) -> None:
    with connect(database_url) as connection:
        import_recording_a(connection)
    relations = parse_page(PAGE.read_text(encoding="utf-8"))
    expected = {one.name: [(column.name, SPARK_TYPES[column.kind]) for column in one.columns] for one in relations}
    read = {one.name: read_by_spark(spark, database_url, one) for one in relations}
    assert {name: types for name, (types, _) in read.items()} == expected
    with psycopg.connect(database_url) as connection:
        counts = {name: count_of(connection, name) for name in expected}
    assert {name: count for name, (_, count) in read.items()} == counts
    assert sum(counts.values()) > 1000


def read_by_spark(spark: SparkSession, url: str, relation: Relation) -> tuple[list[tuple[str, str]], int]:
    """The names and types of a relation's columns, and the number of rows that Spark reads."""
    wanted = ReadRelation(relation.name, tuple(column.name for column in relation.columns), {})
    with exported_snapshot(url) as snapshot:
        rows = read_relation(spark, ReadSettings(url), wanted, snapshot, Ranges("job_bucket", 0, 63, 1))
        return rows.dtypes, len(rows.collect())


def count_of(connection: psycopg.Connection[tuple[int]], relation: str) -> int:
    """The number of rows in Postgres."""
    ((count,),) = connection.execute(f"select count(*) from coordinator.{relation}".encode()).fetchall()
    return count
