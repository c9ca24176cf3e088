"""The cluster of processes on which tests run distributed jobs."""

import textwrap
from pathlib import Path

from tests.fixtures.spark_cluster import SparkCluster
from tests.fixtures.waiting import PATIENCE

_PROGRAM = """
    import os, time
    import pyarrow
    from pyspark.sql import SparkSession

    def folders(batches):
        time.sleep(1)  # both executors get a task
        for _ in batches:
            yield pyarrow.record_batch({"folder": [os.getcwd()]})

    spark = SparkSession.builder.getOrCreate()
    rows = spark.range(0, 4, 1, 4).mapInArrow(folders, "folder string").distinct().collect()
    print(len(rows))
"""


def test_a_program_runs_on_both_workers_and_a_killed_one_is_replaced(
    spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(_PROGRAM))
    killed = spark_cluster.workers[0]
    killed.kill()
    killed.wait(PATIENCE)
    spark_cluster.start()
    assert len(spark_cluster.workers) == 2
    assert killed not in spark_cluster.workers
    program_ran = spark_cluster.submit(program)
    out, err = program_ran.communicate(timeout=PATIENCE)
    assert (program_ran.returncode, out) == (0, b"2\n"), err[-2000:].decode()
