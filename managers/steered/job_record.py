"""JobRecord: what a Python program that runs a job writes on the job's two logs, as a Samza job does."""

import socket
from collections.abc import Collection, Mapping
from typing import Final

from eventlog.config import KAFKA_SYSTEM_FACTORY
from eventlog.log import Clock, EventLog, system_clock
from eventlog.messages import Delete, SetConfig
from eventlog.partition import SystemStreamPartition
from eventlog.timestamps import ms_of
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager, assign_changelog_partitions
from managers.assignments.job_model_assignments import JobModelAssignments, LocalityManager
from managers.checkpoints.checkpoint_manager import (
    CHECKPOINT_FACTORY,
    KAFKA_CHECKPOINT_FACTORY,
    STOP_AFTER_FIRST_READ,
    KafkaCheckpointManager,
)
from managers.config.job_config import config_of, read_config
from managers.errors import ManagerError, Startable
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_names import CHECKPOINT_SYSTEM, COORDINATOR_SYSTEM, JOB_ID, JOB_NAME
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stored_messages import make_envelope
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.wrapped_logs import Retry

RUNNER: Final = "app.runner"
"""The config key with the name of the program that runs the job, which messages name as their writer."""
STEERED: Final = "coordstream steered"
OBSERVED: Final = "coordstream observe"
KAFKA: Final = "kafka"
"""The system of the job's own streams and, in jobs on Spark, of its inputs in Kafka."""
CONTAINER_ID: Final = "0"
"""The id of the job's only container: the program."""

_OF_KAFKA: Final = {
    f"systems.{KAFKA}.samza.factory": KAFKA_SYSTEM_FACTORY,
    COORDINATOR_SYSTEM: KAFKA,
    CHECKPOINT_SYSTEM: KAFKA,
    CHECKPOINT_FACTORY: KAFKA_CHECKPOINT_FACTORY,
}
_CATCHING_UP: Final = {STOP_AFTER_FIRST_READ: "false"}


class JobOfAnotherProgram(ManagerError):
    """The log has the config of another job, or of one that another program runs. Nothing was written."""

    def __init__(self, job_name: str, job_id: str, reason: str) -> None:
        self.job_name = job_name
        self.job_id = job_id
        super().__init__(f"Job {job_name}/{job_id} belongs to another program: {reason}. Choose another name or id.")


class JobRecord(Startable):
    """The config, assignments, checkpoints and startpoints of a job that one Python program runs.

    A context manager, not thread-safe. A write that fails is not retried: the caller decides. The caller closes the
    logs.
    """

    def __init__(
        self,
        job_name: str,
        job_id: str,
        *,
        coordinator: EventLog,
        checkpoint: EventLog,
        source: str,
        clock: Clock = system_clock,
    ) -> None:
        """``source`` is the program, which messages name as their writer and config in ``app.runner``."""
        self.job_name: Final = job_name
        self.job_id: Final = job_id
        self.store: Final = CoordinatorStreamStore(coordinator)
        self.checkpoints: Final = KafkaCheckpointManager(checkpoint, config=_CATCHING_UP, retry=Retry(longest=0))
        self.startpoints: Final = StartpointManager(self.store, clock=lambda: ms_of(clock()))
        self._changelogs: Final = ChangelogPartitionManager(self.store, source=source, clock=clock)
        self._assignments: Final = JobModelAssignments(self.store, source=source, clock=clock)
        self._localities: Final = LocalityManager(self.store, source=source, clock=clock)
        self._source: Final = source
        self._clock: Final = clock

    @property
    def config(self) -> Mapping[str, str]:
        """The job's config on the log; empty before the first `declare`."""
        return read_config(self.store)

    @property
    def tasks(self) -> Mapping[str, frozenset[SystemStreamPartition]]:
        """The partitions of each task, as last assigned."""
        return self._assignments.read_previous().task_partitions

    def start(self) -> None:
        """Read the coordinator stream. Raises `JobOfAnotherProgram`."""
        self.startpoints.start()
        self.checkpoints.start()
        self._require_own(self.config)
        self._is_running = True

    def stop(self) -> None:
        self._is_running = False
        self.checkpoints.stop()
        self.startpoints.stop()
        self.store.close()

    def declare(self, config: Mapping[str, str]) -> None:
        """Write the keys of the job's config that have changed, and delete those that this program no longer sets.

        Its name and id, the places of its streams and ``app.runner`` are added; ``task.inputs`` is the caller's. Keys
        that others have set, such as an operator with `coordstream config set`, stay unless ``config`` has them. Raises
        `JobOfAnotherProgram` before anything is written.
        """
        messages = self.store.messages(SetConfig.message_type)
        old = config_of(messages.values())
        self._require_own(old)
        new = {**_OF_KAFKA, **config, JOB_NAME: self.job_name, JOB_ID: self.job_id, RUNNER: self._source}
        envelope = make_envelope(self._source, clock=self._clock)
        own = {key for key, each in messages.items() if each.envelope and each.envelope.source == self._source}
        self.store.write(
            [
                *(
                    SetConfig(config_key=key, config_value=value, envelope=envelope)
                    for key, value in sorted(new.items())
                    if old.get(key) != value
                ),
                *(Delete(message_type=SetConfig.message_type, key=key) for key in sorted(own - new.keys())),
            ]
        )

    def assign(self, tasks: Mapping[str, Collection[SystemStreamPartition]]) -> None:
        """Assign partitions to tasks, which all run in this process on this host, and register the tasks.

        Nothing is written unless something has changed.
        """
        numbers = assign_changelog_partitions(tasks, self._changelogs.read_change_log_partition_mapping())
        models = {name: TaskModel(name, frozenset(partitions), numbers[name]) for name, partitions in tasks.items()}
        model = JobModel(self.config, {CONTAINER_ID: ContainerModel(CONTAINER_ID, models)})
        if not self._assignments.are_saved(model):
            self._assignments.save(model)
        known, host = self._localities.read_locality().get(CONTAINER_ID), socket.gethostname()
        if known is None or known.host_name != host:
            self._localities.write_container_to_host_mapping(CONTAINER_ID, host)
        for name in models:
            self.checkpoints.register(name)

    def _require_own(self, config: Mapping[str, str]) -> None:
        named = f"{config.get(JOB_NAME)}/{config.get(JOB_ID)}"
        if config and config.get(RUNNER) != self._source:
            runner = repr(config[RUNNER]) if RUNNER in config else "unset"
            raise JobOfAnotherProgram(
                self.job_name, self.job_id, f"{RUNNER} in its config is {runner}, not {self._source!r}"
            )
        if config and named != f"{self.job_name}/{self.job_id}":
            raise JobOfAnotherProgram(self.job_name, self.job_id, f"its log is that of {named}")
