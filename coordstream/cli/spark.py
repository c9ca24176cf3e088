"""`coordstream spark`: a Spark job on the database of the settings."""

import os
from typing import Annotated, Final

import typer

from coordstream.cli.database import URL_SETTING, open_database
from spark_jobs import checkpoint_progress
from spark_jobs.jars import OVERRIDE, postgres_driver

app = typer.Typer()

JOBS: Final = {"checkpoint_progress": checkpoint_progress.main}


@app.command()
def spark(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The Spark job: checkpoint_progress.")],
    options: Annotated[
        list[str] | None, typer.Argument(metavar="[-- OPTIONS]", help="Options of the job; --help lists them.")
    ] = None,
) -> None:
    """Run a Spark job over the relations, with the database and the JDBC driver given to it."""
    if job not in JOBS:
        raise typer.BadParameter(f"there is no Spark job {job!r}, there is {', '.join(JOBS)}")
    with open_database() as database:
        url, cache = database.url, database.settings.jar_cache
    environment = {**os.environ, URL_SETTING: url, OVERRIDE: str(postgres_driver(cache, os.environ))}
    raise typer.Exit(JOBS[job](options or [], environment))
