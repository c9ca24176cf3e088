"""Errors of Spark, its JVM and its Python processes as one sentence."""

import psycopg
import pytest
from pyspark.errors import PySparkRuntimeError, PythonException
from pyspark.sql import SparkSession

from spark_jobs.dispatch import run_log_tasks
from spark_jobs.errors import SparkJobError, spark_errors
from tests.postgres.spark_jobs.test_log_task import Failing, settings

QUOTED = """[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call last):
  File "/x/work.py", line 151, in do
    raise ValueError("hunter2")
{raised}
 SQLSTATE: 38000"""


def message_of(error: Exception) -> str:
    with pytest.raises(SparkJobError) as raised, spark_errors("Cannot replay"):
        raise error
    return str(raised.value)


def test_an_error_of_ours_in_an_executor_is_shown() -> None:
    error = PythonException(
        QUOTED.format(raised="spark_jobs.log_task.LogTaskInterrupted: The database is unavailable (gone).")
    )
    assert message_of(error) == "Cannot replay: The database is unavailable (gone)."


@pytest.mark.parametrize("raised", ["ValueError: hunter2", "a.b.ValueError: hunter2\nhunter2: x", "ValueError"])
def test_of_any_other_error_in_an_executor_only_the_name_is_shown(raised: str) -> None:
    message = message_of(PythonException(QUOTED.format(raised=raised)))
    assert message == (
        "Cannot replay: ValueError in a Python process of Spark. The log of the executor has its traceback"
    )


def test_a_package_that_executors_lack_is_named_with_the_cure() -> None:
    error = PythonException(QUOTED.format(raised="ModuleNotFoundError: No module named 'spark_jobs'"))
    assert message_of(error) == (
        "Cannot replay: the Python of Spark's executors has no module 'spark_jobs'. Install coordstream[spark] there, "
        "or name another Python in spark.pyspark.python"
    )


def test_a_killed_jvm_is_reported() -> None:
    assert "its Java process has ended" in message_of(ConnectionRefusedError(111, "Connection refused"))


def test_a_jvm_that_does_not_start_is_reported() -> None:
    error = PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
    assert message_of(error).startswith("Cannot replay: its Java process ended at the start, with the message above.")


@pytest.mark.spark
def test_an_outage_in_an_executor_is_reported(spark: SparkSession) -> None:
    log_task = Failing([psycopg.OperationalError("gone")] * 100)
    with pytest.raises(SparkJobError) as raised:
        run_log_tasks(spark, "Cannot replay with Spark", [log_task], settings(), 1)
    assert str(raised.value) == "Cannot replay with Spark: The database is unavailable (gone)."
