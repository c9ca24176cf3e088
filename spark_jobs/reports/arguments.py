"""The command-line options that the reports share."""

import argparse
import os
import re
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.jars import OVERRIDE
from spark_jobs.relations.selection import parse_moment
from spark_jobs.session import SUBMITTED


class ReportParser(argparse.ArgumentParser):
    """Prints errors in one line without the usage, as the commands of coordstream do."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and where the options are described, and exit with 2."""
        reason = re.sub(r"^argument \S+: (?=Invalid )", "", message)  # our messages name the value
        reason = re.sub(r"^the following arguments are required: (.*)", r"missing option '\1'", reason)
        print(f"{reason[0].upper()}{reason[1:].removesuffix('.')}. See `{self.prog} --help`.", file=sys.stderr)
        sys.exit(2)


def report_parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser with the options of every report."""
    prog = f"{name}.py" if SUBMITTED in os.environ else f"coordstream spark {name} --"
    parser = ReportParser(prog=prog, description=description)
    parser.set_defaults(now=None)
    add = parser.add_argument
    add("--output", required=True, help="output folder, a path or a URI (s3a://…); must not exist")
    add("--overwrite", action="store_true", help="replace an earlier result in --output")
    add("--job", type=job_choice, metavar="NAME/ID", help="only this job (default: all jobs)")
    add("--partitions", type=count, help="parallel JDBC connections (default: one per core, at most 8)")
    add(
        "--database-url-file",
        type=Path,
        metavar="FILE",
        help="file with the database URL (default: COORDSTREAM_DATABASE_URL)",
    )
    return parser


def add_now(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--now`` of reports with ages."""
    parser.add_argument(
        "--now",
        type=moment,
        metavar="TIME",
        help="ages count to this ISO 8601 time (default: the newest time of the logs)",
    )


def find_jar(environ: Mapping[str, str]) -> Path | None:
    """The JDBC driver's jar; None if spark-submit provides it. Raises SparkJobError if there is none."""
    if jar := environ.get(OVERRIDE):
        return Path(jar)
    if SUBMITTED in environ:
        return None
    raise SparkJobError(f"No JDBC driver. Run the job with `coordstream spark`, or set {OVERRIDE} to the driver's jar.")


def job_choice(text: str) -> Job:
    """NAME/ID."""
    name, _, job_id = text.rpartition("/")
    if not name or not job_id:
        raise argparse.ArgumentTypeError(f"Invalid job {text!r}. Expected NAME/ID, for example wordcount/1.")
    return Job(name, job_id)


def count(text: str) -> int:
    """A number of partitions."""
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"Invalid number of partitions {text!r}. Expected 1 to 1000.")
    return int(text)


def moment(text: str) -> datetime:
    """A time in ISO 8601."""
    try:
        return parse_moment(text)
    except SparkJobError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
