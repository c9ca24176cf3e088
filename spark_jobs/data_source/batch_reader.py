"""Reads logs as a batch: from their first retained events to the ends that they have when the query is planned."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from eventlog.events import batches
from spark_jobs.data_source.access import Access
from spark_jobs.data_source.archive_reader import ArchiveReader
from spark_jobs.data_source.columns import EventColumns, columns_of
from spark_jobs.data_source.log_range import RangePartition, partitions_of
from spark_jobs.data_source.log_reader import open_reader
from spark_jobs.data_source.options import SourceOptions
from spark_jobs.data_source.selection import Selection

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import Filter

BATCH_EVENTS: Final = 20_000
BATCH_BYTES: Final = 64 << 20
"""The most events, and bytes of keys and values, in an Arrow batch that is made of events."""


class BatchReader(DataSourceReader):
    """Plans ranges of logs, applies the filters it can, and reads the ranges in the executors."""

    def __init__(self, options: SourceOptions, access: Access, schema: StructType) -> None:
        self._options = options
        self._access = access
        self._columns = columns_of(schema)
        self._selection = Selection()

    def pushFilters(self, filters: "list[Filter]") -> "Iterator[Filter]":  # noqa: N802 (Spark calls it)
        """Keep the filters on stream, incarnation and offset; the others are left to Spark."""
        for one in filters:
            column, value = ".".join(getattr(one, "attribute", ())), getattr(one, "value", None)
            selection = self._selection.with_filter(column, type(one).__name__, value)
            if selection is None:
                yield one
            else:
                self._selection = selection

    def partitions(self) -> Sequence[InputPartition]:
        """The ranges that pass the filters; one empty partition if there are none."""
        with closing(open_reader(self._options.origin, self._access)) as reader:
            ranges = self._selection.apply(reader.logs(self._options))
        return partitions_of(ranges, self._options.offsets_per_partition) or [RangePartition(())]

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """The rows of one partition."""
        return read_ranges(partition, self._options, self._access, self._columns)


def read_ranges(
    partition: InputPartition, options: SourceOptions, access: Access, columns: Sequence[str]
) -> "Iterator[pa.RecordBatch]":
    """The events of a partition's ranges as Arrow batches with these columns."""
    if not isinstance(partition, RangePartition):
        raise TypeError(f"{type(partition).__name__} is not a partition of coordinator_stream")
    if not partition.ranges:
        return
    with closing(open_reader(options.origin, access)) as reader:
        for wanted in partition.ranges:
            rows = EventColumns(columns, wanted.log, access.secrets)
            if isinstance(reader, ArchiveReader) and rows.are_stored:
                yield from map(rows.stored_batch, reader.read_stored(wanted))
            else:
                yield from map(rows.batch, batches(reader.read(wanted), BATCH_EVENTS, BATCH_BYTES))
