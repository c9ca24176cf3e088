"""Reads ranges of Kafka's topics as a DataFrame: with Spark's connector if the session has it, or else in Python."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from eventlog.events import RecordedEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from spark_jobs.data_source.log_range import share_offsets
from spark_jobs.session import count_cores
from spark_jobs.timestamps import spark_micros

_ARROW: Final = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("timestampType", pa.int32()),
    ]
)
SCHEMA: Final = from_arrow_schema(_ARROW)
"""The columns of a batch, those of Spark's Kafka connector."""

_NO_CONNECTOR: Final = "Failed to find data source: kafka"
TASKS_PER_CORE: Final = 2
_EVENTS_A_BATCH: Final = 10_000

Ranges = Mapping[SystemStreamPartition, range]


class Piece(NamedTuple):
    """Offsets of a partition that one task reads."""

    topic: str
    partition: int
    first: int
    until: int


def read_ranges(spark: SparkSession, options: KafkaOptions, ranges: Ranges) -> DataFrame:
    """The records of some partitions of one cluster, in the columns `SCHEMA`. Topics may lack offsets."""
    if not options.client_options:  # the connector has other names for the options of security
        try:
            return _read_by_connector(spark, options, ranges)
        except AnalysisException as error:
            if _NO_CONNECTOR not in str(error):  # Spark has no error class for it
                raise
    size = -(-sum(map(len, ranges.values())) // (count_cores(spark) * TASKS_PER_CORE))
    shares = [
        [Piece(each.stream, each.partition, part.start, part.stop) for each, part in share]
        for share in share_offsets(ranges.items(), size)
    ]
    return spark.range(0, len(shares), 1, len(shares)).mapInArrow(partial(_read_shares, options, shares), SCHEMA)


def _read_by_connector(spark: SparkSession, options: KafkaOptions, ranges: Ranges) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", options.bootstrap_servers)
    by_topic: dict[str, dict[str, range]] = {}
    for each, offsets in ranges.items():
        by_topic.setdefault(each.stream, {})[str(each.partition)] = offsets
    settings = {
        "assign": {topic: list(map(int, found)) for topic, found in by_topic.items()},
        "startingOffsets": {topic: {n: each.start for n, each in found.items()} for topic, found in by_topic.items()},
        "endingOffsets": {topic: {n: each.stop for n, each in found.items()} for topic, found in by_topic.items()},
    }
    for name, value in settings.items():
        reader = reader.option(name, json.dumps(value))
    frame = reader.option("kafka.isolation.level", "read_committed").load()
    _ = frame.schema  # Spark Connect looks for the connector now
    return frame


def _read_shares(
    options: KafkaOptions, shares: Sequence[Sequence[Piece]], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    from eventlog.kafka.ranges import RangeReader  # noqa: PLC0415 (the driver needs no Kafka client)

    with RangeReader(options) as reader:
        for number in chain.from_iterable(batch.column(0).to_pylist() for batch in batches):
            for piece in shares[number]:
                for events in reader.read_partition(*piece):
                    for first in range(0, len(events), _EVENTS_A_BATCH):
                        yield _to_arrow(piece, events[first : first + _EVENTS_A_BATCH])


def _to_arrow(piece: Piece, events: Sequence[RecordedEvent]) -> pa.RecordBatch:
    fields: dict[str, Any] = dict(zip(RecordedEvent._fields, zip(*events, strict=True), strict=True))
    columns = [
        fields["key"],
        fields["value"],
        [piece.topic] * len(events),
        [piece.partition] * len(events),
        fields["offset"],
        list(map(spark_micros, fields["timestamp"])),
        fields["timestamp_type"],
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_ARROW)
