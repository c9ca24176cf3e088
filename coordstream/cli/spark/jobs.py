"""`coordstream spark JOB`: a Spark job on the database of the settings."""

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Final, cast

import typer
from typer.core import TyperGroup

from coordstream.cli.output import Column, print_rows
from coordstream.cli.verbs import Verb
from coordstream.database import URL_SETTING, open_database
from coordstream.extras import require_packages
from coordstream.settings import load_settings

app = typer.Typer(no_args_is_help=True)
VERBS: Final[tuple[Verb, ...]] = (
    Verb("follow", "spark.follow", "follow"),
    Verb("replay", "spark.replay", "replay"),
    Verb("verify", "spark.verify", "verify"),
    Verb("archive", "spark.archive", "archive"),
)

JOBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "checkpoint_progress": "Report the commits and input offsets of each task, by time bucket.",
        "config_churn": "Report how many config keys each writer changed in each job, by day.",
        "fleet": "Report each job with its tasks, containers, last commit and stalled tasks.",
        "startpoint_effects": "Report how far each startpoint moved each partition, and the time to catch up.",
    }
)
"""Modules of ``spark_jobs.reports`` with functions ``parse`` and ``main``, and what each does."""

MOST_CHARACTERS: Final = 200
PACKAGES: Final = ("pyspark", "pandas", "pyarrow", "matplotlib")

Options = Annotated[
    list[str] | None, typer.Argument(metavar="REPORT_OPTIONS", help="Options of the report: `-- --help` lists them.")
]


@app.callback(invoke_without_command=True)
def spark(
    context: typer.Context,
    *,
    lists: Annotated[bool, typer.Option("--list", help="List the commands and what each does.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: print a JSON list.")] = False,
) -> None:
    """Run the data pipeline and reports on Spark."""
    if not lists:
        return
    commands = cast("TyperGroup", context.command).commands
    rows = [
        {"command": name, "purpose": command.get_short_help_str(MOST_CHARACTERS)}
        for name, command in sorted(commands.items())
    ]
    print_rows(rows, (Column("command", "command"), Column("purpose", "purpose")), title="Spark", as_json=as_json)
    raise typer.Exit


def _command(job: str) -> Callable[[list[str] | None], None]:
    def run(options: Options = None) -> None:
        _run_job(job, options or [])

    return run


for _job, _purpose in JOBS.items():
    app.command(_job, help=_purpose, context_settings={"ignore_unknown_options": True})(_command(_job))


def _run_job(job: str, options: Sequence[str]) -> None:
    require_packages(*PACKAGES)
    from spark_jobs.jars import OVERRIDE, postgres_driver  # noqa: PLC0415 (`--help` works without Spark)

    module = import_module(f"spark_jobs.reports.{job}")
    try:
        # an invalid option fails before the database is opened and the driver downloaded
        parsed = module.parse(options)
    except SystemExit as exited:
        raise typer.Exit(exited.code) from None  # type: ignore[arg-type]  # argparse's codes are numbers
    environment = dict(os.environ)
    if parsed.database_url_file is None:  # otherwise the report opens the database of the file
        with open_database() as database:
            environment[URL_SETTING] = database.url
    environment[OVERRIDE] = str(postgres_driver(load_settings().jar_cache, os.environ))
    raise typer.Exit(module.main(options, environment))
