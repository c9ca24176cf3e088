"""`coordstream spark JOB`: a Spark job on the database of the settings."""

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Final

import typer

from coordstream.cli.database import URL_SETTING, open_database
from coordstream.cli.verbs import Verb
from coordstream.extras import require_packages

app = typer.Typer(no_args_is_help=True)
VERBS: Final[tuple[Verb, ...]] = ()

JOBS: Final[Mapping[str, str]] = MappingProxyType(
    {"checkpoint_progress": "Report the commits and input offsets of each task, by time bucket."}
)
"""Modules of ``spark_jobs`` with a function ``main``, and what each does."""

PACKAGES: Final = ("pyspark", "pandas", "pyarrow", "matplotlib")

Options = Annotated[
    list[str] | None, typer.Argument(metavar="-- OPTIONS", help="Options of the job: `-- --help` lists them.")
]


@app.callback()
def spark() -> None:
    """Run the data pipeline and reports on Spark."""


def _command(job: str) -> Callable[[list[str] | None], None]:
    def run(options: Options = None) -> None:
        _run_job(job, options or [])

    return run


for _job, _purpose in JOBS.items():
    app.command(_job, help=_purpose)(_command(_job))


def _run_job(job: str, options: Sequence[str]) -> None:
    require_packages(*PACKAGES)
    from spark_jobs.jars import OVERRIDE, postgres_driver  # noqa: PLC0415 (`--help` works without Spark)

    with open_database() as database:
        url, cache = database.url, database.settings.jar_cache
    environment = {**os.environ, URL_SETTING: url, OVERRIDE: str(postgres_driver(cache, os.environ))}
    raise typer.Exit(import_module(f"spark_jobs.{job}").main(options, environment))
