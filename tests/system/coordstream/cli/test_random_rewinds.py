"""Random rewinds of a job whose input has holes: the bounds against an independent reader, and what a start does."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

import pytest
from kafka import KafkaConsumer, TopicPartition

from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.streams import identify
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka_topics import COMPACTED_SOON, Topics

pytestmark = [pytest.mark.torture, pytest.mark.kafka]

REWINDS: Final = scaled(4, 200)
NOT_COMPACTED: Final = {"min.compaction.lag.ms": "3600000", "max.compaction.lag.ms": "9223372036854775807"}
FIRST_MS: Final = 1_000_000_000_000

Records = Mapping[int, Sequence[tuple[int, int]]]
"""The offsets and times of the records of each partition."""


@pytest.fixture(scope="module")
def random() -> Random:
    return Random(19)


@pytest.fixture
def job(kafka_cli: CommandLine, topics: Topics, job_name: str) -> RewindableJob:
    """A job in its second run. Partition 0 has holes from compaction and transactions, partition 2 was added."""
    made = RewindableJob(topics, job_name, settings=COMPACTED_SOON)
    topics.write(made.input, [keyed(n % 40, n) for n in range(120)])
    topics.write_transaction(made.input, [keyed(n, n) for n in range(120, 140)])
    topics.write_transaction(made.input, [keyed(n, n) for n in range(140, 150)], commit=False)
    topics.compact(made.input)
    topics.change(made.input, NOT_COMPACTED)
    topics.write(made.input, [keyed(n, n) for n in range(150, 200)])
    topics.write(made.input, [keyed(n, n) for n in range(80)], partition=1)
    topics.grow(made.input, 3)
    made.assign([2])
    topics.write(made.input, [keyed(n, n) for n in range(60)], partition=2)
    made.begin_run(1, FIRST_MS)
    for partition, processed in enumerate((170, 30, 20)):
        made.commit(partition, processed, time=FIRST_MS + 1_000_000)
    made.begin_run(2, FIRST_MS + 2_000_000)
    made.follow(kafka_cli)
    return made


def keyed(key: int, second: int) -> NewEvent:
    return NewEvent(str(key).encode(), b"value", FIRST_MS + 1000 * second)


def test_a_plan_bounds_what_is_read_again_and_a_start_begins_there(
    kafka_cli: CommandLine, job: RewindableJob, random: Random
) -> None:
    records, ends = read_all(job)
    assert len(records[0]) < ends[0] - records[0][0][0], "there are holes"
    applied = 0
    for number in range(REWINDS):
        for partition, there in records.items():
            job.commit(partition, random.randint(there[0][0] - 1, ends[partition] - 1), time=FIRST_MS)
        before = offsets(job)
        plan, undo = f"plan-{number}.json", f"plan-{number}.undo.json"
        planned = kafka_cli("rewind", "plan", job.name, *target(random), *selection(random, job), "-o", plan, "--json")
        if "Nothing to rewind" in planned.err:
            continue
        assert planned.code == 0, planned.err
        moves = planned.json
        for move in moves:
            check_bounds(move, before, records[move["partition_id"]])
        assert kafka_cli("rewind", "apply", plan, "--yes").code == 0
        applied += 1
        moved = {move["partition_id"]: move["to_offset"] for move in moves}
        assert started(job) == {**before, **moved}
        finished = kafka_cli("rewind", "undo", undo, "--yes", "--force")
        assert (finished.code, finished.err) == (0, "")
        assert offsets(job) == before
        forget_startpoints(job)
    assert applied > 0


def target(random: Random) -> tuple[str, ...]:
    time = datetime.fromtimestamp(FIRST_MS / 1000 + random.randint(-10, 210), UTC)
    return random.choice(
        [
            ("--to-earliest",),
            ("--to-latest",),
            ("--to-offset", str(random.randint(0, 60))),
            ("--shift-by", str(random.randint(-150, 150))),
            ("--to-datetime", time.isoformat()),
            ("--to-deployment", "2"),
        ]
    )


def selection(random: Random, job: RewindableJob) -> tuple[str, ...]:
    partition = random.randrange(3)
    return random.choice([(), ("--task", f"Partition {partition}"), ("--input", f"kafka.{job.input}.{partition}")])


def check_bounds(move: Mapping[str, Any], before: Mapping[int, int], records: Sequence[tuple[int, int]]) -> None:
    start, to = before[move["partition_id"]], move["to_offset"]
    assert move["from_offset"] == start
    affected, other = ("records_again", "records_skipped") if to <= start else ("records_skipped", "records_again")
    between = sum(min(start, to) <= offset < max(start, to) for offset, _ in records)
    assert between <= move[affected] <= abs(start - to)
    assert move[other] == 0


def read_all(job: RewindableJob) -> tuple[Records, dict[int, int]]:
    """All records, as kafka-python's own consumer reads them, and the ends of the partitions."""
    consumer = KafkaConsumer(bootstrap_servers=job.topics.bootstrap_servers, group_id=None)
    try:
        partitions = [TopicPartition(job.input, number) for number in range(3)]
        consumer.assign(partitions)
        consumer.seek_to_beginning(*partitions)
        ends = consumer.end_offsets(partitions)
        found: dict[int, list[tuple[int, int]]] = {number: [] for number in range(3)}
        while any(consumer.position(each) < ends[each] for each in partitions):
            for each, polled in consumer.poll(timeout_ms=500).items():
                found[each.partition] += [(record.offset, record.timestamp) for record in polled]
    finally:
        consumer.close()
    return found, {each.partition: end for each, end in ends.items()}


def offsets(job: RewindableJob) -> dict[int, int]:
    return {partition: int(offset or "-1") for partition, (_, offset) in job.starts().items()}


def forget_startpoints(job: RewindableJob) -> None:
    with job.startpoints() as (manager, _):
        manager.delete_all_startpoints()
        manager.remove_all_fan_outs()


def started(job: RewindableJob) -> dict[int, int]:
    """Where a job begins that the library starts, after the fan-out of its coordinator."""
    job.start()
    options = KafkaOptions(job.topics.bootstrap_servers)
    with (
        job.startpoints() as (manager, facts),
        KafkaEventLog(options, identify(job.checkpoints)) as log,
        KafkaSystemAdmin(options) as admin,
    ):
        config, reads = facts.job.config, facts.reads()
        checkpoints = KafkaCheckpointManager(log, config=config)
        tasks = OffsetManager(
            config, system_admins={"kafka": admin}, checkpoint_manager=checkpoints, startpoint_manager=manager
        )
        for task_name, partitions in reads.items():
            tasks.register(task_name, partitions)
        with tasks:
            return {
                each.partition: int(tasks.get_starting_offset(task_name, each) or "-1")
                for task_name, partitions in reads.items()
                for each in partitions
            }
