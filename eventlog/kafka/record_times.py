"""Reads the times of single records."""

import time
from collections.abc import Mapping
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition

from eventlog.consumer_group import GroupPartition
from eventlog.kafka.client import connect, translate_errors
from eventlog.kafka.options import KafkaOptions
from eventlog.source import SourceUnavailable

SILENCE_SECONDS: Final = 10.0
"""How long brokers may return nothing."""

_POLL_MS: Final = 200
_SETTINGS: Final[dict[str, Any]] = {
    "group_id": None,
    "enable_auto_commit": False,
    "auto_offset_reset": "earliest",  # the record was deleted meanwhile
    "isolation_level": "read_uncommitted",  # as Samza's consumer
    "max_partition_fetch_bytes": 1,  # a single batch
    "metrics_enabled": False,
}


def read_record_times(
    options: KafkaOptions, ranges: Mapping[GroupPartition, range]
) -> Mapping[GroupPartition, int | None]:
    """The time (ms since 1970) of the first record in each range of offsets.

    None: the range has no record, or its first record has no time.

    Raises:
        SourceUnavailable: the brokers do not answer, or return nothing for `SILENCE_SECONDS`.
    """
    consumer = connect(KafkaConsumer, options, **_SETTINGS).client
    try:
        with translate_errors(options):
            return _read(consumer, {TopicPartition(*each): offsets for each, offsets in ranges.items()}, options.place)
    finally:
        consumer.close()


def _read(consumer: Any, ranges: Mapping[TopicPartition, range], place: str) -> Mapping[GroupPartition, int | None]:
    found: dict[GroupPartition, int | None] = {}
    consumer.assign(list(ranges))
    for partition, offsets in ranges.items():
        consumer.seek(partition, offsets.start)
    heard_at = time.monotonic()
    while len(found) < len(ranges):
        records = consumer.poll(timeout_ms=_POLL_MS)
        for partition, offsets in ranges.items():
            each = (partition.topic, partition.partition)
            if each not in found and (partition in records or consumer.position(partition) >= offsets.stop):
                found[each] = _time_of(records.get(partition, ()), offsets)
                consumer.pause(partition)
                heard_at = time.monotonic()
        if time.monotonic() - heard_at > SILENCE_SECONDS:
            raise SourceUnavailable(f"{place} returned no records for {SILENCE_SECONDS:g} s. Check its brokers.")
    return found


def _time_of(records: Any, offsets: range) -> int | None:
    first = next(iter(records), None)
    return None if first is None or first.offset >= offsets.stop or first.timestamp < 0 else int(first.timestamp)
