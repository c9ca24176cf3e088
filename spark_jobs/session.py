"""Spark sessions: what they run on (Java, the JDBC driver), and checks of their settings.

Spark reports errors of these late, or without their names.
"""

import logging
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from eventlog.errors import printable_text
from eventlog.source import connection_failure
from spark_jobs.errors import SparkJobError, spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOG_SETTINGS = Path(__file__).with_name("log4j2.xml")
PY4J_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")
"""At DEBUG, they print each call to the JVM, including passwords."""
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
SECONDS: Final = 10

_LOCAL: Final = re.compile(r"local(\[([1-9]\d*|\*)(\s*,\s*\d+)?\])?")
_ELSEWHERE: Final = re.compile(
    r"(spark|k8s)://.+|yarn|local-cluster\[.+\]|sc://(\[[\w:.]+\]|[^/:;\s]+)(:[1-9]\d{0,4})?([/;].*)?"
)

OVERRIDE = "COORDSTREAM_JDBC_JAR"
JDBC_DRIVER: Final = "org.postgresql:postgresql:42.7.13"
PYTHON: Final = "spark.pyspark.python"
OLDEST_JAVA = 17
JAVA_ADVICE = f"Install Java {OLDEST_JAVA} or newer and set JAVA_HOME to its folder, or put it on the PATH."


def build_session(app: str, conf: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> "SparkSession":
    """The session of job `app`, in UTC, with `conf` over the defaults.

    Under spark-submit, only the name, the time zone and `conf` are set; master, memory and JVM options come from the
    submitter. Otherwise Spark runs on this machine (`local[*]` unless `conf` has a master), with this Python and
    settings for one machine; a master elsewhere, or a server of Spark Connect (``spark.remote``, or SPARK_REMOTE in the
    environment), gets no settings of ours.

    Raises SparkJobError: Java is missing, a setting is invalid, or Spark does not start.
    """
    conf = with_server_of(environ, conf)
    if MASTER in conf:
        check_master(conf[MASTER])
    chosen: dict[str, bool | float | int | str | None] = {**EVERYWHERE, **conf}
    if SUBMITTED not in environ:
        if REMOTE not in conf:
            find_java(environ)
            _require_machine(environ)
            if PYTHON in conf:  # which only spark-submit reads
                os.environ["PYSPARK_PYTHON"] = conf[PYTHON]
            if is_local(conf.get(MASTER, "local")):
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark would take the system's
                temporary = f'"-Djava.io.tmpdir={tempfile.gettempdir()}"'  # by itself Java knows only /tmp
                chosen = {**LOCAL, JVM_OPTIONS: f"{LOCAL[JVM_OPTIONS]} {temporary}", **chosen}
        _require_server(conf)
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 (settings are checked without Spark)
    from pyspark.sql import SparkSession  # noqa: PLC0415

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):  # they print errors that are raised, too
        PySparkLogger.getLogger(name).disabled = True
    for logger in map(logging.getLogger, PY4J_LOGGERS):
        logger.setLevel(max(logger.getEffectiveLevel(), logging.INFO))
    with spark_errors(f"Spark cannot start for {app}"):
        if SUBMITTED not in environ and REMOTE not in conf:
            _start_jvm({"spark.app.name": app, **chosen})
        session = SparkSession.builder.appName(app).config(map=chosen).getOrCreate()
        _keep_passwords_out_of_logs(session)
        return session


def _start_jvm(conf: Mapping[str, Any]) -> None:
    """Start Spark's JVM, unless it runs, in a session of its own: a signal to our process group is for us to handle."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 (as above)
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    if SparkContext._gateway is None:  # noqa: SLF001 (PySpark has no public API for how the JVM starts)
        settings = SparkConf().setAll(list(conf.items()))
        gateway = launch_gateway(settings, {"start_new_session": True})  # type: ignore[no-untyped-call]
        SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001


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


def _keep_passwords_out_of_logs(session: "SparkSession") -> None:
    """Set the logger of Spark that prints connection properties, including the password, to INFO.

    Only in this JVM: the executors of a cluster have their operator's log settings.
    """
    jvm = getattr(session, "_jvm", None)  # PySpark has no public API for the JVM's loggers
    if jvm is not None:
        log4j = jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setLevel(CONNECTION_LOGGER, log4j.Level.INFO)


def is_local(master: str) -> bool:
    """Whether Spark runs in one process on this machine."""
    return _LOCAL.fullmatch(master) is not None


def check_master(master: str, what: str = MASTER) -> None:
    """Raise SparkJobError, which says `what` is invalid, unless it is a master or an address of Spark Connect."""
    if not (is_local(master) or _ELSEWHERE.fullmatch(master)):
        shown = printable_text(master.partition(";")[0])  # what follows may be a token of Spark Connect
        raise SparkJobError(f"Invalid {what} '{shown}'. Expected {MASTERS}.")


def with_server_of(environ: Mapping[str, str], conf: Mapping[str, str]) -> dict[str, str]:
    """The settings with the server of Spark Connect that PySpark uses if no master is set: SPARK_REMOTE."""
    remote = environ.get("SPARK_REMOTE")
    return dict(conf) if remote is None or MASTER in conf else {REMOTE: remote, **conf}


def _require_server(conf: Mapping[str, str]) -> None:
    """Raise SparkJobError if no server listens: Spark would try for a minute, and Spark Connect for ten."""
    scheme, _, servers = (conf.get(REMOTE) or conf.get(MASTER, "")).partition("://")
    if scheme not in ("sc", "spark") or (scheme == "sc" and getproxies()):
        return
    shown = servers.partition("/")[0]  # what follows may be a token
    with suppress(ValueError):  # of a port: Spark says what is wrong
        places = [urlsplit(f"//{server}") for server in shown.split(",")]
        reasons = [connection_failure(each.hostname or "", each.port or CONNECT_PORT, SECONDS) for each in places]
        if all(reasons):
            raise SparkJobError(
                f"Cannot connect to Spark at {scheme}://{shown} ({reasons[0]}). "
                "Check the address and that the server is running."
            )


def count_cores(spark: "SparkSession") -> int:
    from pyspark.errors import PySparkException  # noqa: PLC0415 (settings are checked without Spark)

    try:
        return spark.sparkContext.defaultParallelism
    except PySparkException:  # Spark Connect has no SparkContext
        return CORES_BEHIND_CONNECT


def driver_conf(environ: Mapping[str, str]) -> dict[str, str]:
    """The setting that brings the JDBC driver: Spark fetches it once, or COORDSTREAM_JDBC_JAR names its jar.

    Empty under spark-submit, to which the jar is given. Raises SparkJobError: there is no such file.
    """
    if jar := environ.get(OVERRIDE):
        if not Path(jar).is_file():
            raise SparkJobError(
                f"File '{jar}' in {OVERRIDE} does not exist. Set it to the JDBC driver's jar, or unset it."
            )
        return {"spark.jars": jar}
    return {} if SUBMITTED in environ or "SPARK_REMOTE" in environ else {"spark.jars.packages": JDBC_DRIVER}


def find_java(environ: Mapping[str, str]) -> Path:
    """The `java` of JAVA_HOME, else of the PATH. Raises SparkJobError if it is missing or Spark cannot use it."""
    home = environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin" if home else environ.get("PATH", ""))
    if program is None:
        place = f"and JAVA_HOME is '{home}', which has none" if home else "which is not installed"
        raise SparkJobError(f"Spark needs Java, {place}. {JAVA_ADVICE}")
    command = [program, "-version"]
    try:
        result = subprocess.run(command, check=False, env=dict(environ), capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SparkJobError(f"Cannot run Java at '{program}'. {JAVA_ADVICE}") from error
    found = re.search(r'version "(?:1\.)?(\d+)', result.stderr + result.stdout)  # `1.8.0_292` is 8
    if result.returncode != 0 or found is None:
        raise SparkJobError(f"Java at '{program}' prints no version. {JAVA_ADVICE}")
    if int(found[1]) < OLDEST_JAVA:
        raise SparkJobError(f"Java at '{program}' has version {found[1]}, which is too old for Spark. {JAVA_ADVICE}")
    return Path(program)
