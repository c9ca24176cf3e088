"""The relations as DataFrames of Spark.

>>> from coordstream.spark import build_session, jdbc_driver, read_relation, snapshot
>>> spark = build_session("report", {"spark.jars": str(jdbc_driver())})
>>> read_relation(spark, "checkpoint", job="wordcount_pv").show()

The database is that of the settings, or else the embedded Postgres, which is started. This module needs the extra
`spark`; it starts no JVM.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coordstream.database import open_database
from coordstream.errors import missing_message
from coordstream.settings import load_settings

try:
    from spark_jobs.data_source.options import Access
    from spark_jobs.data_source.source import register as register_source
    from spark_jobs.relations.reader import OpenSnapshot, RelationReader, log_positions
    from spark_jobs.session import build_session, postgres_driver
except ImportError as error:
    raise ImportError(missing_message(error.name) or str(error)) from error

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["OpenSnapshot", "build_session", "jdbc_driver", "log_positions", "read_relation", "register", "snapshot"]


def jdbc_driver() -> Path:
    """The jar of the Postgres JDBC driver, for Spark's option `spark.jars`; downloaded once into the data folder.

    COORDSTREAM_JDBC_JAR selects another one. Raises SparkJobError if it cannot be downloaded.
    """
    return postgres_driver(load_settings().jar_cache, os.environ)


def _database_url() -> str:
    with open_database(warns=False) as database:
        return database.url


def register(spark: "SparkSession") -> None:
    """Register the data source `coordinator_stream`, for `spark.read` and `spark.readStream`, with a session.

    Database, brokers and masking key are those of the settings; Spark's options and plans do not show them.
    """
    with open_database(warns=False) as database:
        register_source(spark, Access(database.secrets, database.url, database.settings.kafka))


_READER: Final = RelationReader(_database_url)
read_relation = _READER.read_relation
snapshot = _READER.snapshot
