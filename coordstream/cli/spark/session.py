"""The Spark session of a command: its options, and how it starts and ends."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Final

import typer

from coordstream.cli.arguments import parse_count
from coordstream.extras import require_packages

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
    typer.Option(
        "--tasks",
        metavar="N",
        parser=parse_count,
        help="Spark tasks, each with one connection (default: by the number of events, 1 to 8 per core).",
    ),
]


def require_spark() -> None:
    """Raise CoordstreamError or SparkJobError if Spark's packages or Java are missing, before anything is written."""
    require_packages(*PACKAGES)
    from spark_jobs.java import find_java  # noqa: PLC0415 (`--help` works without Spark)

    find_java(os.environ)


def spark_conf(master: str | None, conf: list[str] | None) -> dict[str, str]:
    """Spark's settings. Raises BadParameter: one is invalid, or spark-submit has already set the master."""
    pairs = [setting.partition("=") for setting in conf or []]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise typer.BadParameter(f"Invalid '--conf' value '{name}'. Expected NAME=VALUE.")
    given = {name: value for name, _, value in pairs}
    _check(master, given)
    if master and _is_submitted():
        raise typer.BadParameter("spark-submit has set the master. Leave '--master' out, or give it to spark-submit.")
    from spark_jobs.session_settings import with_server_of  # noqa: PLC0415 (`--help` works without Spark)

    place = "spark.remote" if (master or "").startswith("sc:") else "spark.master"
    return with_server_of(os.environ, given | ({place: master} if master else {}))


def _check(master: str | None, conf: Mapping[str, str]) -> None:
    """Raise BadParameter for what Spark would ignore, or report without the option's name."""
    from spark_jobs.errors import SparkJobError  # noqa: PLC0415 (`--help` works without Spark)
    from spark_jobs.session_settings import check_master, check_values  # noqa: PLC0415

    for name in conf:
        if not name.startswith("spark."):
            raise typer.BadParameter(f"Invalid '--conf' name '{name}'. Expected a name that starts with 'spark.'.")
    try:
        if master is not None:
            check_master(master, "'--master' value")
        check_values(conf, lambda name: f"'--conf' value of {name}")
    except SparkJobError as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def spark_session(name: str, conf: dict[str, str]) -> Iterator[Any]:
    """A SparkSession that ends with the block. Raises SparkJobError: Spark does not start."""
    from spark_jobs.session import running_session  # noqa: PLC0415 (loads PySpark)

    with running_session(name, conf) as session:
        yield session


def _is_submitted() -> bool:
    from spark_jobs.session import SUBMITTED  # noqa: PLC0415 (loads PySpark)

    return SUBMITTED in os.environ
