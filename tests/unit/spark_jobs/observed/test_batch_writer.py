"""What batches write, on logs in memory, and the queue in which they wait."""

import logging
from threading import Thread

import pytest

from eventlog.checkpoint import Offsets
from eventlog.log import EventLog, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific
from eventlog.timestamps import ms_of
from eventlog.wire.checkpoint_topic import decode_v1
from managers.steered.job_record import JobRecord
from spark_jobs.observed.batch_thread import BatchQueue, BatchWriter
from spark_jobs.observed.progress import CommittedBatch, Positions, SourceRange
from tests.fixtures.managers.log_makers import LogMaker

FIRST, SECOND = (SystemStreamPartition("kafka", "clicks", number) for number in range(2))
TASK = "clicks-0"
NOW = ms_of(system_clock())


class Job:
    """An observed job, whose program may start again."""

    def __init__(self, coordinator: EventLog, checkpoint: EventLog) -> None:
        self.coordinator, self.checkpoint = coordinator, checkpoint
        self.restart()

    def restart(self) -> None:
        self.record = JobRecord("counts", "1", coordinator=self.coordinator, checkpoint=self.checkpoint, source="us")
        self.record.start()
        self.writer = BatchWriter(self.record, "clicks", {"spark.version": "4.2.0"})

    def write(self, number: int, start: Positions | None, end: Positions, run: str = "1") -> None:
        self.writer.write(CommittedBatch("q", run, number, "sink", (SourceRange(0, start, end),)))

    def written(self) -> list[Offsets]:
        """The offsets of every checkpoint on the log."""
        return [decode_v1(event.value or b"").offsets for event in self.checkpoint.read()]

    def request(self, startpoint: Startpoint) -> None:
        """Request a startpoint of the first partition, and fan it out as `starting_offsets` does."""
        self.record.startpoints.write_startpoint(FIRST, startpoint)
        self.record.startpoints.fan_out(self.record.tasks)

    def has_startpoint(self) -> bool:
        return bool(self.record.startpoints.get_fan_out_for_task(TASK))


@pytest.fixture
def job(logs: LogMaker) -> Job:
    return Job(logs.create(), logs.create("checkpoint"))


def test_each_batch_writes_a_checkpoint_unless_it_read_nothing(job: Job) -> None:
    job.write(0, None, {FIRST: 5, SECOND: 0})
    job.write(1, {FIRST: 5, SECOND: 0}, {FIRST: 5, SECOND: 0})
    job.write(2, {FIRST: 5, SECOND: 0}, {FIRST: 5, SECOND: 2})
    assert job.written() == [{FIRST: "4", SECOND: "-1"}, {FIRST: "4", SECOND: "1"}]
    assert job.record.tasks == {TASK: {FIRST, SECOND}}
    assert job.record.config["task.inputs"] == "kafka.clicks"


def test_a_batch_that_comes_late_moves_nothing_back(job: Job) -> None:
    job.write(1, {FIRST: 5}, {FIRST: 7})
    job.write(0, None, {FIRST: 5})
    assert job.written()[-1] == {FIRST: "6"}


def test_a_new_partition_is_assigned(job: Job) -> None:
    job.write(0, None, {FIRST: 5})
    job.write(1, {FIRST: 5}, {FIRST: 5, SECOND: 1})
    assert job.record.tasks == {TASK: {FIRST, SECOND}}


def test_each_source_has_a_task(job: Job) -> None:
    sources = SourceRange(0, None, {FIRST: 5}), SourceRange(2, None, {FIRST: 7, SECOND: 1})
    job.writer.write(CommittedBatch("q", "1", 0, "sink", sources))
    assert job.record.tasks == {TASK: {FIRST}, "clicks-2": {FIRST, SECOND}}
    assert job.written() == [{FIRST: "4"}, {FIRST: "6", SECOND: "0"}]


def test_a_run_first_writes_what_the_one_before_could_not(job: Job) -> None:
    job.write(0, None, {FIRST: 5})
    job.restart()
    job.write(2, {FIRST: 7}, {FIRST: 9}, run="2")
    assert job.written() == [{FIRST: "4"}, {FIRST: "6"}, {FIRST: "8"}]


def test_a_run_in_an_older_folder_writes_only_what_it_has_read(job: Job) -> None:
    job.write(1, None, {FIRST: 7})
    job.restart()
    job.write(1, {FIRST: 2}, {FIRST: 4}, run="2")
    assert job.written() == [{FIRST: "6"}, {FIRST: "3"}]


@pytest.mark.parametrize(
    ("startpoint", "start", "is_followed"),
    [
        (StartpointOldest(NOW), None, True),  # the first batch of a folder
        (StartpointSpecific("3", NOW), {FIRST: 3}, True),  # of an edited folder
        (StartpointSpecific("3", NOW), {FIRST: 6}, True),  # the first batch was committed, and its program killed
        (StartpointSpecific("3", NOW), {FIRST: 10}, False),  # the folder goes on
        (StartpointSpecific("20", NOW), {FIRST: 10}, False),
        (StartpointOldest(NOW), {FIRST: 10}, False),
    ],
)
def test_a_startpoint_is_consumed_by_the_batch_that_followed_it(
    job: Job, caplog: pytest.LogCaptureFixture, startpoint: Startpoint, start: Positions | None, is_followed: bool
) -> None:
    job.write(0, None, {FIRST: 10})
    job.request(startpoint)
    job.restart()
    job.write(1, start, {FIRST: 11}, run="2")
    job.write(2, {FIRST: 11}, {FIRST: 12}, run="2")
    assert job.has_startpoint() is not is_followed
    warnings = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == (0 if is_followed else 1)


def batch(number: int) -> CommittedBatch:
    start = {FIRST: number} if number else None
    return CommittedBatch("q", "r", number, "sink", (SourceRange(0, start, {FIRST: number + 1}),))


def test_a_batch_stays_until_it_is_done() -> None:
    queue = BatchQueue()
    queue.put(batch(0))
    queue.put(batch(1))
    first = queue.next()
    assert first is not None
    assert first is queue.next()
    queue.done(first)
    queue.done(first)
    assert queue.next() == batch(1)


def test_the_oldest_batches_are_joined() -> None:
    queue = BatchQueue(most=2)
    for number in range(5):
        queue.put(batch(number))
    joined, last = queue.next(), batch(4)
    assert joined is not None
    assert (joined.batch_id, joined.sources) == (3, (SourceRange(0, None, {FIRST: 4}),))
    queue.done(joined)
    assert queue.next() == last


def test_a_batch_that_was_joined_meanwhile_is_written_again() -> None:
    queue = BatchQueue(most=1)
    queue.put(batch(0))
    taken = queue.next()
    assert taken is not None
    queue.put(batch(1))
    queue.done(taken)
    assert queue.next() is not None


def test_a_closed_queue_gives_what_is_left_and_ends_a_wait() -> None:
    queue = BatchQueue()
    found: list[CommittedBatch | None] = []
    waiting = Thread(target=lambda: found.append(queue.next()))
    waiting.start()
    queue.close()
    waiting.join()
    queue.pause(1e9)
    assert found == [None]
    queue.put(batch(0))
    assert queue.next() == batch(0)
