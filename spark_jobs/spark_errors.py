"""Errors of Spark in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from spark_jobs.errors import SparkJobError

MOST_CHARACTERS = 300
DRIVER_CLASS = "org.postgresql.Driver"


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """Translate an error of Spark or its JVM into a SparkJobError whose message begins with `what`."""
    kinds: tuple[type[Exception], ...] = (PySparkException, *_jvm_errors())
    try:
        yield
    except kinds as error:
        raise SparkJobError(f"{what}: {_reason(error)}") from error


def _jvm_errors() -> tuple[type[Exception], ...]:
    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 (a client of Spark Connect has no py4j)
    except ImportError:
        return ()
    return (Py4JError,)


def _reason(error: Exception) -> str:
    if (line := _first_line(error)).endswith(DRIVER_CLASS):
        return (
            "Spark has no JDBC driver for Postgres. Start the session with its jar: set spark.jars to"
            " coordstream.spark.jdbc_driver(), or use spark-submit --jars FILE"
        )
    return line


def _first_line(error: Exception) -> str:
    """The message of the JVM's innermost cause: the outer ones describe stages and quote the whole query."""
    cause = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    text = str(error)
    while cause is not None:
        text = cause.getMessage() or text
        cause = cause.getCause()
    return text.strip().partition("\n")[0][:MOST_CHARACTERS]
