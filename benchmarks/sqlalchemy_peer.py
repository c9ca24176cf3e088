"""A Kafka consumer that keeps checkpoints in tables, as a user could write it in an afternoon with SQLAlchemy Core.

It reads the topic with kafka-python, parses the values with `json`, and commits every 500 records together with the
next offset. It keeps each record, each checkpoint with its offsets as JSON, and the current offset of each task and
input partition: a row for a row of coordstream, but no other messages, authors or layouts.
"""

import json
import time
from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import psycopg
from kafka import KafkaConsumer, TopicPartition
from sqlalchemy import Engine, column, create_engine, table, text
from sqlalchemy.dialects.postgresql import JSONB, insert

COMMIT_EVERY: Final = 500
_PATIENCE_MS: Final = 10_000

_CREATE: Final = """
create table event (log_offset bigint primary key, record_time bigint, key bytea, value bytea);
create table checkpoint_event (log_offset bigint primary key, task_name text, offsets jsonb);
create table checkpoint (
    task_name text, partition text, input_offset text, log_offset bigint, primary key (task_name, partition)
);
create table progress (topic text primary key, next_offset bigint)
"""
_EVENT: Final = table("event", *map(column, ("log_offset", "record_time", "key", "value")))
_CHECKPOINT_EVENT: Final = table(
    "checkpoint_event", column("log_offset"), column("task_name"), column("offsets", JSONB)
)
_CHECKPOINT: Final = table("checkpoint", *map(column, ("task_name", "partition", "input_offset", "log_offset")))
_PROGRESS: Final = table("progress", *map(column, ("topic", "next_offset")))

Record = Any  # kafka-python has no types
Row = dict[str, Any]


def consume(url: str, brokers: str, topic: str, count: int) -> float:
    """Read the first events of a topic into an empty database, and return the seconds."""
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
    try:
        with engine.begin() as connection:
            connection.execute(text(_CREATE))
        started = time.perf_counter()
        records = _records(brokers, topic)
        for read in range(0, count, COMMIT_EVERY):
            _write(engine, list(islice(records, min(COMMIT_EVERY, count - read))))
        seconds = time.perf_counter() - started
        records.close()
        return seconds
    finally:
        engine.dispose()


def _records(brokers: str, topic: str) -> Generator[Record]:
    consumer = KafkaConsumer(
        bootstrap_servers=brokers, group_id=None, auto_offset_reset="earliest", consumer_timeout_ms=_PATIENCE_MS
    )
    try:
        consumer.assign([TopicPartition(topic, 0)])
        yield from consumer
    finally:
        consumer.close()


def _write(engine: Engine, records: Sequence[Record]) -> None:
    """Insert lists of rows, and upsert the last offsets."""
    checkpoints = list(_checkpoints(records))
    last = {(row["task_name"], row["partition"]): row for each in checkpoints for row in _current(each)}
    with engine.begin() as connection:
        connection.execute(insert(_EVENT), [_event(record) for record in records])
        if checkpoints:
            connection.execute(insert(_CHECKPOINT_EVENT), checkpoints)
            upsert = insert(_CHECKPOINT)
            changed = {name: upsert.excluded[name] for name in ("input_offset", "log_offset")}
            keys = [_CHECKPOINT.c.task_name, _CHECKPOINT.c.partition]
            connection.execute(upsert.on_conflict_do_update(index_elements=keys, set_=changed), list(last.values()))
        progress = insert(_PROGRESS).values(topic=records[-1].topic, next_offset=records[-1].offset + 1)
        moved = {"next_offset": progress.excluded.next_offset}
        connection.execute(progress.on_conflict_do_update(index_elements=[_PROGRESS.c.topic], set_=moved))


def _checkpoints(records: Sequence[Record]) -> Iterator[Row]:
    for record in records:
        _version, message_type, task_name = json.loads(record.key)
        if message_type == "set-checkpoint" and record.value is not None:
            offsets = json.loads(record.value)["values"]
            yield {"log_offset": record.offset, "task_name": task_name, "offsets": offsets}


def _current(checkpoint: Row) -> Iterator[Row]:
    for partition, input_offset in checkpoint["offsets"].items():
        named = {"task_name": checkpoint["task_name"], "partition": partition}
        yield {**named, "input_offset": input_offset, "log_offset": checkpoint["log_offset"]}


def _event(record: Record) -> Row:
    return {"log_offset": record.offset, "record_time": record.timestamp, "key": record.key, "value": record.value}
