"""The data source `coordinator_stream`, and how a session gets it."""

from collections.abc import Callable
from typing import ClassVar, Final

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from spark_jobs.data_source.access import Access
from spark_jobs.data_source.batch_reader import BatchReader
from spark_jobs.data_source.columns import SCHEMA
from spark_jobs.data_source.options import parse_options
from spark_jobs.errors import SparkJobError

NAME: Final = "coordinator_stream"
FILTER_PUSHDOWN: Final = "spark.sql.python.filterPushdown.enabled"


class CoordinatorStream(DataSource):
    """Events of logs as rows. `register` makes a subclass with an `access`, which Spark pickles with the class."""

    access: ClassVar[Access | None] = None

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return NAME

    def schema(self) -> StructType:
        """The columns, if the reader of the DataFrame has chosen none."""
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        """The reader for `spark.read`. Raises SparkJobError for an option or a column that is wrong."""
        return BatchReader(parse_options(self.options), self._access(), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 (Spark calls it)
        """The reader for `spark.readStream`. Raises SparkJobError, also if this Spark is too old."""
        try:
            from spark_jobs.data_source.stream_reader import StreamReader  # noqa: PLC0415
        except ImportError:
            raise SparkJobError("Streaming from coordinator_stream needs Spark 4.2 or newer.") from None
        return StreamReader(parse_options(self.options), self._access(), schema)

    def _access(self) -> Access:
        if self.access is None:
            raise SparkJobError("coordinator_stream has no settings. Register it with coordstream.spark.register.")
        return self.access


def register(spark: SparkSession, access: Access) -> None:
    """Register the data source with a session, and let the session push filters down to it.

    The addresses and passwords in `access` are pickled with the class, and are in no option, plan or offset. (Spark
    also finds data sources in modules called `pyspark_*`, but those see only the environment in which the JVM started.)
    """
    source = type("RegisteredCoordinatorStream", (CoordinatorStream,), {"access": access, "__module__": "__main__"})
    spark.dataSource.register(source)
    spark.conf.set(FILTER_PUSHDOWN, "true")


class Registration:
    """Registers the data source with settings that are found when they are needed."""

    def __init__(self, access: Callable[[], Access]) -> None:
        self._access = access

    def register(self, spark: SparkSession) -> None:
        """Register the data source `coordinator_stream`, for `spark.read` and `spark.readStream`, with a session.

        Database, brokers and masking key are those of the settings; Spark's options and plans do not show them.
        """
        register(spark, self._access())
