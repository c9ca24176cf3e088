"""The errors of Spark jobs, and errors of Spark in one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.errors import InsufficientPrivilege, InvalidSchemaName, UndefinedTable

from eventlog.errors import EventLogError
from eventlog.postgres.connection import failure_line, server_reason

MOST_CHARACTERS = 300
DRIVER_CLASS = "org.postgresql.Driver"

_NO_CLASS = "java.lang.ClassNotFoundException"
_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"^((?:\w+\.)*\w+)(?:: (.*))?$", re.MULTILINE)
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_OURS = ("spark_jobs.", "projections.", "eventlog.")


class SparkJobError(EventLogError):
    """A job failed. The message is written for users and contains no secret."""


@contextmanager
def database_errors(what: str, role: str) -> Iterator[None]:
    """Translate an error of Postgres, while `what` is read, into a SparkJobError without any value.

    `role` is what `coordstream db grant` gives to a user who may not read it.
    """
    try:
        yield
    except InsufficientPrivilege:
        raise SparkJobError(
            f"This database user may not read {what}. The owner of the database can run "
            f"`coordstream db grant {role} USER`."
        ) from None
    except (UndefinedTable, InvalidSchemaName):
        raise SparkJobError("No coordstream schema in this database. Run `coordstream db migrate`.") from None
    except psycopg.Error as error:
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:  # its text may have the password
            raise SparkJobError("Invalid database URL. Expected postgresql://user:password@host/name.") from None
        reason = server_reason(error) or failure_line(error)
        raise SparkJobError(f"Cannot read {what} ({reason}). Check the database URL and the server.") from None


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """Translate an error of Spark or its JVM into a SparkJobError whose message begins with `what`."""
    from pyspark.errors import PySparkException  # noqa: PLC0415 (`--help` works without Spark)

    kinds: tuple[type[Exception], ...] = (PySparkException, *jvm_errors())
    try:
        yield
    except kinds as error:
        raise SparkJobError(f"{what}: {reason_of(error)}") from error


def jvm_errors() -> tuple[type[Exception], ...]:
    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 (a client of Spark Connect has no py4j)
    except ImportError:
        return ()
    return (Py4JError, ConnectionRefusedError)


def reason_of(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError) or type(error).__name__ == "Py4JNetworkError":
        return "its Java process has ended. It may have been killed or out of memory: see spark.driver.memory"
    if getattr(error, "getCondition", lambda: "")() == "JAVA_GATEWAY_EXITED":
        return "its Java process ended at the start, with the message above. Check the settings of Java and Spark"
    if (line := _first_line(error)).endswith(DRIVER_CLASS):
        return (
            "Spark has no JDBC driver for Postgres. Start the session with it: set spark.jars.packages to"
            " coordstream.spark.JDBC_DRIVER, or use spark-submit --jars FILE"
        )
    return line


def _first_line(error: Exception) -> str:
    """The message of the JVM's innermost cause: the outer ones describe stages and quote the whole query."""
    cause = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    text = str(error)
    while cause is not None:
        text = cause.getMessage() or text
        if cause.getClass().getName() == _NO_CLASS and " " not in text:  # its message is only the name
            text = f"class not found: {text}"
        cause = cause.getCause()
    return (_raised_in_python(text) or text.strip().partition("\n")[0])[:MOST_CHARACTERS]


def _raised_in_python(text: str) -> str:
    """The error at the end of a traceback from one of Spark's Python processes; empty if there is no traceback.

    Only errors of this project have a text without values.
    """
    *_, traceback = text.split(_TRACEBACK) if _TRACEBACK in text else ("",)
    if not (raised := _RAISED.search(traceback.strip("\n"))):
        return ""
    kind, message = raised.groups()
    if message and kind.startswith(_OURS):
        return message
    if missing := _NO_MODULE.fullmatch(f"{kind}: {message}"):
        return (
            f"the Python of Spark's executors has no module '{missing[1]}'. Install coordstream[spark] there, or name"
            " another Python in spark.pyspark.python"
        )
    return f"{kind.rpartition('.')[2]} in a Python process of Spark. The log of the executor has its traceback"
