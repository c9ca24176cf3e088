"""JobCoordinator: the steps of a start of a job coordinator."""

import os
from collections.abc import Callable, Mapping
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import SetConfig
from eventlog.timestamps import ms_of
from managers.assignments.changelog_partition_manager import create_changelog_streams
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.checkpoints.kafka_checkpoint_manager import ensure_checkpoint_topic, is_validated
from managers.config.job_config import TRACKING_URL, read_config, stale_keys, write_config
from managers.coordinator.job_plan import JobPlan, checkpoint_system
from managers.coordinator.serving_context import JobAttempt, publish_coordinator_url
from managers.job_models.job_coordinator_metadata import (
    CONTAINER_ID,
    EPOCH_ID,
    NON_YARN,
    YARN,
    JobCoordinatorMetadataManager,
    MetadataMetrics,
)
from managers.job_models.job_model import ACTIVE, JobModel
from managers.job_names import JOB_NAME, Config, job_id, job_name
from managers.startpoints.startpoint_fan_out import FanOuts, should_fan_out_startpoints
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.metadata_store import NamespacedStore
from managers.streams.stream_creation import InputAdmin


def cluster_type_of(environment: Mapping[str, str]) -> str:
    """``YARN`` if its variable has the deployment id, and that of other clusters is not set; else ``NON_YARN``."""
    return YARN if CONTAINER_ID in environment and EPOCH_ID not in environment else NON_YARN


def with_deployment_id(
    environment: Mapping[str, str], store: NamespacedStore, config: Config, written_ms: int | None
) -> dict[str, str]:
    """The environment with a deployment id. If it has none: the job's name and id, and when its config was submitted.

    ``written_ms`` is the time if the config is submitted now; None: the time of the job's name on the stream.
    """
    if EPOCH_ID in environment or CONTAINER_ID in environment:
        return dict(environment)
    submitted = _submitted_ms(store) if written_ms is None else written_ms
    return {**environment, EPOCH_ID: f"{job_name(config)}-{job_id(config)}-{submitted}"}


def _submitted_ms(store: NamespacedStore) -> int:
    message = store.messages(SetConfig.message_type).get(JOB_NAME)
    envelope = message.envelope if isinstance(message, SetConfig) else None
    return 0 if envelope is None else envelope.timestamp or 0


class JobCoordinator:
    """Writes what a start of a job needs (ClusterBasedJobCoordinator of Samza, without starting containers).

    Not thread-safe, and only for one process at a time: ``before_write`` is called before each step that writes, and
    raises if another process coordinates the job.
    """

    def __init__(
        self,
        store: CoordinatorStreamStore,
        *,
        environment: Mapping[str, str] = os.environ,
        clock: Clock = system_clock,
        before_write: Callable[[], object] = lambda: None,
    ) -> None:
        """``environment`` has the deployment id (see `with_deployment_id`). The caller opens and closes the store."""
        self.metrics: Final = MetadataMetrics()
        self._store: Final = store
        self._environment: Final = environment
        self._clock: Final = clock
        self._before_write: Final = before_write

    def start(self, plan: JobPlan, admins: Mapping[str, InputAdmin]) -> JobAttempt:
        """Write a plan: config, streams, assignments, fan-out, metadata. A config that is already there is not written.

        The metadata comes last, later than in Samza: if the process is killed before, the next start still sees the
        change, and fans startpoints out. Raises `WriteOnceChange` and `MetadataNotGenerated` before anything is
        written.
        """
        now = self._clock()
        is_new = _differs(read_config(self._store), plan.config)
        manager = self._metadata_manager(plan, ms_of(now) if is_new else None)
        metadata = manager.generate_job_coordinator_metadata(plan.job_model, plan.config)
        if is_new:
            self._before_write()
            write_config(self._store, plan.config, clock=lambda: now)
        self._create_streams(plan, admins)
        self._before_write()
        JobModelAssignments(self._store, clock=self._clock).save(plan.job_model)
        changes = manager.check_for_metadata_changes(metadata, manager.read_job_coordinator_metadata())
        if should_fan_out_startpoints(plan.config, changes):
            self._fan_out(plan.job_model)
        if changes:
            self._before_write()
            manager.write_job_coordinator_metadata(metadata)
        return JobAttempt(plan.config, plan.job_model, metadata, changes, plan.partition_counts)

    def publish_url(self, url: str) -> None:
        """Write the URL at which containers reach this coordinator to the job's config. Raises as `start`."""
        self._before_write()
        publish_coordinator_url(self._store, url, clock=self._clock)

    def is_current(self, attempt: JobAttempt) -> bool:
        """Whether the stream has the metadata of this attempt, so no other coordinator wrote another job model."""
        return self._metadata().read_job_coordinator_metadata() == attempt.metadata

    def is_intact(self, attempt: JobAttempt) -> bool:
        """Whether the stream has the assignments and the metadata of this attempt. Raises `UnknownTaskMode`."""
        return self.is_current(attempt) and JobModelAssignments(self._store).are_saved(attempt.job_model)

    def restore(self, attempt: JobAttempt) -> None:
        """Write the assignments and the metadata of an attempt again. Raises `ChangelogRemapped`."""
        self._before_write()
        JobModelAssignments(self._store, clock=self._clock).save(attempt.job_model)
        if not self.is_current(attempt):
            self._metadata().write_job_coordinator_metadata(attempt.metadata)

    def _metadata(self) -> JobCoordinatorMetadataManager:
        return JobCoordinatorMetadataManager(self._store, cluster_type_of(self._environment), clock=self._clock)

    def _metadata_manager(self, plan: JobPlan, written_ms: int | None) -> JobCoordinatorMetadataManager:
        return JobCoordinatorMetadataManager(
            self._store,
            cluster_type_of(self._environment),
            environment=with_deployment_id(self._environment, self._store, plan.config, written_ms),
            clock=self._clock,
            metrics=self.metrics,
        )

    def _create_streams(self, plan: JobPlan, admins: Mapping[str, InputAdmin]) -> None:
        self._before_write()
        system = checkpoint_system(plan.config)
        if system is not None:
            is_validating = is_validated(plan.config)
            ensure_checkpoint_topic(admins[system], plan.config, is_validating=is_validating)
        create_changelog_streams(plan.config, plan.job_model.max_changelog_stream_partitions, admins)

    def _fan_out(self, model: JobModel) -> FanOuts:
        self._before_write()
        with StartpointManager(self._store, clock=lambda: ms_of(self._clock())) as manager:
            return manager.fan_out(
                {name: task.partitions for name, task in model.tasks.items() if task.task_mode == ACTIVE}
            )


def _differs(old: Config, config: Config) -> bool:
    """Whether writing the config would change it. The coordinator's URL does not count: it writes that itself."""
    changed = {key for key, value in config.items() if old.get(key) != value}
    return bool(stale_keys(old, config)) or bool(changed - {TRACKING_URL})
