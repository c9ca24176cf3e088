"""The Spark session of a command: its options, and how it starts and ends."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Final

import typer

from coordstream.cli.arguments import count_option, parse_settings
from coordstream.errors import require_packages

PACKAGES: Final = ("pyspark", "pandas", "pyarrow")

Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="Where Spark runs: local[2], spark://host:7077, yarn, sc://host (default: all cores here).",
    ),
]
Conf = Annotated[list[str] | None, typer.Option("--conf", metavar="NAME=VALUE", help="A setting of Spark; repeatable.")]
Tasks = Annotated[
    int | None,
    count_option(
        "--tasks", help="Spark tasks, each with one connection (default: by the number of events, 1 to 8 per core)."
    ),
]


def require_spark(*more: str) -> None:
    """Raise CoordstreamError or SparkJobError if Spark's packages, these, or Java are missing."""
    require_packages(*PACKAGES, *more)
    from spark_jobs.session import find_java  # noqa: PLC0415 (`--help` works without Spark)

    find_java(os.environ)


def spark_conf(master: str | None, conf: list[str] | None) -> dict[str, str]:
    """Spark's settings. Raises BadParameter: one is invalid, or spark-submit has already set the master."""
    from spark_jobs.errors import SparkJobError  # noqa: PLC0415 (`--help` works without Spark)
    from spark_jobs.session import MASTER, REMOTE, SUBMITTED, check_master, with_server_of  # noqa: PLC0415

    given = parse_settings(conf, "--conf")
    for name in given:
        if not name.startswith("spark."):
            raise typer.BadParameter(f"Invalid '--conf' name '{name}'. Expected a name that starts with 'spark.'.")
    try:
        if master is not None:
            check_master(master, "'--master' value")
        if MASTER in given:
            check_master(given[MASTER], f"'--conf' value of {MASTER}")
    except SparkJobError as error:
        raise typer.BadParameter(str(error)) from error
    if master and SUBMITTED in os.environ:
        raise typer.BadParameter("spark-submit has set the master. Leave '--master' out, or give it to spark-submit.")
    place = REMOTE if (master or "").startswith("sc:") else MASTER
    return with_server_of(os.environ, given | ({place: master} if master else {}))


@contextmanager
def spark_session(name: str, conf: dict[str, str]) -> Iterator[Any]:
    """A SparkSession that ends with the block, also if its JVM has been killed. Raises SparkJobError: no start."""
    from spark_jobs.errors import jvm_errors  # noqa: PLC0415 (`--help` works without Spark)
    from spark_jobs.session import build_session  # noqa: PLC0415

    on_interrupt = signal.getsignal(signal.SIGINT)
    session = build_session(name, conf)
    signal.signal(signal.SIGINT, on_interrupt)  # PySpark has set its own
    try:
        yield session
    finally:
        with suppress(*jvm_errors()):
            session.stop()
