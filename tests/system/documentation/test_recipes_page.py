"""Spark reads a lake with Delta's own reader, as docs/recipes.md shows it, and has the rows that DuckDB has."""

import re
import sys
from typing import Final

import duckdb
import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyarrow import parquet

from tests.checkout import CHECKOUT
from tests.fixtures.new_user import NewUser

TEXT: Final = (CHECKOUT / "docs" / "recipes.md").read_text(encoding="utf-8")
PROGRAM: Final = re.compile(r"^```python\n(from pyspark.*?)^```", re.DOTALL | re.MULTILINE)
COPY: Final = """
spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
lake.write.parquet("copy")
print(spark.read.format("delta").option("versionAsOf", 0).load("lake").count())
"""


def in_duckdb(rows: pa.Table, names: list[str]) -> pa.Table:
    """All rows in one order and with DuckDB's types."""
    ordered = duckdb.from_arrow(rows).order("stream_name, incarnation, log_offset")
    return ordered.select(*names).to_arrow_table()


@pytest.mark.long
@pytest.mark.spark
def test_spark_reads_the_rows_of_duckdb(user: NewUser) -> None:
    (program,) = PROGRAM.findall(TEXT)
    recordings = (f"tests/recordings/A/{name}.jsonl.gz" for name in ("coordinator", "checkpoint"))
    user.run("coordstream", "import", *recordings)
    user.run("coordstream", "export", "--lake", "lake")
    printed = user.run(sys.executable, "-c", program + COPY)
    assert printed.count("|100  |") == 2
    assert printed.endswith("\n0\n")
    written = DeltaTable(user.folder / "lake").to_pyarrow_dataset()
    copied = in_duckdb(parquet.read_table(user.folder / "copy"), written.schema.names)
    assert len(copied) == 815
    assert copied.equals(in_duckdb(written.to_table(), written.schema.names))
