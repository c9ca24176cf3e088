"""Spark sessions, and checks of their settings: Spark reports these errors late, or without their names."""

import logging
import os
import pwd
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from eventlog.errors import printable_text
from eventlog.source import connection_failure
from spark_jobs.errors import SparkJobError, jvm_errors, spark_errors
from spark_jobs.jars import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOG_SETTINGS = Path(__file__).with_name("log4j2.xml")
PY4J_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")
CONNECTION_LOGGER = "org.apache.spark.sql.execution.datasources.jdbc.connection"

JVM_OPTIONS = "spark.driver.extraJavaOptions"

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
    JVM_OPTIONS: "-XX:+UseSerialGC -Xshare:auto -Duser.timezone=UTC"
    f' "-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"',
}

MASTER: Final = "spark.master"
REMOTE: Final = "spark.remote"
MASTERS: Final = "local, local[N], local[*], spark://HOST:PORT, k8s://HOST:PORT, yarn, or sc://HOST for Spark Connect"
CORES_BEHIND_CONNECT: Final = 4
"""Spark Connect does not tell how many cores its server has."""

CONNECT_PORT: Final = 15002
CONNECT_SECONDS: Final = 10

_LOCAL: Final = re.compile(r"local(\[([1-9]\d*|\*)(\s*,\s*\d+)?\])?")
_CLUSTER: Final = re.compile(r"(spark|k8s)://.+|yarn|local-cluster\[.+\]")


def build_session(app: str, conf: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> "SparkSession":
    """The session of job `app`, in UTC, with `conf` over the defaults.

    Under spark-submit, only the name, the time zone and `conf` are set; master, memory and JVM options come from the
    submitter. Otherwise Spark runs on this machine (`local[*]` unless `conf` has a master), with this Python and
    settings for one machine; a master elsewhere, or a server of Spark Connect (``spark.remote``, or SPARK_REMOTE in the
    environment), gets no settings of ours.

    Raises JavaMissingError, or SparkJobError: a setting is invalid, or Spark does not start.
    """
    conf = with_server_of(environ, conf)
    if MASTER in conf:
        check_master(conf[MASTER])
    chosen: dict[str, bool | float | int | str | None] = {**EVERYWHERE, **conf}
    if SUBMITTED not in environ and REMOTE not in conf:
        find_java(environ)
        _require_machine(environ)
        if is_local(conf.get(MASTER, "local")):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark's Python processes would be the system's
            chosen = {**LOCAL, JVM_OPTIONS: f"{LOCAL[JVM_OPTIONS]} {_temporary_folder()}", **chosen}
    if SUBMITTED not in environ:
        _require_server(conf)
    from pyspark.sql import SparkSession  # noqa: PLC0415 (settings are checked without Spark)

    _silence_py4j()
    with spark_errors(f"Spark cannot start for {app}"):
        session = SparkSession.builder.appName(app).config(map=chosen).getOrCreate()
        _keep_passwords_out_of_logs(session)
        return session


def _require_machine(environ: Mapping[str, str]) -> None:
    """Raise SparkJobError if Spark cannot start here: Java cannot name this user, or SPARK_HOME is another Spark."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise SparkJobError(
            f"Spark needs the name of its user, and the uid {os.geteuid()} has none. Add it to /etc/passwd of the"
            " container, or run as a user who has one."
        ) from None
    if home := environ.get("SPARK_HOME"):
        ours = version("pyspark")
        cores = sorted(path.stem.rpartition("-")[2] for path in Path(home, "jars").glob("spark-core_*.jar"))
        if ours not in cores:
            found = f"Spark {cores[0]}" if cores else "a folder without Spark"
            raise SparkJobError(f"SPARK_HOME is {found}, but PySpark is {ours}. Unset it, or install that version.")


def _temporary_folder() -> str:
    """The JVM's option for the folder of temporary files: by itself Java knows only /tmp."""
    try:
        return f'"-Djava.io.tmpdir={gettempdir()}"'
    except FileNotFoundError:
        raise SparkJobError("There is no folder for Spark's temporary files. Set TMPDIR to one.") from None


@contextmanager
def running_session(
    app: str, conf: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> "Iterator[SparkSession]":
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


def _keep_passwords_out_of_logs(session: "SparkSession") -> None:
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


def is_local(master: str) -> bool:
    """Whether Spark runs in one process on this machine."""
    return _LOCAL.fullmatch(master) is not None


def check_master(master: str, what: str = MASTER) -> None:
    """Raise SparkJobError, which says `what` is invalid, unless it is a master or an address of Spark Connect."""
    if not (is_local(master) or _CLUSTER.fullmatch(master) or _is_remote(master)):
        shown = printable_text(master.partition(";")[0])  # what follows may be a token of Spark Connect
        raise SparkJobError(f"Invalid {what} '{shown}'. Expected {MASTERS}.")


def with_server_of(environ: Mapping[str, str], conf: Mapping[str, str]) -> dict[str, str]:
    """The settings with the server of Spark Connect that PySpark uses if no master is set: SPARK_REMOTE."""
    remote = environ.get("SPARK_REMOTE")
    return dict(conf) if remote is None or MASTER in conf else {REMOTE: remote, **conf}


def _require_server(conf: Mapping[str, str]) -> None:
    """Raise SparkJobError if no server listens: Spark would try for a minute, and Spark Connect for ten."""
    if REMOTE in conf:
        if _is_remote(conf[REMOTE]) and not getproxies():
            parts = urlsplit(conf[REMOTE])
            _require_any(f"Spark Connect at {parts.netloc}", [(parts.hostname or "", parts.port or CONNECT_PORT)])
    elif (master := conf.get(MASTER, "")).startswith("spark://"):
        servers = [server.rpartition(":") for server in master.removeprefix("spark://").split(",")]
        if all(host and port.isdecimal() for host, _, port in servers):  # otherwise Spark says what is wrong
            _require_any(f"the Spark master at {master}", [(host, int(port)) for host, _, port in servers])


def _require_any(what: str, servers: Sequence[tuple[str, int]]) -> None:
    reasons = [connection_failure(host, port, CONNECT_SECONDS) for host, port in servers]
    if all(reasons):
        raise SparkJobError(
            f"Cannot connect to {what} ({reasons[0]}). Check the address and that the server is running."
        )


def _is_remote(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "sc" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def count_cores(spark: "SparkSession") -> int:
    from pyspark.errors import PySparkException  # noqa: PLC0415 (settings are checked without Spark)

    try:
        return spark.sparkContext.defaultParallelism
    except PySparkException:  # Spark Connect has no SparkContext
        return CORES_BEHIND_CONNECT
