"""What a user could write in an afternoon: a Kafka consumer that keeps the current checkpoints in a table.

The peers read the topic with kafka-python, parse the values with `json`, and commit every 500 records together with the
next offset. They keep one row for each task and input partition: no archive, no history, no other messages. coordstream
follows the same topic and keeps everything. The library `eventsourcing` reads a log of its own in Postgres instead.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import psycopg
from kafka import KafkaConsumer, TopicPartition
from sqlalchemy import BigInteger, Engine, Text, create_engine
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from benchmarks.catch_up import catch_up, write_topic
from benchmarks.eventsourcing_peer import SET_CHECKPOINT, project_checkpoints
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.server import BenchmarkServer
from eventlog.events import RecordedEvent
from tests.fixtures.kafka_topics import Topics

COMMIT_EVERY: Final = 500
CORE_EVENTS: Final = 30_000
ORM_EVENTS: Final = 2_000
EVENTSOURCING_EVENTS: Final = 2_000
_PATIENCE_MS: Final = 10_000

Record = Any  # kafka-python has no types
Write = Callable[[Engine, Sequence[Record]], None]


class PeerRate(NamedTuple):
    """The events of a topic that a program has read, and its seconds."""

    events: int
    seconds: float

    @property
    def rate(self) -> float:
        """Events per second."""
        return self.events / self.seconds


class PeerRound(NamedTuple):
    """One round: coordstream, SQLAlchemy Core, SQLAlchemy's ORM and `eventsourcing`, one after the other."""

    coordstream: PeerRate
    core: PeerRate
    orm: PeerRate
    eventsourcing: PeerRate


class _Table(DeclarativeBase):
    pass


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


def measure_peers(
    server: BenchmarkServer, topics: Topics, events: Iterator[RecordedEvent], rounds: int
) -> list[PeerRound]:
    """Append events of the oldest kind of job to a topic, and read it with each program, in turns.

    They are not kept: the garbage collector would scan them while the peers run in this process.
    """
    first = list(islice(events, EVENTSOURCING_EVENTS))
    count = write_topic(topics, OLDEST_COORDINATOR, chain(first, events))
    brokers = topics.bootstrap_servers
    measured = []
    for _ in range(rounds):
        caught_up, _rows = catch_up(server, brokers, {OLDEST_COORDINATOR: count})
        core = _peer(server, brokers, min(CORE_EVENTS, count), _write_core)
        orm = _peer(server, brokers, min(ORM_EVENTS, count), _write_orm)
        library = _eventsourcing(server, first)
        measured.append(PeerRound(PeerRate(count, caught_up.seconds), core, orm, library))
    topics.delete_made()
    return measured


def _eventsourcing(server: BenchmarkServer, events: Sequence[RecordedEvent]) -> PeerRate:
    with server.database("peer", migrated=False) as url:
        return PeerRate(*project_checkpoints(url, events))


def _peer(server: BenchmarkServer, brokers: str, count: int, write: Write) -> PeerRate:
    with server.database("peer", migrated=False) as url:
        engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
        try:
            _Table.metadata.create_all(engine)
            started = time.perf_counter()
            records = _records(brokers, OLDEST_COORDINATOR)
            for read in range(0, count, COMMIT_EVERY):
                write(engine, list(islice(records, min(COMMIT_EVERY, count - read))))
            seconds = time.perf_counter() - started
            records.close()
            return PeerRate(count, seconds)
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


def _write_core(engine: Engine, records: Sequence[Record]) -> None:
    rows = {(row["task_name"], row["partition"]): row for row in _rows(records)}
    with engine.begin() as connection:
        if rows:
            upsert = insert(_Checkpoint)
            changed = {name: upsert.excluded[name] for name in ("input_offset", "log_offset")}
            keys = [_Checkpoint.task_name, _Checkpoint.partition]
            connection.execute(upsert.on_conflict_do_update(index_elements=keys, set_=changed), list(rows.values()))
        progress = insert(_Progress).values(topic=OLDEST_COORDINATOR, next_offset=records[-1].offset + 1)
        moved = {"next_offset": progress.excluded.next_offset}
        connection.execute(progress.on_conflict_do_update(index_elements=[_Progress.topic], set_=moved))


def _write_orm(engine: Engine, records: Sequence[Record]) -> None:
    with Session(engine) as session:
        for row in _rows(records):
            session.merge(_Checkpoint(**row))
        session.merge(_Progress(topic=OLDEST_COORDINATOR, next_offset=records[-1].offset + 1))
        session.commit()


def _rows(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    for record in records:
        _version, message_type, task_name = json.loads(record.key)
        if message_type != SET_CHECKPOINT or record.value is None:
            continue
        for partition, input_offset in json.loads(record.value)["values"].items():
            yield {
                "task_name": task_name,
                "partition": partition,
                "input_offset": input_offset,
                "log_offset": record.offset,
            }
