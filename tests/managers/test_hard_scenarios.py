"""What went wrong in Samza's history around logs, stores and checkpoints, a test a case, named by its id."""

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event
from typing import TYPE_CHECKING, Any, Final

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog
from eventlog.memory import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.postgres import PostgresEventLog
from eventlog.source import SourceUnavailable, StreamRefused
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.checkpoint_file import parse_offsets
from managers.checkpoint_manager import CheckpointManager
from managers.checkpoint_tool import CheckpointTool
from managers.coordinator_consumer import CoordinatorStreamConsumer
from managers.coordinator_store import CoordinatorStreamStore
from managers.job_config import read_config
from managers.job_facts import JobFacts
from managers.kafka_checkpoint_manager import GROUPER_FACTORY, STOP_AFTER_FIRST_READ, VALIDATION, KafkaCheckpointManager
from managers.namespaced_key import NamespacedKey
from tests.builders import checkpoint_v1, checkpoint_v2, config_set, set_checkpoint
from tests.contracts.event_log import clock
from tests.managers.log_makers import LogMaker
from tests.managers.watched_log import Opened, WatchedLog

if TYPE_CHECKING:  # a run without a broker does not wait for it
    from eventlog.kafka.options import KafkaOptions
    from tests.fixtures.kafka_topics import Topics

IN: Final = SystemStreamPartition("kafka", "in", 0)
READ: Final = "task.checkpoint.read.versions"
MINUTE: Final = 60_000
FIRST_MS: Final = 1_700_000_000_000


def memory(name: str) -> MemoryEventLog:
    return MemoryEventLog(identify(name), clock=clock)


@pytest.fixture
def coordinator() -> MemoryEventLog:
    """An empty coordinator stream in memory."""
    return memory(coordinator_stream_name("orders"))


@pytest.fixture
def topic() -> MemoryEventLog:
    """An empty checkpoint topic in memory."""
    return memory(checkpoint_stream_name("orders"))


def read_by(manager: KafkaCheckpointManager, task_name: str = "t") -> Any:
    manager.register(task_name)
    with manager:
        return manager.read_last_checkpoint(task_name)


@pytest.mark.scenario("HRD-01")
def test_messages_come_in_the_order_of_the_log(coordinator_log: EventLog) -> None:
    keys = [f"key.{number * 7919 % 1000}" for number in range(1000)]
    coordinator_log.append([config_set(key) for key in keys])
    with CoordinatorStreamConsumer(coordinator_log) as consumer:
        assert [message.key for message in consumer.get_bootstrapped_stream("set-config")] == keys


@pytest.mark.scenario("HRD-02")
def test_a_config_that_is_deployed_again_is_the_same_config(coordinator: MemoryEventLog) -> None:
    for _ in range(50):
        coordinator.append([config_set(f"key.{number}") for number in range(300)])
    with CoordinatorStreamConsumer(coordinator) as consumer:
        assert len(consumer.get_bootstrapped_stream()) == 300


@pytest.mark.scenario("HRD-03")
def test_who_registers_with_a_consumer_that_runs_rewinds_nobody(coordinator: MemoryEventLog) -> None:
    coordinator.append([config_set("a", "1")])
    log = WatchedLog(coordinator)
    consumer = CoordinatorStreamConsumer(log)
    for _ in range(2):
        consumer.register()
        consumer.start()
        consumer.bootstrap()
    coordinator.append([config_set("b", "2")])
    consumer.register()
    assert [message.key for message in consumer.get_bootstrapped_stream("set-config")] == ["a", "b"]
    assert log.reads == [(0, 1), (1, 2)]


@pytest.mark.scenario("HRD-04")
def test_a_long_history_costs_its_reading_once_and_memory_for_what_lives(coordinator: MemoryEventLog) -> None:
    tasks, commits = 100, 200
    coordinator.append([config_set("job.name", "orders")])
    for commit in range(commits):
        coordinator.append([set_checkpoint(f"t{task}", {"kafka.in.0": str(commit)}) for task in range(tasks)])
    log = WatchedLog(coordinator)
    tracemalloc.start()
    try:
        with CoordinatorStreamStore(log) as store:
            held_bytes = tracemalloc.get_traced_memory()[0]
            assert (read_config(store)["job.name"], len(store.all())) == ("orders", tasks + 1)
    finally:
        tracemalloc.stop()
    assert log.reads == [(0, tasks * commits + 1)]
    living = coordinator.read(tasks * (commits - 1) + 1)
    live_bytes = sum(len(event.key or b"") + len(event.value or b"") for event in living)
    assert held_bytes < 2 * live_bytes  # the values themselves are the log's, which is in memory


@pytest.mark.scenario("HRD-06")
def test_who_reads_while_others_write_sees_all_of_a_write_or_nothing(logs: LogMaker, coordinator_log: EventLog) -> None:
    keys = [NamespacedKey("any", name) for name in ("first", "second")]
    with (
        CoordinatorStreamStore(coordinator_log) as read,
        CoordinatorStreamStore(logs.open_again(coordinator_log)) as wrote,
    ):
        is_done = Event()

        def write() -> None:
            try:
                for number in range(50):
                    wrote.put_all(dict.fromkeys(keys, b"%d" % number))
            finally:
                is_done.set()

        def seen() -> set[int]:
            found: set[int] = set()
            while not is_done.is_set():
                found.add(len(set(read.all("any").values())))
            return found

        with ThreadPoolExecutor(3) as threads:
            readers = [threads.submit(seen) for _ in range(2)]
            threads.submit(write).result()
        assert set().union(*(reader.result() for reader in readers)) <= {0, 1}
        assert read.all("any") == dict.fromkeys(keys, b"49")


@pytest.mark.scenario("HRD-16")
def test_every_line_of_a_task_is_written(topic: MemoryEventLog) -> None:
    line = "tasknames.t.systems.kafka.streams.in.partitions.{} = 4{}\n"
    given = parse_offsets("".join(line.format(number, number) for number in range(3)))
    tool = CheckpointTool(KafkaCheckpointManager(topic), JobFacts({}, frozenset({"t"})), clock=clock)
    with tool:
        tool.write(tool.plan(given.offsets))
    partitions = {SystemStreamPartition("kafka", "in", number): f"4{number}" for number in range(3)}
    assert read_by(KafkaCheckpointManager(topic)) == CheckpointV1(partitions)
    assert topic.end_offset() == 1


@pytest.mark.scenario("HRD-20")
def test_the_default_grouper_may_be_named(topic: MemoryEventLog) -> None:
    with KafkaCheckpointManager(topic) as unset:
        unset.register("t")
        unset.write_checkpoint("t", CheckpointV1({IN: "7"}))
    named = KafkaCheckpointManager(topic, config={GROUPER_FACTORY: DEFAULT_GROUPER_FACTORY})
    assert read_by(named) == CheckpointV1({IN: "7"})


@pytest.mark.scenario("HRD-21")
@pytest.mark.parametrize("validation", ["true", "false"])
def test_a_topic_of_two_partitions_is_refused_also_without_validation_for_it_has_no_one_order(
    topics: "Topics", kafka_options: "KafkaOptions", job_name: str, validation: str
) -> None:
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

    stream = identify(topics.create(checkpoint_stream_name(job_name), partitions=2))
    manager = KafkaCheckpointManager(partial(KafkaEventLog, kafka_options, stream), config={VALIDATION: validation})
    with pytest.raises(StreamRefused, match="it has 2 partitions"):
        manager.start()


@pytest.mark.scenario("HRD-22")
@pytest.mark.parametrize("make", [CheckpointManager, KafkaCheckpointManager])
@pytest.mark.parametrize("works", range(2))
def test_a_stop_after_a_start_that_failed_half_way_closes_what_was_opened(
    topic: MemoryEventLog, make: Callable[..., CheckpointManager | KafkaCheckpointManager], works: int
) -> None:
    opened: list[WatchedLog] = []

    def open_log() -> WatchedLog:
        if len(opened) == works:
            raise SourceUnavailable
        opened.append(WatchedLog(topic))
        return opened[-1]

    manager = make(open_log)
    if works == 1 and make is CheckpointManager:
        manager.start()  # it needs one log alone
    else:
        with pytest.raises(SourceUnavailable):
            manager.start()
    manager.stop()
    manager.stop()
    assert [log.is_closed for log in opened] == [True] * works


@pytest.mark.scenario("HRD-24")
def test_two_containers_make_the_topic_at_once(topics: "Topics", kafka_options: "KafkaOptions", job_name: str) -> None:
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415

    name = checkpoint_stream_name(job_name)
    topics.will_be_made(name)
    both = Barrier(2)

    def make(_container: int) -> None:
        manager = KafkaCheckpointManager(
            memory(name), config={"job.name": job_name}, open_admin=lambda: KafkaAdmin(kafka_options)
        )
        both.wait(30)
        manager.create_resources()

    with ThreadPoolExecutor(2) as containers:
        list(containers.map(make, range(2)))
    with KafkaAdmin(kafka_options) as admin:
        assert admin.describe(name) is not None


@pytest.mark.scenario("HRD-25")
def test_a_version_that_went_stale_gives_way_after_ten_minutes(logs: LogMaker) -> None:
    topic = logs.create("checkpoint")
    topic.append([checkpoint_v2("t", {"kafka.in.0": "v2"}, at=FIRST_MS)])
    found = []
    for minutes in range(1, 12):
        topic.append([checkpoint_v1("t", {"kafka.in.0": "v1"}, at=FIRST_MS + minutes * MINUTE)])
        found.append(read_by(KafkaCheckpointManager(topic, config={READ: "2,1"})).offsets[IN])
    assert found == ["v2"] * 10 + ["v1"]


@pytest.mark.slow
@pytest.mark.scenario("HRD-36")
def test_what_a_command_wrote_is_there_when_it_has_ended(database_url: str) -> None:
    stream = identify(coordinator_stream_name("orders"))
    with PostgresEventLog.create(database_url, stream) as log:
        command = [sys.executable, "-m", "coordstream.cli", "config", "set", "orders", "task.opts", "-Xmx1g"]
        environment = {**os.environ, "COORDSTREAM_DATABASE_URL": database_url}
        subprocess.run(command, check=True, env=environment, capture_output=True, timeout=60)
        with CoordinatorStreamStore(log) as store:
            assert read_config(store) == {"task.opts": "-Xmx1g"}


@pytest.mark.scenario("HRD-46")
def test_a_container_of_standbys_registers_nobody(logs: LogMaker) -> None:
    topic = logs.create("checkpoint")
    topic.append([checkpoint_v1("t", {"kafka.in.0": "7"})])
    with KafkaCheckpointManager(topic) as manager:
        assert (manager.stream_name, set(manager.task_names())) == (topic.stream_name, {"t"})


@pytest.mark.scenario("HRD-47")
def test_a_standby_that_polls_reads_each_checkpoint_once_with_one_reader(topic: MemoryEventLog) -> None:
    opened = Opened(topic)
    manager = KafkaCheckpointManager(opened, config={STOP_AFTER_FIRST_READ: "false"})
    manager.register("t")
    with manager:
        for minute in range(60):
            topic.append([checkpoint_v1("t", {"kafka.in.0": str(minute)}, at=FIRST_MS + minute * MINUTE)])
            assert manager.read_last_checkpoint("t") == CheckpointV1({IN: str(minute)})
    _writer, reader = opened.logs
    assert reader.reads == [(minute, minute + 1) for minute in range(60)]
