"""The relations as DataFrames of Spark.

>>> from coordstream.spark import build_session, read_relation, snapshot
>>> spark = build_session("report")
>>> read_relation(spark, "checkpoint", job="wordcount_pv").show()

The database is that of the settings, or else the embedded Postgres, which is started. This module needs PySpark and
pyarrow; it starts no JVM.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from coordstream.database import open_database
from coordstream.errors import missing_message
from coordstream.steered import open_steered
from projections.fold.settings import FoldSettings

try:
    from spark_jobs import session
    from spark_jobs.data_source.source import register as register_source
    from spark_jobs.log_task import LogTaskSettings
    from spark_jobs.relations import jdbc
    from spark_jobs.relations.reader import OpenSnapshot, RelationReader, log_positions
    from spark_jobs.steered import stream
    from spark_jobs.steered.delta_sink import DeltaSink
    from spark_jobs.steered.postgres_sink import PostgresSink
    from spark_jobs.steered.sink import Sink
except ImportError as error:
    raise ImportError(missing_message(error.name) or str(error)) from error

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "JDBC_DRIVER",
    "DeltaSink",
    "OpenSnapshot",
    "PostgresSink",
    "SteeredStream",
    "build_session",
    "log_positions",
    "read_relation",
    "register",
    "register_catalog",
    "snapshot",
]


JDBC_DRIVER: Final = session.JDBC_DRIVER
"""The JDBC driver for the setting `spark.jars.packages` of a session of your own."""


def build_session(app: str, conf: Mapping[str, str] | None = None) -> "SparkSession":
    """A session on this machine with the JDBC driver, in UTC, with `conf` over the defaults.

    Spark fetches the driver once; COORDSTREAM_JDBC_JAR names a jar of your own instead. Raises SparkJobError: Java is
    missing, a setting is invalid, or Spark does not start.
    """
    return session.build_session(app, {**session.driver_conf(os.environ), **(conf or {})})


def _database_url() -> str:
    with open_database(warns=False) as database:
        return database.url


def register(spark: "SparkSession") -> None:
    """Register the data source `coordinator_stream`, for `spark.read` and `spark.readStream`, with a session.

    Database, brokers and masking key are those of the settings; Spark's options and plans do not show them.
    """
    with open_database(warns=False) as database:
        register_source(spark, LogTaskSettings(database.url, FoldSettings(database.secrets), database.settings.kafka))


def register_catalog(spark: "SparkSession") -> None:
    """Let SQL of a session, also of Spark Connect, read the relations: ``select … from coordinator.checkpoint``.

    Spark's own JDBC catalog reads them: it passes filters, limits and aggregates to Postgres, but each read sees a
    moment of its own. The password is a setting of the session.
    """
    with open_database(warns=False) as database:
        jdbc.register_catalog(spark, database.connection)


_READER: Final = RelationReader(_database_url)
read_relation = _READER.read_relation
snapshot = _READER.snapshot


class SteeredStream(stream.SteeredStream):
    __doc__ = stream.SteeredStream.__doc__

    def __init__(
        self,
        *,
        job: str,
        inputs: Sequence[str],
        sink: Sink,
        process: stream.Process,
        config: Mapping[str, str] | None = None,
        max_records: int = stream.MAX_RECORDS,
    ) -> None:
        """Describe a job; nothing is opened before `run`.

        ``job`` is ``NAME/ID``, or ``NAME`` for the id 1. ``inputs`` are topics, such as ``kafka.clicks``.
        ``process(records, batch)`` returns the output of a batch. ``config`` is added to the job's config on its log.
        A batch has about ``max_records`` records at most.
        """
        super().__init__(
            open_steered, job=job, inputs=inputs, sink=sink, process=process, config=config, max_records=max_records
        )
