"""The reports of `coordstream spark`: each writes Parquet files and a picture into a folder, and prints."""

import os
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from coordstream.cli.arguments import Json
from coordstream.cli.output import Column, print_json, print_rows
from coordstream.cli.spark_session import require_spark, spark_session
from coordstream.database import open_database

app = typer.Typer()


JobArgument = Annotated[
    str | None, typer.Argument(metavar="JOB", help="Only this job: name/id, or a name that only one job has.")
]
Output = Annotated[str, typer.Option("--output", metavar="FOLDER", help="A path or a URI (s3a://…); must not exist.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an earlier result in --output.")]


REPORTS: Final = {
    "checkpoint_progress": "Report the commits and input offsets of each task, by time bucket.",
    "config_churn": "Report how many config keys each writer changed in each job, by day.",
    "startpoint_effects": "Report how far each startpoint moved each partition, and the time to catch up.",
}
"""The modules of `spark_jobs.reports`, each a command with this help."""


def _add_command(name: str) -> None:
    @app.command(name, help=f"{REPORTS[name]}\n\nExample: coordstream spark {name} --output {name}")
    def report(output: Output, job: JobArgument = None, overwrite: Overwrite = False, as_json: Json = False) -> None:
        _run(name, output, job, overwrite=overwrite, as_json=as_json)


for _each in REPORTS:
    _add_command(_each)


def _run(name: str, output: str, job: str | None, *, overwrite: bool, as_json: bool) -> None:
    """Run the report of this module of `spark_jobs.reports`."""
    require_spark("matplotlib")
    from spark_jobs.reports.report import Report, check_output, describe_positions, write_report  # noqa: PLC0415
    from spark_jobs.session import driver_conf  # noqa: PLC0415

    report: Report = import_module(f"spark_jobs.reports.{name}").REPORT
    check_output(output, overwrite=overwrite)  # fails before Spark starts
    with open_database() as database, spark_session(name, driver_conf(os.environ)) as spark:
        done = write_report(report, spark, database.url, output, overwrite=overwrite, job=job)
    if as_json:
        print_json(next(iter(done.tables.values())).to_pylist())
        return
    for line in (*describe_positions(done.positions), *filter(None, [done.note])):
        print(line)
    rows = [report.cells(row) for row in done.rows]
    numbers = {heading for row in rows for heading, value in row.items() if isinstance(value, int)}
    headings = rows[0] if rows else ()
    columns = [Column(each, partial(_cell, each), "right" if each in numbers else "left") for each in headings]
    print_rows(rows, columns, title=done.title)
    if done.total > len(rows):
        print(f"… and {done.total - len(rows)} more rows in the Parquet files.")
    print(f"Written to {output}.")


def _cell(heading: str, row: dict[str, Any]) -> object:
    value = row[heading]
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return f"{value:,}" if isinstance(value, int) else value
