"""`coordstream spark`: a Spark job on the database of the settings."""

import os
from importlib import import_module
from typing import Annotated, Final

import typer

from coordstream.cli.database import URL_SETTING, open_database
from coordstream.extras import require_packages

app = typer.Typer()

JOBS: Final = ("checkpoint_progress",)
PACKAGES: Final = ("pyspark", "pandas", "pyarrow", "matplotlib")


@app.command()
def spark(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The Spark job: checkpoint_progress.")],
    options: Annotated[
        list[str] | None, typer.Argument(metavar="-- OPTIONS", help="Options of the job: `-- --help` lists them.")
    ] = None,
) -> None:
    """Run a Spark job over the relations.

    The job gets the database's URL and the JDBC driver in its environment.
    """
    if job not in JOBS:
        raise typer.BadParameter(f"Unknown Spark job {job!r}. Known jobs: {', '.join(JOBS)}.")
    require_packages(*PACKAGES)
    from spark_jobs.jars import OVERRIDE, postgres_driver  # noqa: PLC0415 (`--help` works without Spark)

    with open_database() as database:
        url, cache = database.url, database.settings.jar_cache
    environment = {**os.environ, URL_SETTING: url, OVERRIDE: str(postgres_driver(cache, os.environ))}
    raise typer.Exit(import_module(f"spark_jobs.{job}").main(options or [], environment))
