"""The data source `coordinator_stream`: how a session gets it, and how it reads logs as a batch."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, ClassVar, Final

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from spark_jobs.data_source.archive_reader import ArchiveReader
from spark_jobs.data_source.columns import SCHEMA, EventColumns, columns_of
from spark_jobs.data_source.log_range import RangePartition, Selection, partitions_of
from spark_jobs.data_source.log_reader import SourceOptions, find_logs, open_reader, parse_options
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import Filter

FILTER_PUSHDOWN: Final = "spark.sql.python.filterPushdown.enabled"


class CoordinatorStream(DataSource):
    """Events of logs as rows. `register` makes a subclass with `settings`, which Spark pickles with the class."""

    settings: ClassVar[LogTaskSettings]

    @classmethod
    def name(cls) -> str:
        return "coordinator_stream"

    def schema(self) -> StructType:
        """The columns, if the reader of the DataFrame has chosen none."""
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        """The reader for `spark.read`. Raises SparkJobError for an option or a column that is wrong."""
        return BatchReader(parse_options(self.options), self.settings, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 (Spark calls it)
        """The reader for `spark.readStream`. Raises SparkJobError, also if this Spark is too old."""
        try:
            from spark_jobs.data_source.stream_reader import StreamReader  # noqa: PLC0415
        except ImportError:
            raise SparkJobError("Streaming from coordinator_stream needs Spark 4.2 or newer.") from None
        return StreamReader(parse_options(self.options), self.settings, schema)


def register(spark: SparkSession, settings: LogTaskSettings) -> None:
    """Register the data source with a session, and let the session push filters down to it.

    The addresses and passwords in `settings` are pickled with the class, and are in no option, plan or offset. (Spark
    also finds data sources in modules called `pyspark_*`, but those see only the environment in which the JVM started.)
    """
    members = {"settings": settings, "__module__": "__main__"}
    spark.dataSource.register(type("RegisteredCoordinatorStream", (CoordinatorStream,), members))
    spark.conf.set(FILTER_PUSHDOWN, "true")


class RangeReader:
    """What readers for batches and streams have in common. Raises SparkJobError for a column that is wrong."""

    def __init__(self, options: SourceOptions, settings: LogTaskSettings, schema: StructType) -> None:
        self._options = options
        self._settings = settings
        self._columns = columns_of(schema)

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """The events of a partition's ranges as Arrow batches, in an executor."""
        if not isinstance(partition, RangePartition):
            raise TypeError(f"{type(partition).__name__} is not a partition of coordinator_stream")
        if not partition.ranges:
            return
        with closing(open_reader(self._options.origin, self._settings)) as reader:
            for wanted in partition.ranges:
                rows = EventColumns(self._columns, wanted.log, self._settings.fold.secrets)
                if isinstance(reader, ArchiveReader) and rows.are_stored:
                    yield from reader.read_stored(wanted, rows)
                else:
                    yield from rows.batches(reader.read(wanted))


class BatchReader(RangeReader, DataSourceReader):
    """Plans ranges of logs, applies the filters it can, and reads the ranges in the executors."""

    def __init__(self, options: SourceOptions, settings: LogTaskSettings, schema: StructType) -> None:
        super().__init__(options, settings, schema)
        if (options.starting_offsets, options.max_offsets_per_trigger) != ("earliest", None):
            names = "'startingOffsets' and 'maxOffsetsPerTrigger'"
            raise SparkJobError(f"The options {names} are for spark.readStream. Filter a batch on log_offset.")
        self._selection = Selection()

    def pushFilters(self, filters: "list[Filter]") -> "Iterator[Filter]":  # noqa: N802 (Spark calls it)
        """Keep the filters on stream, incarnation and offset; the others are left to Spark."""
        for one in filters:
            column, value = ".".join(getattr(one, "attribute", ())), getattr(one, "value", None)
            if not self._selection.take(column, type(one).__name__, value):
                yield one

    def partitions(self) -> Sequence[InputPartition]:
        """The ranges that pass the filters; one empty partition if there are none."""
        with closing(open_reader(self._options.origin, self._settings)) as reader:
            ranges = self._selection.apply(find_logs(reader, self._options))
        return partitions_of(ranges, self._options.offsets_per_partition) or [RangePartition(())]
