"""Spark sessions; the only module that builds one."""

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from pyspark.sql import SparkSession

from spark_jobs.java import find_java
from spark_jobs.session_settings import MASTER, REMOTE, check_settings, is_local, require_master, with_server_of
from spark_jobs.spark_errors import jvm_errors, spark_errors

LOG_SETTINGS = Path(__file__).with_name("log4j2.xml")
PY4J_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")
CONNECTION_LOGGER = "org.apache.spark.sql.execution.datasources.jdbc.connection"

# Set by spark-submit for its Python program.
SUBMITTED = "PYSPARK_GATEWAY_PORT"

# With both settings, filters on times reach Postgres (see `read_rows`).
EVERYWHERE = {"spark.sql.session.timeZone": "UTC", "spark.sql.datetime.java8API.enabled": "true"}

# For one machine: no web UI, loopback only, no compression between its own processes. The JVM keeps its
# optimizing compiler: without it Spark starts 1 s earlier, but large reads take 1.8 times the CPU time.
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
    "spark.python.authenticate.socketTimeout": "2m",  # Spark's 15 s are too short on a busy machine
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xshare:auto -Duser.timezone=UTC"
    f' "-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"',
}


def build_session(app: str, conf: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> SparkSession:
    """The session of job `app`, in UTC, with `conf` over the defaults.

    Under spark-submit, only the name, the time zone and `conf` are set; master, memory and JVM options come from the
    submitter. Otherwise Spark runs on this machine (`local[*]` unless `conf` has a master), with this Python and
    settings for one machine; a master elsewhere, or a server of Spark Connect (``spark.remote``, or SPARK_REMOTE in the
    environment), gets no settings of ours.

    Raises JavaMissingError, or SparkJobError: a setting is invalid, or Spark does not start.
    """
    conf = with_server_of(environ, conf)
    check_settings(conf)
    chosen: dict[str, bool | float | int | str | None] = {**EVERYWHERE, **conf}
    if SUBMITTED not in environ and REMOTE not in conf:
        find_java(environ)
        require_master(conf.get(MASTER, ""))
        if is_local(conf.get(MASTER, "local")):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark's Python processes would be the system's
            chosen = {**LOCAL, **chosen}
    _silence_py4j()
    with spark_errors(f"Spark cannot start for {app}"):
        session = SparkSession.builder.appName(app).config(map=chosen).getOrCreate()
        _keep_passwords_out_of_logs(session)
        return session


@contextmanager
def running_session(
    app: str, conf: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> Iterator[SparkSession]:
    """The session of `build_session`, which ends with the block, also if its JVM has been killed."""
    session = build_session(app, conf, environ)
    try:
        yield session
    finally:
        with suppress(*jvm_errors()):
            session.stop()


def _silence_py4j() -> None:
    """Drop the DEBUG records of the loggers that print each call to the JVM, including passwords."""
    for name in PY4J_LOGGERS:
        logging.getLogger(name).addFilter(_is_info_or_higher)  # adding the same filter twice has no effect


def _keep_passwords_out_of_logs(session: SparkSession) -> None:
    """Set the logger of Spark that prints connection properties, including the password, to INFO.

    Only in this JVM: the executors of a cluster have their operator's log settings.
    """
    jvm = getattr(session, "_jvm", None)  # PySpark has no public API for the JVM's loggers
    if jvm is not None:
        log4j = jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setLevel(CONNECTION_LOGGER, log4j.Level.INFO)


def _is_info_or_higher(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.INFO


def jar_conf(jar: Path | None) -> dict[str, str]:
    """The configuration that puts `jar` on the class path; empty for None (spark-submit provides the jar)."""
    return {} if jar is None else {"spark.jars": str(jar)}
