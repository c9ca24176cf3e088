"""The common course of the reports: read in one snapshot, transform, write Parquet, draw."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from projections.job_choice import Job
from spark_jobs.errors import spark_errors
from spark_jobs.output_folder import output_folder
from spark_jobs.relations.reader import OpenSnapshot, RelationReader, choose_job
from spark_jobs.relations.snapshots import Positions

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

Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Options:
    """What a user asks for. `output` is a path or URI, see `output_folder`; `job` None: all jobs.

    ``partitions``: the number of JDBC connections, None for one per core. ``now``: ages count to this time.
    """

    output: str
    overwrite: bool = False
    job: str | None = None
    partitions: int | None = None
    now: datetime | None = None


@dataclass(frozen=True)
class Inputs:
    """What a report reads: relations at one moment, of one job or of all jobs for None.

    ``latest`` (aware): the newest log_time of all logs, which ignores records that are more than an hour ahead of their
    arrival; the present without logs. Record times after it, or before Kafka's first release, are not usable.
    """

    moment: OpenSnapshot
    reader: RelationReader
    job: Job | None
    options: Options
    latest: datetime

    @property
    def as_of(self) -> datetime:
        """The time to which ages count (aware)."""
        return (self.options.now or self.latest).astimezone(UTC)

    def read(self, relation: str, *columns: str) -> DataFrame:
        job, count = None if self.job is None else str(self.job), self.options.partitions
        return self.reader.read_relation(self.moment, relation, job=job, columns=columns, partitions=count)

    def with_usable_times(self, rows: DataFrame) -> DataFrame:
        """The rows, with `record_time` set to null where it is not usable."""
        is_usable = sf.col("record_time").between(instant(KAFKA_FIRST_RELEASE), instant(self.latest))
        return rows.withColumn("record_time", sf.when(is_usable, sf.col("record_time")))


def instant(moment: datetime) -> SparkColumn:
    """An aware `moment` as a literal, exact to the microsecond whatever the time zones of session, JVM and machine."""
    return sf.timestamp_micros(sf.lit((moment - EPOCH) // timedelta(microseconds=1)))


class Tables(NamedTuple):
    """The tables of a report by name. ``as_of``: the time to which their ages count (aware), None without ages.

    ``about``: what `as_of.json` has besides the positions. ``note``: a line to print.
    """

    frames: Mapping[str, DataFrame]
    as_of: datetime | None = None
    about: Mapping[str, Any] = {}
    note: str = ""


class Column(NamedTuple):
    """A heading, and what a cell shows: a column of the row, or a function of the row. Numbers are on the right."""

    heading: str
    content: str | Callable[[Mapping[str, Any]], object]
    is_number: bool = False

    def cell(self, row: Mapping[str, Any]) -> str:
        """The text of a row's cell."""
        match row[self.content] if isinstance(self.content, str) else self.content(row):
            case None:
                return ""
            case int(number):
                return f"{number:,}"
            case datetime() as time:
                return f"{time:%Y-%m-%d %H:%M:%S}"
            case value:
                return str(value)


def columns(*names: str, is_number: bool = False) -> tuple[Column, ...]:
    """Columns of the rows under their own names."""
    return tuple(Column(name.replace("_", " "), name, is_number) for name in names)


def job_of(row: Mapping[str, Any]) -> str:
    """The job of a row, as `NAME/ID`."""
    return f"{row['job_name']}/{row['job_id']}"


class Drawing(NamedTuple):
    """What a picture shows: ``rows`` are those that are printed, ``subtitle`` says so.

    ``about`` is that of the ``tables``, which are here as they were written.
    """

    path: Path
    title: str
    subtitle: str
    rows: Rows
    about: Mapping[str, Any]
    tables: Mapping[str, pa.Table]


@dataclass(frozen=True)
class Report:
    """A report: its tables by name, and how the table `shown` is sorted, printed and drawn."""

    name: str
    tables: Callable[[Inputs], Tables]
    shown: str
    sort: Callable[[DataFrame], DataFrame]
    columns: Sequence[Column]
    draw: Callable[[Drawing], None]
    arrange: Callable[[Rows], Rows] = field(default=lambda rows: rows)
    """The order in which the first rows are printed and drawn."""


class Written(NamedTuple):
    """What a report wrote, to be printed: the first ``rows`` of its table `shown`, which has ``total``."""

    title: str
    rows: Rows
    total: int
    note: str
    positions: Positions


def write_report(report: Report, spark: SparkSession, url: str, options: Options) -> Written:
    """Write the output folder. After a SparkJobError or an error of Postgres there is no output."""
    reader = RelationReader(lambda: url)
    with output_folder(options.output, AS_OF_FILE, overwrite=options.overwrite) as folder:
        with reader.snapshot(spark) as moment, spark_errors("Spark cannot read the database"):
            job = None if options.job is None else choose_job(moment.snapshot.jobs(), options.job)
            ((latest,),) = moment.snapshot.connection.execute(_LATEST, (LAST_TIME,)).fetchall()
            tables = report.tables(Inputs(moment, reader, job, options, latest))
            frames = {**tables.frames, report.shown: report.sort(tables.frames[report.shown])}
            read = {name: frame.toArrow() for name, frame in frames.items()}
            positions = moment.snapshot.positions_of(job)
        for name, table in read.items():
            (folder / name).mkdir()
            parquet.write_table(table, folder / name / "part-0.parquet")
        _write_as_of(folder, positions, tables)
        shown, total = read[report.shown].slice(0, MOST_ROWS).to_pylist(), read[report.shown].num_rows
        rows, title = report.arrange(shown), _title(report, job, tables)
        subtitle = f", the first {len(rows)} of {total:,}" if total > len(rows) else ""
        report.draw(Drawing(folder / f"{report.name}.png", title, subtitle, rows, tables.about, read))
    return Written(title, rows, total, tables.note, positions)


def _title(report: Report, job: Job | None, tables: Tables) -> str:
    subject = f"{report.name.replace('_', ' ').capitalize()} of {job or 'all jobs'}"
    return subject if tables.as_of is None else f"{subject} as of {tables.as_of:%Y-%m-%d %H:%M:%S} UTC"


def _write_as_of(folder: Path, positions: Positions, tables: Tables) -> None:
    as_of = {} if tables.as_of is None else {"as_of": tables.as_of.isoformat()}
    logs = [
        {"stream_name": name, "incarnation": number, "next_offset": offset}
        for (name, number), offset in sorted(positions.items())
    ]
    text = json.dumps({**as_of, **tables.about, "logs": logs}, indent=1)
    (folder / AS_OF_FILE).write_text(text + "\n", encoding="utf-8")


def describe_positions(positions: Positions) -> list[str]:
    """A line per log with its position: the first offset that is not included."""
    lines = [f"  {name} (incarnation {number}): next offset {positions[name, number]}" for name, number in positions]
    more = [f"  … and {len(lines) - MOST_LOGS} more logs, in {AS_OF_FILE}"] if len(lines) > MOST_LOGS else []
    return ["Log positions:", *sorted(lines)[:MOST_LOGS], *more]


def format_span(seconds: float) -> str:
    """A duration in its two largest units (`12.3s`, `4m 05s`, `2h 10m`, `3d 04h`), negative after a clock change."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    if seconds < 59.95:
        return f"{sign}{seconds:.1f}s"
    whole = round(seconds)
    for size, unit, part, part_unit in ((86_400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if whole >= size:
            return f"{sign}{whole // size}{unit} {whole % size // part:02d}{part_unit}"
    return f"{sign}{whole}s"
