"""The lag of a job of 8 tasks while it runs, against a count by a plain consumer of kafka-python."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from kafka import KafkaConsumer, TopicPartition

from tests.acceptance.torture import scaled
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka_topics import Topics

pytestmark = [pytest.mark.torture, pytest.mark.kafka]

MOMENTS: Final = scaled(5, 100)
TASKS: Final = range(8)
BUSY_TASKS: Final = 5
PAUSE_SECONDS: Final = 0.01


class LiveJob(RewindableJob):
    """A job whose inputs are written, and whose tasks commit what they processed. Only the ``busy`` tasks do so."""

    def __init__(self, topics: Topics, name: str, random: Random) -> None:
        super().__init__(topics, name, partitions=len(TASKS))
        self.busy = list(TASKS)
        self._random = random
        self._ends = [0] * len(TASKS)
        self._committed = [0] * len(TASKS)
        for task in TASKS:
            self._write_input(task)
            self.commit(task, 0)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Write inputs and checkpoints in a thread during the block."""
        stopped = threading.Event()

        def run() -> None:
            while not stopped.wait(PAUSE_SECONDS):
                self._write_input(self._random.choice(self.busy))
                self._process(self._random.choice(self.busy))

        with ThreadPoolExecutor(1) as threads:
            ran = threads.submit(run)
            try:
                yield
            finally:
                stopped.set()
            ran.result()

    def _write_input(self, task: int) -> None:
        records = self._random.randint(1, 20)
        self.produce(task, records)
        self._ends[task] += records

    def _process(self, task: int) -> None:
        """Process some of the records that wait for a task, or, once in five times, all of them."""
        committed, last = self._committed[task], self._ends[task] - 1
        committed = last if self._random.random() < 0.2 else self._random.randint(committed, last)
        self.commit(task, committed)
        self._committed[task] = committed


class Positions(NamedTuple):
    """The last processed offset and the end offset of each partition."""

    checkpoints: dict[int, int]
    ends: dict[int, int]


class Reader:
    """Reads a job's topics with kafka-python."""

    def __init__(self, job: RewindableJob, consumer: Any) -> None:
        self._consumer = consumer
        self._log = TopicPartition(job.checkpoints, 0)
        self._inputs = [TopicPartition(job.input, task) for task in TASKS]
        self._log_position = 0
        self._checkpoints: dict[int, int] = {}

    def positions(self) -> Positions:
        """The checkpoints and the ends at about this time."""
        end = self._consumer.end_offsets([self._log])[self._log]
        for record in self._read(self._log, self._log_position, end):
            for committed in json.loads(record.value).values():
                self._checkpoints[int(committed["partition"])] = int(committed["offset"])
        self._log_position = end
        ends = self._consumer.end_offsets(self._inputs)
        return Positions(dict(self._checkpoints), {one.partition: end for one, end in ends.items()})

    def offsets(self, task: int, first: int, end: int) -> list[int]:
        """The offsets of a task's input from ``first`` to before ``end``, by reading its records."""
        return [record.offset for record in self._read(self._inputs[task], first, end)]

    def _read(self, partition: TopicPartition, first: int, end: int) -> list[Any]:
        self._consumer.assign([partition])
        self._consumer.seek(partition, first)
        records: list[Any] = []
        while self._consumer.position(partition) < end:
            records += self._consumer.poll(timeout_ms=100).get(partition, [])
        return [record for record in records if record.offset < end]


@pytest.fixture
def job(topics: Topics, job_name: str) -> LiveJob:
    return LiveJob(topics, job_name, Random(19))


@pytest.fixture
def reader(job: LiveJob) -> Iterator[Reader]:
    consumer = KafkaConsumer(bootstrap_servers=job.topics.bootstrap_servers, group_id=None, fetch_max_wait_ms=20)
    yield Reader(job, consumer)
    consumer.close()


def lags(cli: CommandLine, job: LiveJob, *, observes_first: bool) -> dict[int, int]:
    """The lag of each task. ``observes_first``: checkpoints are read after the ends, and may be beyond them."""
    if observes_first:
        cli.rows("lag", job.name)
    job.follow(cli)
    rows = cli.rows("lag", job.name, *(["--stored"] if observes_first else []))
    return {row["partition_id"]: row["records_behind"] for row in rows}


def test_the_lag_is_what_a_consumer_counts(kafka_cli: CommandLine, job: LiveJob, reader: Reader) -> None:
    random, exact, behind = Random(20), 0, 0
    job.follow(kafka_cli)
    with job.running():
        for _ in range(MOMENTS):
            job.busy = random.sample(TASKS, BUSY_TASKS)
            before = reader.positions()
            shown = lags(kafka_cli, job, observes_first=random.random() < 0.5)
            after = reader.positions()
            assert shown.keys() == set(TASKS)
            for task, lag in shown.items():
                offsets = reader.offsets(task, before.checkpoints[task] + 1, after.ends[task])
                least = sum(after.checkpoints[task] < offset < before.ends[task] for offset in offsets)
                assert least <= lag <= len(offsets), f"task {task}, {before}, {after}"
                exact += least == len(offsets)
                behind += lag > 0
    print(f"{MOMENTS} moments: {exact} of {MOMENTS * len(TASKS)} lags did not move, {behind} were not 0")
    assert MOMENTS <= exact < MOMENTS * len(TASKS), "some are compared exactly, and some while they move"
    assert behind
