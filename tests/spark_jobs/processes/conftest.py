"""Streams need Spark 4.2."""

from tests.spark_jobs.data_source.conftest import PYSPARK

collect_ignore_glob = [] if PYSPARK >= (4, 2) else ["test_follow_*.py"]
