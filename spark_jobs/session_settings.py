"""Checks of a session's settings before Spark starts: Spark reports these errors late, or without their names."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from eventlog.errors import printable_text
from eventlog.source import connection_failure
from spark_jobs.errors import SparkJobError

MASTER: Final = "spark.master"
REMOTE: Final = "spark.remote"
REMOTE_VARIABLE: Final = "SPARK_REMOTE"
DRIVER_MEMORY: Final = "spark.driver.memory"
EXECUTOR_MEMORY: Final = "spark.executor.memory"
JARS: Final = "spark.jars"

MASTERS: Final = "local, local[N], local[*], spark://HOST:PORT, k8s://HOST:PORT, yarn, or sc://HOST for Spark Connect"
LEAST_MEMORY: Final = 450 << 20
"""Spark does not start with less."""

CONNECT_PORT: Final = 15002
CONNECT_SECONDS: Final = 10

_LOCAL: Final = re.compile(r"local(\[([1-9]\d*|\*)(\s*,\s*\d+)?\])?")
_CLUSTER: Final = re.compile(r"(spark|k8s)://.+|yarn|local-cluster\[.+\]")
_NOT_A_PATH: Final = re.compile(r"^(?!file:)[a-z][a-z0-9+.-]*:|[*?\[{]")
_UNITS: Final = "bkmgtp"
_MEMORY: Final = {
    DRIVER_MEMORY: (re.compile(r"(\d+)([kmgt]?)", re.IGNORECASE), "b"),  # an option of the JVM
    EXECUTOR_MEMORY: (re.compile(r"(\d+)(b|[kmgtp]b?)?", re.IGNORECASE), "m"),
}
"""The form of each size, and its unit if it has none."""


def is_local(master: str) -> bool:
    """Whether Spark runs in one process on this machine."""
    return _LOCAL.fullmatch(master) is not None


def check_master(master: str, what: str = MASTER) -> None:
    """Raise SparkJobError, which says `what` is invalid, unless it is a master or an address of Spark Connect."""
    if not (is_local(master) or _CLUSTER.fullmatch(master) or _is_remote(master)):
        raise SparkJobError(f"Invalid {what} '{_without_token(master)}'. Expected {MASTERS}.")


def check_values(conf: Mapping[str, str], what: Callable[[str], str] = lambda name: name) -> None:
    """Raise SparkJobError for an invalid setting; ``what`` describes a setting in the message, by its name."""
    if MASTER in conf:
        check_master(conf[MASTER], what(MASTER))
    for name, (size, default_unit) in _MEMORY.items():
        if name in conf:
            _check_memory(conf[name], what(name), size, default_unit)
    if REMOTE not in conf:
        _check_jars(conf.get(JARS, ""), what(JARS))


def _check_jars(text: str, what: str) -> None:
    """Spark only logs that a jar is missing. It also reads URLs, and patterns of names."""
    for jar in filter(None, map(str.strip, text.split(","))):
        if not _NOT_A_PATH.search(jar) and not Path(jar.removeprefix("file:")).is_file():
            raise SparkJobError(f"Invalid {what}: no file '{printable_text(jar)}'. Check the path.")


def _check_memory(text: str, what: str, size: re.Pattern[str], default_unit: str) -> None:
    found = size.fullmatch(text)
    unit = default_unit if found is None else (found[2] or default_unit)[0].lower()
    if found is None or int(found[1]) << (10 * _UNITS.index(unit)) < LEAST_MEMORY:
        raise SparkJobError(f"Invalid {what} '{printable_text(text)}'. Expected at least 450m, for example 2g.")


def with_server_of(environ: Mapping[str, str], conf: Mapping[str, str]) -> dict[str, str]:
    """The settings with the server of Spark Connect that PySpark uses if no master is set: SPARK_REMOTE."""
    if MASTER in conf or REMOTE_VARIABLE not in environ:
        return dict(conf)
    return {REMOTE: environ[REMOTE_VARIABLE], **conf}


def check_settings(conf: Mapping[str, str]) -> None:
    """Raise SparkJobError for an invalid setting, and if no server listens at the address of `spark.remote`."""
    check_values(conf)
    if REMOTE in conf and _is_remote(conf[REMOTE]) and not getproxies():
        _require_server(conf[REMOTE])


def require_master(master: str) -> None:
    """Raise SparkJobError if no server listens at a ``spark://`` address: Spark would try for a minute."""
    servers = [tuple(server.rpartition(":")[::2]) for server in master.removeprefix("spark://").split(",")]
    if not master.startswith("spark://") or not all(host and port.isdecimal() for host, port in servers):
        return  # not a standalone master, or Spark says what is wrong
    reasons = [connection_failure(host, int(port), CONNECT_SECONDS) for host, port in servers]
    if all(reasons):
        raise SparkJobError(
            f"Cannot connect to the Spark master at {master} ({reasons[0]}). "
            "Check the address and that the master is running."
        )


def _is_remote(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "sc" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _without_token(address: str) -> str:
    """The address without the parameters of Spark Connect, which may contain a token."""
    return printable_text(address.partition(";")[0])


def _require_server(address: str) -> None:
    """Raise SparkJobError if no server listens: the client of Spark Connect tries for ten minutes."""
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or CONNECT_PORT
    if reason := connection_failure(host, port, CONNECT_SECONDS):
        raise SparkJobError(
            f"Cannot connect to Spark Connect at {host}:{port} ({reason}). "
            "Check the address and that the server is running."
        )
