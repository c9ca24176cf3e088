"""The Spark session: the only place that builds one."""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError
from spark_jobs.java import find_java

MOST_CHARACTERS = 300
LOG_SETTINGS = Path(__file__).with_name("log4j2.xml")
PY4J_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")
CONNECTION_LOGGER = "org.apache.spark.sql.execution.datasources.jdbc.connection"

# Set by spark-submit for the Python program that it runs.
SUBMITTED = "PYSPARK_GATEWAY_PORT"

EVERYWHERE = {"spark.sql.session.timeZone": "UTC"}

# Small results on one machine: no web page, nothing that listens beyond loopback, a JVM that is soon warm.
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": str(min(8, os.cpu_count() or 1)),
    "spark.rdd.compress": "false",
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Duser.timezone=UTC"
    f' "-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"',
}


def build_session(app: str, conf: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> SparkSession:
    """The session of job `app`, in UTC, with `conf` over the defaults.

    Under spark-submit only the name, the time zone and `conf` are set: master, memory and JVM options are the
    submitter's. Otherwise Spark runs on this machine (`local[*]` unless `conf` says another master), with settings
    for small results. Raises JavaMissingError or SparkJobError.
    """
    chosen: dict[str, bool | float | int | str | None] = {**EVERYWHERE, **conf}
    if SUBMITTED not in environ:
        find_java(environ)
        chosen = {**LOCAL, **chosen}
    _hold_py4j()
    with spark_failures(f"Spark could not start for {app}"):
        session = SparkSession.builder.appName(app).config(map=chosen).getOrCreate()
        _keep_passwords_out_of_logs(session)
        return session


def _hold_py4j() -> None:
    """Hold the loggers that print each call to the JVM, passwords and all, at INFO when the rest is at DEBUG."""
    for name in PY4J_LOGGERS:
        logging.getLogger(name).addFilter(_is_no_detail)  # the same filter again changes nothing


def _keep_passwords_out_of_logs(session: SparkSession) -> None:
    """Hold the one logger of Spark that prints connection properties, password included, at INFO as well.

    In this JVM, that is: executors of a cluster have the log settings that their operator gives them.
    """
    jvm = getattr(session, "_jvm", None)  # PySpark has no public way to the JVM's loggers
    if jvm is not None:
        log4j = jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setLevel(CONNECTION_LOGGER, log4j.Level.INFO)


def _is_no_detail(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.INFO


def jar_conf(jar: Path | None) -> dict[str, str]:
    """The configuration that puts `jar` on the class path; nothing where spark-submit brings the jar."""
    return {} if jar is None else {"spark.jars": str(jar)}


@contextmanager
def spark_failures(what: str) -> Iterator[None]:
    """Turn a failure of Spark or of its JVM into one sentence that starts with `what`; the cause stays chained."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise SparkJobError(f"{what}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """What the JVM's innermost cause says: the outer ones speak of stages, and quote the whole query."""
    cause = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    text = str(error)
    while cause is not None:
        text = cause.getMessage() or text
        cause = cause.getCause()
    return text.strip().partition("\n")[0][:MOST_CHARACTERS]
