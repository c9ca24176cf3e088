"""Kafka consumers that keep checkpoints in tables, as a user could write them in an afternoon with SQLAlchemy.

They read the topic with kafka-python, parse the values with `json`, and commit every 500 records together with the next
offset. They keep one row for each task and input partition. Those that keep a history also insert each record, and each
checkpoint with its offsets as JSON: a row for a row of coordstream, but no other messages, authors or layouts.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import psycopg
from kafka import KafkaConsumer, TopicPartition
from sqlalchemy import BigInteger, Engine, Text, create_engine
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from benchmarks.eventsourcing_peer import SET_CHECKPOINT

COMMIT_EVERY: Final = 500
_PATIENCE_MS: Final = 10_000

Record = Any  # kafka-python has no types
Write = Callable[[Engine, Sequence[Record], bool], None]
"""Writes records of the topic in one transaction; True: with their history."""


class _Table(DeclarativeBase):
    pass


class _Event(_Table):
    __tablename__ = "event"

    log_offset: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    record_time: Mapped[int] = mapped_column(BigInteger)
    key: Mapped[bytes]
    value: Mapped[bytes | None]


class _CheckpointEvent(_Table):
    __tablename__ = "checkpoint_event"

    log_offset: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    task_name: Mapped[str] = mapped_column(Text)
    offsets: Mapped[dict[str, str]] = mapped_column(JSONB)


class _Checkpoint(_Table):
    __tablename__ = "checkpoint"

    task_name: Mapped[str] = mapped_column(Text, primary_key=True)
    partition: Mapped[str] = mapped_column(Text, primary_key=True)
    input_offset: Mapped[str] = mapped_column(Text)
    log_offset: Mapped[int] = mapped_column(BigInteger)


class _Progress(_Table):
    __tablename__ = "progress"

    topic: Mapped[str] = mapped_column(Text, primary_key=True)
    next_offset: Mapped[int] = mapped_column(BigInteger)


class _Read(NamedTuple):
    """A checkpoint of the topic: the offsets of a task by input partition."""

    log_offset: int
    task_name: str
    offsets: dict[str, str]


def consume(url: str, brokers: str, topic: str, count: int, write: Write, *, keeps_history: bool) -> float:
    """Read the first events of a topic into an empty database, and return the seconds."""
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
    try:
        _Table.metadata.create_all(engine)
        started = time.perf_counter()
        records = _records(brokers, topic)
        for read in range(0, count, COMMIT_EVERY):
            write(engine, list(islice(records, min(COMMIT_EVERY, count - read))), keeps_history)
        seconds = time.perf_counter() - started
        records.close()
        return seconds
    finally:
        engine.dispose()


def write_core(engine: Engine, records: Sequence[Record], keeps_history: bool) -> None:
    """Write records with SQLAlchemy Core: lists of rows, and an upsert of the last offsets."""
    checkpoints = list(_checkpoints(records))
    rows = {(row["task_name"], row["partition"]): row for each in checkpoints for row in _rows(each)}
    with engine.begin() as connection:
        if keeps_history:
            connection.execute(insert(_Event), [_event(record) for record in records])
            if checkpoints:
                connection.execute(insert(_CheckpointEvent), [each._asdict() for each in checkpoints])
        if rows:
            upsert = insert(_Checkpoint)
            changed = {name: upsert.excluded[name] for name in ("input_offset", "log_offset")}
            keys = [_Checkpoint.task_name, _Checkpoint.partition]
            connection.execute(upsert.on_conflict_do_update(index_elements=keys, set_=changed), list(rows.values()))
        progress = insert(_Progress).values(topic=records[-1].topic, next_offset=records[-1].offset + 1)
        moved = {"next_offset": progress.excluded.next_offset}
        connection.execute(progress.on_conflict_do_update(index_elements=[_Progress.topic], set_=moved))


def write_orm(engine: Engine, records: Sequence[Record], keeps_history: bool) -> None:
    """Write records with the ORM: new objects, and a merge of each offset."""
    checkpoints = list(_checkpoints(records))
    with Session(engine) as session:
        if keeps_history:
            session.add_all(_Event(**_event(record)) for record in records)
            session.add_all(_CheckpointEvent(**each._asdict()) for each in checkpoints)
        for each in checkpoints:
            for row in _rows(each):
                session.merge(_Checkpoint(**row))
        session.merge(_Progress(topic=records[-1].topic, next_offset=records[-1].offset + 1))
        session.commit()


def _records(brokers: str, topic: str) -> Generator[Record]:
    consumer = KafkaConsumer(
        bootstrap_servers=brokers, group_id=None, auto_offset_reset="earliest", consumer_timeout_ms=_PATIENCE_MS
    )
    try:
        consumer.assign([TopicPartition(topic, 0)])
        yield from consumer
    finally:
        consumer.close()


def _checkpoints(records: Sequence[Record]) -> Iterator[_Read]:
    for record in records:
        _version, message_type, task_name = json.loads(record.key)
        if message_type == SET_CHECKPOINT and record.value is not None:
            yield _Read(record.offset, task_name, json.loads(record.value)["values"])


def _rows(checkpoint: _Read) -> Iterator[dict[str, Any]]:
    for partition, input_offset in checkpoint.offsets.items():
        yield {
            "task_name": checkpoint.task_name,
            "partition": partition,
            "input_offset": input_offset,
            "log_offset": checkpoint.log_offset,
        }


def _event(record: Record) -> dict[str, Any]:
    return {"log_offset": record.offset, "record_time": record.timestamp, "key": record.key, "value": record.value}
