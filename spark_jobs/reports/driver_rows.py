"""Rows of the driver as DataFrames."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession


def driver_rows(spark: SparkSession, columns: Mapping[str, pa.DataType], rows: Sequence[Sequence[object]]) -> DataFrame:
    """The rows, with these columns.

    From Arrow, which the JVM reads: for rows of other kinds, Spark runs Python in the executors, which may have none.
    """
    values = zip(*rows, strict=True) if rows else ((),) * len(columns)
    arrays = [pa.array(column, kind) for column, kind in zip(values, columns.values(), strict=True)]
    return spark.createDataFrame(pa.table(dict(zip(columns, arrays, strict=True))))
