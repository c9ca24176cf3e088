"""Rows of the driver become a DataFrame without Python in executors."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark_jobs.reports.driver_rows import driver_rows

COLUMNS = {"name": pa.string(), "number": pa.int64()}


@pytest.mark.parametrize("rows", [[("a", 1), (None, None)], []])
def test_rows_keep_their_types_and_nulls(
    spark: SparkSession, rows: list[tuple[str | None, int | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/none/python")
    found = driver_rows(spark, COLUMNS, rows)
    assert found.dtypes == [("name", "string"), ("number", "bigint")]
    assert [tuple(row) for row in found.collect()] == rows
