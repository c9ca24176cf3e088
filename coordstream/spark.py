"""The relations as DataFrames of Spark, and streaming queries on the logs of jobs.

>>> from coordstream.spark import build_session, read_relation, snapshot
>>> spark = build_session("report")
>>> read_relation(spark, "checkpoint", job="wordcount_pv").show()

The database is that of the settings, or else the embedded Postgres, which is started. This module needs PySpark and
pyarrow; it starts no JVM.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from coordstream.database import DatabaseUnreachable, open_database
from coordstream.errors import CoordstreamError, missing_message
from coordstream.event_logs import open_job_record
from coordstream.input_system import OpenInputs
from coordstream.settings import load_settings
from coordstream.steered import open_steered
from eventlog.config import OffsetSettings
from eventlog.errors import NO_LIST, PortableError
from eventlog.source import SourceUnavailable
from managers.steered import starts
from managers.steered.job_record import OBSERVED, JobRecord
from projections.fold.settings import FoldSettings

try:
    from spark_jobs import session
    from spark_jobs.data_source.source import register as register_source
    from spark_jobs.errors import SparkJobError
    from spark_jobs.log_task import LogTaskSettings
    from spark_jobs.observed import listener
    from spark_jobs.observed.listener import Observation
    from spark_jobs.observed.progress import KAFKA
    from spark_jobs.relations import jdbc
    from spark_jobs.relations.open_snapshot import OpenSnapshot
    from spark_jobs.relations.reader import RelationReader, log_positions
    from spark_jobs.relations.receipts import receipt_of
    from spark_jobs.steered import stream
    from spark_jobs.steered.postgres_sink import PostgresSink
except ImportError as error:
    raise ImportError(missing_message(error.name) or str(error)) from error

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_jobs.steered.delta_sink import DeltaSink

__all__ = [
    "JDBC_DRIVER",
    "DeltaSink",
    "Observation",
    "OpenSnapshot",
    "PostgresSink",
    "SteeredStream",
    "build_session",
    "log_positions",
    "observe",
    "read_relation",
    "receipt_of",
    "register",
    "register_catalog",
    "snapshot",
    "starting_offsets",
]


JDBC_DRIVER: Final = session.JDBC_DRIVER
"""The JDBC driver for the setting `spark.jars.packages` of a session of your own."""


def build_session(app: str, conf: Mapping[str, str] | None = None) -> "SparkSession":
    """A session on this machine with the JDBC driver, in UTC, with `conf` over the defaults.

    Spark fetches the driver once; COORDSTREAM_JDBC_JAR names a jar of your own instead. Raises SparkJobError: Java is
    missing, a setting is invalid, or Spark does not start.
    """
    return session.build_session(app, {**session.driver_conf(os.environ), **(conf or {})})


@contextmanager
def _job_errors(kind: type[PortableError] = PortableError) -> Iterator[None]:
    """Raise errors of this project as SparkJobError, with the same message."""
    try:
        yield
    except SparkJobError:
        raise
    except kind as error:
        raise SparkJobError(str(error)) from error


@_job_errors()
def _database_url() -> str:
    with open_database(warns=False) as database:
        return database.url


@_job_errors()
def register(spark: "SparkSession") -> None:
    """Register the data source `coordinator_stream`, for `spark.read` and `spark.readStream`, with a session.

    Database, brokers and mask key are those of the settings; no option or plan shows them. Raises SparkJobError.
    """
    with open_database(warns=False) as database:
        register_source(spark, LogTaskSettings(database.url, FoldSettings(database.secrets), database.settings.kafka))


@_job_errors()
def register_catalog(spark: "SparkSession") -> None:
    """Let SQL of a session, also of Spark Connect, read the relations: ``select … from coordinator.checkpoint``.

    Spark's own JDBC catalog reads them: it passes filters, limits and aggregates to Postgres, but each read sees a
    moment of its own. The password is a setting of the session. Raises SparkJobError: the database cannot be used.
    """
    with open_database(warns=False) as database:
        jdbc.register_catalog(spark, database.connection)


def __getattr__(name: str) -> object:
    """`DeltaSink`, which needs the extra ``lake``."""
    if name != "DeltaSink":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from spark_jobs.steered.delta_sink import DeltaSink  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(missing_message(error.name) or str(error)) from error
    return DeltaSink


_READER: Final = RelationReader(_database_url)
read_relation = _READER.read_relation
snapshot = _READER.snapshot


class SteeredStream(stream.SteeredStream):
    __doc__ = stream.SteeredStream.__doc__
    opener = staticmethod(open_steered)
    run = _job_errors(CoordstreamError)(stream.SteeredStream.run)


@_job_errors()
def observe(spark: "SparkSession", job: str, query: str, config: Mapping[str, str] | None = None) -> Observation:
    """Write what a streaming query does on the logs of a job, until the observation is stopped.

    ``job`` is ``name/id`` or ``name`` (id 1), ``query`` the name of the query (`queryName`), which may start before or
    after. Each run writes its config and the assignment of its partitions, each committed batch a checkpoint. There is
    a task for each source, ``<query>-<number>``; sources are those of Spark's Kafka connector and our own data source.
    ``config`` is written too, such as ``systems.kafka.consumer.bootstrap.servers``, with which lag can be told.

    The query never waits: batches are written by a thread. An outage of the log is logged, and later batches make up
    for it. Raises SparkJobError: the query has no name, the job's name is invalid, or the job is another program's.
    """
    return listener.observe(spark, query, partial(_open_observed, job), config or {}, load_settings().secrets)


@_job_errors()
def starting_offsets(job: str, config: Mapping[str, str] | None = None, topics: Collection[str] = ()) -> str:
    """The value of the option ``startingOffsets`` of Spark's Kafka source with which an observed job goes on.

    Each partition starts at its startpoint, else after its checkpoint, else at the default of the job's config:
    ``latest``, or ``earliest`` if ``systems.kafka.samza.offset.default`` is ``oldest``. Pending startpoints are fanned
    out first. ``config`` is over that on the log. ``topics`` are those of the source, by default all inputs of the job;
    if none are known yet, the default is returned. Spark ignores the option if the checkpoint folder has offsets.

    Raises SparkJobError: the job is another program's, the log or the brokers do not answer, or a checkpoint has no
    next offset.
    """
    if isinstance(topics, str):
        raise SparkJobError(NO_LIST.format("topics", topics))
    with _open_observed(job) as record, OpenInputs() as inputs:
        known = {**record.config, **(config or {})}
        streams = topics or starts.input_streams(record, known, KAFKA)
        if not streams:
            return "earliest" if OffsetSettings(known).default_offset(KAFKA, "") == "oldest" else "latest"
        found = starts.starting_offsets(record, inputs.admin(known, KAFKA), known, KAFKA, streams)
    offsets: dict[str, dict[str, int]] = {}
    for partition, offset in sorted(found.items()):
        offsets.setdefault(partition.stream, {})[str(partition.partition)] = offset
    return json.dumps(offsets)


@contextmanager
def _open_observed(job: str) -> Iterator[JobRecord]:
    """The record of an observed job. Raises SourceUnavailable if its logs do not answer."""
    try:
        with open_job_record(job, source=OBSERVED) as record:
            yield record
    except DatabaseUnreachable as error:
        raise SourceUnavailable(str(error)) from error
