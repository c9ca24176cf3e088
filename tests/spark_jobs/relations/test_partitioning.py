"""How many connections and tasks a session gets, by its cores."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from pyspark.errors import PySparkAttributeError

from spark_jobs.dispatch import default_tasks
from spark_jobs.relations.partitioning import choose_partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Connect:
    """A session of Spark Connect."""

    @property
    def sparkContext(self) -> None:  # noqa: N802 (PySpark's name)
        raise PySparkAttributeError("none")


def session(cores: int) -> "SparkSession":
    return cast("SparkSession", SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=cores)))


@pytest.mark.parametrize(("cores", "partitions"), [(2, 2), (64, 8), (0, 1)])
def test_a_large_read_has_a_connection_per_core_and_at_most_eight(cores: int, partitions: int) -> None:
    assert choose_partitions(session(cores)) == partitions


def test_reads_and_works_assume_the_same_cores_behind_spark_connect() -> None:
    behind_connect = cast("SparkSession", Connect())
    assert choose_partitions(behind_connect) == 4
    assert default_tasks(behind_connect, []) == 4
