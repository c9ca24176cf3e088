"""The common course of the reports: read in one snapshot, transform, write Parquet, draw.

An output folder appears complete or not at all, in any file system that pyarrow reaches.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import pyarrow as pa
from humanize import naturaldelta
from pyarrow import fs, parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from projections.job_choice import Job
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.place import local_path
from spark_jobs.relations.open_snapshot import OpenSnapshot, Positions
from spark_jobs.relations.reader import RelationReader

AS_OF_FILE: Final = "as_of.json"
MOST_ROWS: Final = 40
MOST_LOGS: Final = 6
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

KAFKA_FIRST_RELEASE: Final = datetime(2011, 1, 1, tzinfo=UTC)
"""An earlier record time means that a clock was not set, or that seconds were taken for milliseconds."""

LAST_TIME: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""Python's datetimes end in this year, Postgres' and Spark's do not."""

_LATEST: Final = """
SELECT least(coalesce(max(t.at), now()), %s) FROM projection.job_log l
CROSS JOIN LATERAL projection.log_time_at(l.log_id, 9223372036854775807) t
"""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Inputs:
    """What a report reads: relations at one moment, of one job or of all jobs for None.

    ``latest`` (aware): the newest log_time of all logs, which ignores records that are more than an hour ahead of their
    arrival; the present without logs. Ages count to it.
    """

    moment: OpenSnapshot
    reader: RelationReader
    job: Job | None
    latest: datetime

    def read(self, relation: str, columns: str) -> DataFrame:
        """Columns of a relation; record times before Kafka's first release or after ``latest`` are null."""
        names, job = columns.split(), None if self.job is None else str(self.job)
        rows = self.reader.read_relation(self.moment, relation, job=job, columns=names)
        if "record_time" not in names:
            return rows
        is_usable = sf.unix_micros("record_time").between(micros(KAFKA_FIRST_RELEASE), micros(self.latest))
        return rows.withColumn("record_time", sf.when(is_usable, sf.col("record_time")))


def micros(moment: datetime) -> int:
    """Microseconds since 1970, which are the same whatever the time zones of session, JVM and machine."""
    return (moment - EPOCH) // timedelta(microseconds=1)


class Tables(NamedTuple):
    """The tables of a report by name; the first one is printed.

    ``has_ages``: whether ages count to the time of `Inputs.latest`. ``about``: what `as_of.json` has besides the
    positions. ``note``: a line to print.
    """

    frames: Mapping[str, DataFrame]
    has_ages: bool = False
    about: Mapping[str, Any] = {}
    note: str = ""


class Result(NamedTuple):
    """What a report has read: ``rows`` are the first of its first table, to be printed and drawn; it has ``total``."""

    title: str
    rows: Sequence[Row]
    total: int
    tables: Mapping[str, pa.Table]
    about: Mapping[str, Any]
    note: str
    positions: Positions

    @property
    def drawn_title(self) -> str:
        """The title, which also says how many of the rows are drawn."""
        return self.title + (f", the first {len(self.rows)} of {self.total:,}" if self.total > len(self.rows) else "")


class Report(NamedTuple):
    """A report: its tables, the cells of a printed row by heading, its picture, and the order of the printed rows."""

    name: str
    tables: Callable[[Inputs], Tables]
    cells: Callable[[Row], dict[str, Any]]
    draw: Callable[[Path, Result], None]
    order: Callable[[Row], Any] = lambda _: 0


def write_report(
    report: Report,
    spark: SparkSession,
    url: str,
    output: str,
    *,
    overwrite: bool = False,
    job: str | None = None,
) -> Result:
    """Write the output folder, a path or URI; see `output_folder`. ``job`` None: all jobs.

    After a SparkJobError or an error of Postgres there is no output.
    """
    reader = RelationReader(lambda: url)
    with output_folder(output, overwrite=overwrite) as folder:
        with reader.snapshot(spark) as moment, spark_errors("Spark cannot read the database"):
            chosen = None if job is None else moment.job(job)
            ((latest,),) = moment.connection.execute(_LATEST, (LAST_TIME,)).fetchall()
            as_of = latest.astimezone(UTC)
            found = report.tables(Inputs(moment, reader, chosen, as_of))
            tables = {name: frame.toArrow() for name, frame in found.frames.items()}
            positions = moment.positions_of(chosen)
        title = f"{report.name.replace('_', ' ').capitalize()} of {chosen or 'all jobs'}"
        if found.has_ages:
            title += f" as of {as_of:%Y-%m-%d %H:%M:%S} UTC"
        first = next(iter(tables.values()))
        rows = sorted(first.slice(0, MOST_ROWS).to_pylist(), key=report.order)
        result = Result(title, rows, first.num_rows, tables, found.about, found.note, positions)
        for name, table in tables.items():
            (folder / name).mkdir()
            parquet.write_table(table, folder / name / "part-0.parquet")
        (folder / AS_OF_FILE).write_text(_describe(as_of if found.has_ages else None, result), encoding="utf-8")
        report.draw(folder / f"{report.name}.png", result)
    return result


def _describe(as_of: datetime | None, result: Result) -> str:
    logs = [
        {"stream_name": name, "incarnation": number, "next_offset": offset}
        for (name, number), offset in sorted(result.positions.items())
    ]
    time = {} if as_of is None else {"as_of": as_of.isoformat()}
    return json.dumps({**time, **result.about, "logs": logs}, indent=1) + "\n"


def describe_positions(positions: Positions) -> list[str]:
    """A line per log with its position: the first offset that is not included."""
    lines = [f"  {name} (incarnation {number}): next offset {positions[name, number]}" for name, number in positions]
    more = [f"  … and {len(lines) - MOST_LOGS} more logs, in {AS_OF_FILE}"] if len(lines) > MOST_LOGS else []
    return ["Log positions:", *sorted(lines)[:MOST_LOGS], *more]


def job_of(row: Row) -> str:
    """The job of a row, as `NAME/ID`."""
    return f"{row['job_name']}/{row['job_id']}"


def format_span(seconds: float | None) -> str:
    """A duration in its largest unit, such as `2 hours`; empty for None."""
    return "" if seconds is None else naturaldelta(seconds, minimum_unit="milliseconds")


@contextmanager
def output_folder(output: str, *, overwrite: bool) -> Iterator[Path]:
    """A new folder, which becomes `output` when the block succeeds and is deleted when it fails.

    `output` is a path, or a URI of any file system that pyarrow reaches with the credentials of its environment, such
    as s3a:// or hdfs://. There the files are copied one by one.

    An existing `output` is replaced only if `overwrite` is set and the folder is empty or an earlier result, which
    has the file `AS_OF_FILE`. Otherwise raises SparkJobError, before anything is read or written.
    """
    check_output(output, overwrite=overwrite)
    target = local_path(output)
    with _output_errors(output):
        if target is not None:
            target.absolute().parent.mkdir(parents=True, exist_ok=True)
        scratch = TemporaryDirectory(prefix=".coordstream-", dir=target and target.absolute().parent)
    with scratch:
        built, old = Path(scratch.name, "new"), Path(scratch.name, "old")
        built.mkdir()
        yield built
        check_output(output, overwrite=overwrite)  # another program may have created it meanwhile
        with _output_errors(output):
            if target is None:
                system, folder = file_system(output)
                system.create_dir(folder)
                system.delete_dir_contents(folder)
                fs.copy_files(str(built), folder, destination_filesystem=system)
            else:
                if target.exists():
                    target.rename(old)
                try:
                    built.rename(target)
                except OSError:
                    if old.exists():
                        old.rename(target)
                    raise


def check_output(output: str, *, overwrite: bool) -> None:
    """Raise SparkJobError if `output_folder` would refuse the output."""
    with _output_errors(output):
        system, folder = file_system(output)
        found = system.get_file_info(folder)
        if found.type == fs.FileType.NotFound:
            return
        is_empty = found.type == fs.FileType.Directory and not system.get_file_info(fs.FileSelector(folder))
        is_result = is_empty or system.get_file_info(f"{folder}/{AS_OF_FILE}").is_file
    if not overwrite:
        raise SparkJobError(
            f"Output folder '{output}' exists. Choose another folder, or use --overwrite to replace it."
        )
    if not is_result:
        raise SparkJobError(f"Output folder '{output}' is not an earlier result of this job. Choose another folder.")


def file_system(output: str) -> tuple[fs.FileSystem, str]:
    """The file system of an output, and the path in it. Raises what pyarrow raises."""
    local = local_path(output)
    if local is not None:
        return fs.LocalFileSystem(), str(local.resolve())
    system, folder = fs.FileSystem.from_uri(output.replace("s3a://", "s3://", 1).rstrip("/"))
    return system, folder


@contextmanager
def _output_errors(output: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise SparkJobError(f"Output '{output}' cannot be used: {' '.join(str(error).split())}.") from error
