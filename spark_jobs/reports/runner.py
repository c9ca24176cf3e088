"""The common course of the reports: read in one snapshot, transform, write Parquet, draw, print."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import TimestampType
from rich.console import Console

from eventlog.postgres.connection import failure_line, server_reason
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.output_folder import check_output, output_folder
from spark_jobs.relations.partitioning import choose_partitions
from spark_jobs.relations.reader import OpenSnapshot, RelationReader
from spark_jobs.relations.selection import choose_job
from spark_jobs.relations.settings import database_url
from spark_jobs.relations.snapshots import Positions
from spark_jobs.reports.arguments import find_jar
from spark_jobs.reports.progress.transforms import EPOCH
from spark_jobs.reports.table import Column, describe_positions, print_table
from spark_jobs.session import jar_conf, running_session
from spark_jobs.spark_errors import spark_errors

AS_OF_FILE = "as_of.json"
MOST_ROWS = 40


@dataclass(frozen=True)
class Inputs:
    """What a report reads: relations at one moment, of one job or of all jobs for None. ``now``: ages count to it."""

    moment: OpenSnapshot
    reader: RelationReader
    job: Job | None
    partitions: int | None
    now: datetime | None = None

    def read(self, relation: str, *columns: str) -> DataFrame:
        """Columns of a relation."""
        job = None if self.job is None else str(self.job)
        return self.reader.read_relation(self.moment, relation, job=job, columns=columns, partitions=self.partitions)

    def connections(self) -> int:
        """The number of connections of a large read."""
        return self.partitions or choose_partitions(self.moment.spark)


class Tables(NamedTuple):
    """The tables of a report by name. ``as_of``: the time to which their ages count (aware), None without ages."""

    frames: Mapping[str, DataFrame]
    as_of: datetime | None = None


Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Report:
    """A report: its tables by name, and how the table `shown` is sorted, printed and drawn.

    ``drawn``: what of this table `draw` gets; by default the rows that are printed.
    """

    name: str
    tables: Callable[[Inputs], Tables]
    shown: str
    sort: Callable[[DataFrame], DataFrame]
    columns: Sequence[Column]
    draw: Callable[[Path, Rows, str], None]
    drawn: Callable[[DataFrame], DataFrame] | None = None


def run_report(report: Report, arguments: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run a report on the database of the environment and return its exit code: 0, or 1 with a message."""

    def write(spark: SparkSession, url: str) -> None:
        write_report(report, spark, url, arguments, Console(highlight=False))

    return run_job(report.name, arguments, environ, write)


def run_job(
    name: str, arguments: argparse.Namespace, environ: Mapping[str, str], write: Callable[[SparkSession, str], None]
) -> int:
    """Call `write` with a session and the database's URL; return the exit code: 0, or 1 with a message."""
    try:
        check_output(arguments.output, AS_OF_FILE, overwrite=arguments.overwrite)  # fails before Spark starts
        url = database_url(environ, arguments.database_url_file)
        with running_session(name, jar_conf(find_jar(environ)), environ) as spark:
            write(spark, url)
    except SparkJobError as error:
        print(error, file=sys.stderr)
        return 1
    except psycopg.Error as error:
        reason = server_reason(error) or failure_line(error)
        print(f"Cannot read the database ({reason}). Check its URL and that the server is running.", file=sys.stderr)
        return 1
    return 0


def write_report(
    report: Report, spark: SparkSession, url: str, arguments: argparse.Namespace, console: Console
) -> None:
    """Write the output folder, and print. After a SparkJobError there is no output."""
    reader = RelationReader(lambda: url)
    with output_folder(spark, arguments.output, AS_OF_FILE, overwrite=arguments.overwrite) as folder:
        with reader.snapshot(spark) as moment, spark_errors("Spark cannot read the database or write the result"):
            job = None if arguments.job is None else choose_job(moment.snapshot.jobs(), str(arguments.job))
            tables = report.tables(Inputs(moment, reader, job, arguments.partitions, arguments.now))
            for name, table in tables.frames.items():
                table.coalesce(1).write.parquet(folder.table(name))
            positions = moment.snapshot.positions_of(job)
        write_as_of(folder.files, positions, **_as_of(tables))
        shown = spark.read.parquet(folder.table(report.shown))
        rows, total = _rows(report.sort(shown).limit(MOST_ROWS)), shown.count()
        title = _title(report, job, tables)
        if report.drawn is None:
            drawn, subtitle = rows, f", the first {len(rows)} of {total:,}" if total > len(rows) else ""
        else:
            drawn, subtitle = _rows(report.drawn(shown)), ""
        report.draw(folder.files / f"{report.name}.png", drawn, title + subtitle)
    for line in describe_positions(positions):
        console.print(line, markup=False, soft_wrap=True)
    print_table(console, title, report.columns, rows, total)
    console.print(f"Written to {arguments.output}.", markup=False, soft_wrap=True)


def _as_of(tables: Tables) -> dict[str, str]:
    return {} if tables.as_of is None else {"as_of": tables.as_of.isoformat()}


def _title(report: Report, job: Job | None, tables: Tables) -> str:
    subject = f"{report.name.replace('_', ' ').capitalize()} of {job or 'all jobs'}"
    return subject if tables.as_of is None else f"{subject} as of {tables.as_of:%Y-%m-%d %H:%M:%S} UTC"


def write_as_of(folder: Path, positions: Positions, **about: Any) -> None:
    """Write the positions of the logs that a report shows, after what else is known `about` it, as JSON."""
    logs = [
        {"stream_name": name, "incarnation": number, "next_offset": offset}
        for (name, number), offset in sorted(positions.items())
    ]
    text = json.dumps({**about, "logs": logs}, indent=1)
    (folder / AS_OF_FILE).write_text(text + "\n", encoding="utf-8")


def _rows(frame: DataFrame) -> Rows:
    """The rows, with aware times: Spark itself returns naive datetimes in the machine's time zone."""
    times = {field.name for field in frame.schema.fields if isinstance(field.dataType, TimestampType)}
    columns = [sf.unix_micros(name).alias(name) if name in times else sf.col(name) for name in frame.columns]
    rows = [row.asDict() for row in frame.select(*columns).collect()]
    return [{name: _aware(value) if name in times else value for name, value in row.items()} for row in rows]


def _aware(micros: int | None) -> datetime | None:
    return None if micros is None else EPOCH + timedelta(microseconds=micros)
