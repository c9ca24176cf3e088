"""A job whose streams and inputs are topics of a real broker, for rewinds."""

from collections.abc import Iterable, Mapping
from typing import Final

from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import system_clock
from eventlog.messages import SetConfig
from eventlog.streams import identify
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.startpoints.next_starts import StartpointFacts, next_starts
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import checkpoint_v1, config_set, message, task_partition
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics

DELETED: Final[Mapping[str, str]] = {"cleanup.policy": "delete", "retention.ms": "-1"}
NOTHING: Final[Mapping[str, str]] = {}
NEVER_RUNNING: Final[Mapping[str, str]] = {"task.commit.ms": "1"}
"""Config of a job that appears to be running for three milliseconds after a commit."""

UNREACHABLE: Final = "No broker answers at 127.0.0.1:1."
"""The error for brokers of an input at this address."""


class RewindableJob:
    """Each task reads the partition with its number of one input."""

    def __init__(
        self,
        topics: Topics,
        name: str,
        *,
        partitions: int = 2,
        settings: Mapping[str, str] = DELETED,
        config: Mapping[str, str] = NOTHING,
    ) -> None:
        self.topics = topics
        self.name = name
        self.partitions = partitions
        self.input = topics.create(f"{name}-input", settings, partitions=partitions)
        self.coordinator = topics.create(f"__samza_coordinator_{name}_1")
        self.checkpoints = topics.create(f"__samza_checkpoint_ver_1_for_{name}_1")
        self.set_config(
            {
                "job.name": name,
                "job.id": "1",
                "task.inputs": f"kafka.{self.input}",
                "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
                "systems.kafka.consumer.bootstrap.servers": topics.bootstrap_servers,
                "systems.kafka.samza.offset.default": "oldest",
                **config,
            }
        )
        self.assign(range(partitions))

    def set_config(self, config: Mapping[str, str]) -> None:
        """Write config keys to the coordinator stream."""
        self.topics.write(self.coordinator, [config_set(key, value) for key, value in config.items()])

    def begin_run(self, run: int, time: int) -> None:
        """Write the config of a start of the job, at a time in ms since 1970."""
        config = SetConfig(config_key="app.run", config_value=str(run))
        self.topics.write(self.coordinator, [message(config, source="job-runner", at=time)])

    def assign(self, partitions: Iterable[int]) -> None:
        """Assign partitions to the tasks with their numbers."""
        mapped = [task_partition(f"kafka.{self.input}.{n}", f"Partition {n}") for n in partitions]
        self.topics.write(self.coordinator, mapped)

    def produce(self, partition: int, records: int, *, time: int | None = None, size: int = 6) -> None:
        """Write records to a partition of the input."""
        self.topics.write(self.input, [NewEvent(None, b"r" * size, time)] * records, partition=partition)

    def commit(self, partition: int, offset: int, *, time: int | None = None) -> None:
        """Commit a task's last processed offset, at a time in ms since 1970."""
        offsets = {f"kafka.{self.input}.{partition}": str(offset)}
        self.topics.write(self.checkpoints, [checkpoint_v1(f"Partition {partition}", offsets, at=time)])

    def follow(self, cli: CommandLine) -> None:
        """Read the job's streams into the database."""
        assert cli("follow", self.coordinator, self.checkpoints, "--once", "--timeout", "60s").code == 0

    def starts(self) -> dict[int, tuple[str, str | None]]:
        """What decides the next start of each partition, and its first offset."""
        options = KafkaOptions(self.topics.bootstrap_servers)
        with (
            KafkaEventLog(options, identify(self.coordinator)) as coordinator,
            KafkaEventLog(options, identify(self.checkpoints)) as checkpoints,
        ):
            facts = StartpointFacts.read(coordinator)
            manager = KafkaCheckpointManager(checkpoints, config=facts.job.config)
            with CheckpointTool(manager, facts.job) as tool:
                found = next_starts(facts, tool.current_inputs(), facts.requests, ms_of(system_clock()))
        return {partition.partition: (one.decided_by, one.starting_offset) for (_, partition), one in found.items()}

    def start(self) -> None:
        """Fan out the requested startpoints and delete the requests, as a starting job coordinator does."""
        log = KafkaEventLog(KafkaOptions(self.topics.bootstrap_servers), identify(self.coordinator))
        with log, CoordinatorStreamStore(log) as store:
            facts = StartpointFacts.read(log)
            with StartpointManager(store, clock=lambda: ms_of(system_clock())) as manager:
                manager.fan_out(facts.reads())

    def ends(self) -> list[int]:
        """The ends of the job's streams."""
        return [self.topics.end_offset(name) for name in (self.coordinator, self.checkpoints)]

    def consume(self, partition: int) -> None:
        """Remove the fan-out of a task, as it does once it has committed a later position."""
        log = KafkaEventLog(KafkaOptions(self.topics.bootstrap_servers), identify(self.coordinator))
        with (
            log,
            CoordinatorStreamStore(log) as store,
            StartpointManager(store, clock=lambda: ms_of(system_clock())) as manager,
        ):
            manager.remove_fan_out_for_task(f"Partition {partition}")
