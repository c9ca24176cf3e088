"""JobCoordinator: what a start of a job coordinator computes, and what it writes."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eventlog.config import DEFAULT_SYSTEM, TASK_INPUTS, boolean, task_inputs
from eventlog.errors import ConfigError, list_names
from eventlog.log import Clock, system_clock
from eventlog.messages import SetConfig
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.timestamps import ms_of
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.checkpoints.checkpoint_manager import CHECKPOINT_FACTORY, KAFKA_CHECKPOINT_FACTORY
from managers.config.job_config import (
    TRACKING_URL,
    read_config,
    read_launch_config,
    set_config,
    stale_keys,
    write_config,
)
from managers.coordinator.serving_context import JobAttempt
from managers.errors import MissingSetting
from managers.job_facts import changelogs
from managers.job_models.grouping import require_known_grouping
from managers.job_models.job_coordinator_metadata import (
    CONTAINER_ID,
    EPOCH_ID,
    NON_YARN,
    YARN,
    JobCoordinatorMetadataManager,
)
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import (
    build_job_model,
    container_count,
    count_partitions,
    input_partitions,
    input_patterns,
    unsupported_rewriters,
    with_matching_inputs,
)
from managers.job_models.jvm_order import text_order
from managers.job_names import ACTIVE, CHECKPOINT_SYSTEM, JOB_NAME, Config, job_id, job_name, system_of
from managers.startpoints.startpoint_manager import StartpointManager
from managers.startpoints.startpoint_records import should_fan_out_startpoints
from managers.state.object_store_backend import OBJECT_STORE_STATE_BACKEND_FACTORY
from managers.state.state_backend import backup_factories, store_names
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stream_creation import InputAdmin, create_changelog_streams, ensure_checkpoint_topic

COORDINATOR_FACTORY: Final = "job.coordinator.factory"
STATIC_RESOURCE: Final = "org.apache.samza.coordinator.staticresource.StaticResourceJobCoordinatorFactory"
DIAGNOSTICS: Final = "job.diagnostics.enabled"
APP_CLASS: Final = "app.class"
_BACKENDS: Final = (
    KAFKA_STATE_BACKEND_FACTORY,
    OBJECT_STORE_STATE_BACKEND_FACTORY,
    "org.apache.samza.storage.blobstore.BlobStoreStateBackendFactory",
)
_FILE_CHECKPOINTS: Final = "org.apache.samza.checkpoint.file.FileSystemCheckpointManagerFactory"
MOST_TASKS = 5


def require_supported(config: Config) -> None:
    require_known_grouping(config)
    container_count(config)
    input_partitions(config, dict.fromkeys(task_inputs(config), ()))  # requires a known matcher
    for sentence in _refusals(config):
        raise ConfigError(sentence)


def _refusals(config: Config) -> Iterator[str]:
    for key, name in unsupported_rewriters(config):
        yield f"{key} is {name!r}, which is not supported. Apply this rewriter first, and remove it from the config."
    factory = config.get(COORDINATOR_FACTORY, STATIC_RESOURCE)
    if factory != STATIC_RESOURCE:
        yield (
            f"{COORDINATOR_FACTORY} is {factory}: the job's processors then coordinate themselves, and a coordinator "
            "beside them would contradict them. Remove the setting."
        )
    if APP_CLASS in config and not config.get(TASK_INPUTS, "").strip():
        yield (
            f"{TASK_INPUTS} is not set, because Samza's planner has not run: {APP_CLASS} is {config[APP_CLASS]}. "
            "Submit the job with Samza once, which writes the planned config."
        )
    if boolean(config, DIAGNOSTICS, default=False):
        yield f"{DIAGNOSTICS} is true, but diagnostics are not supported. Set it to false."
    yield from _storage_refusals(config)


def _storage_refusals(config: Config) -> Iterator[str]:
    checkpoints = config.get(CHECKPOINT_FACTORY, "").strip()
    if checkpoints not in ("", KAFKA_CHECKPOINT_FACTORY, _FILE_CHECKPOINTS):
        yield (
            f"{CHECKPOINT_FACTORY} is {checkpoints}, which is not supported. Set {KAFKA_CHECKPOINT_FACTORY}, or remove "
            "the setting."
        )
    for store in store_names(config):
        for factory in backup_factories(config, store):
            if factory not in _BACKENDS:
                yield f"Store {store} has the backup factory {factory}, which is not supported. Use one of Samza's."


def describe_difference(old: JobModel | None, new: JobModel) -> str:
    """A clause: the tasks that are new, are gone, read other partitions, or run in another container."""
    before = {} if old is None else _tasks(old)
    after = _tasks(new)
    common = before.keys() & after.keys()
    groups = {
        "new tasks": after.keys() - before.keys(),
        "removed tasks": before.keys() - after.keys(),
        "other partitions for": {name for name in common if before[name][0] != after[name][0]},
        "another container for": {name for name in common if before[name][1] != after[name][1]},
    }
    named = {words: sorted(names, key=text_order) for words, names in groups.items() if names}
    clauses = [f"{words} {list_names(names, MOST_TASKS)}" for words, names in named.items()]
    return "; ".join(clauses) or "other containers"


def _tasks(model: JobModel) -> Mapping[str, tuple[frozenset[SystemStreamPartition], str]]:
    return {
        name: (task.partitions, container.processor_id)
        for container in model.containers.values()
        for name, task in container.tasks.items()
    }


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The config without and with the inputs that patterns match, its job model, and the partitions of each input."""

    planned: Config
    config: Mapping[str, str]
    job_model: JobModel
    partition_counts: Mapping[tuple[str, str], int]


def read_job_config(store: CoordinatorStreamStore, submitted: Config | None) -> Mapping[str, str]:
    """The submitted config with the results of auto-sizing, or else that on the stream.

    Raises `MissingSetting` without the job's name, `ConfigError` for a setting that is not implemented.
    """
    config = read_config(store) if submitted is None else {**read_launch_config(submitted, store), **submitted}
    if JOB_NAME not in config:
        raise MissingSetting(JOB_NAME, "so no job was submitted. Use `coordstream config write`, or --config")
    require_supported(config)
    return config


def systems_of(config: Config) -> frozenset[str]:
    """The systems of inputs, changelogs and the checkpoint topic. Raises `ConfigError`."""
    inputs = {system for system, _ in task_inputs(config)} | input_patterns(config).keys()
    others = {checkpoint_system(config), *(each.system for each in changelogs(config))}
    return frozenset(inputs | {system for system in others if system is not None})


def checkpoint_system(config: Config) -> str | None:
    """The system of the checkpoint topic; None if the job has no such topic. Raises `MissingSetting`."""
    if config.get(CHECKPOINT_FACTORY, "").strip() != KAFKA_CHECKPOINT_FACTORY:
        return None
    system = system_of(config, CHECKPOINT_SYSTEM)
    if system is None:
        raise MissingSetting(CHECKPOINT_SYSTEM, f"nor {DEFAULT_SYSTEM}. Set one of them")
    return system


def plan_job(store: CoordinatorStreamStore, config: Config, admins: Mapping[str, InputAdmin]) -> JobPlan:
    """Build the job model from the inputs as they are now, and from the previous assignment on the stream.

    ``admins`` has those of `systems_of`. Raises `ConfigError`, and `StreamMissing` if an input does not exist.
    """
    streams = {system: admins[system].topic_names() for system in input_patterns(config)}
    expanded = with_matching_inputs(config, streams)
    mapping = ChangelogPartitionManager(store).read_change_log_partition_mapping()
    previous = JobModelAssignments(store).read_previous()
    partitions = count_partitions(expanded, admins)
    model = build_job_model(expanded, partitions, mapping, previous)
    return JobPlan(config, expanded, model, {stream: len(numbers) for stream, numbers in partitions.items()})


def _submitted_ms(store: CoordinatorStreamStore) -> int:
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
        """The caller opens and closes the store.

        The cluster is YARN if its variable in ``environment`` has the epoch id, and that of other clusters is not set.
        Without any epoch id, it is the job's name and id, and when its config was submitted.
        """
        self._store: Final = store
        self._environment: Final = dict(environment)
        is_yarn = CONTAINER_ID in environment and EPOCH_ID not in environment
        self._names_deployment: Final = not is_yarn and EPOCH_ID not in environment
        self._metadata: Final = JobCoordinatorMetadataManager(
            store, YARN if is_yarn else NON_YARN, environment=self._environment, clock=clock
        )
        self.metrics: Final = self._metadata.metrics
        self._clock: Final = clock
        self._before_write: Final = before_write

    def start(self, plan: JobPlan, admins: Mapping[str, InputAdmin], *, is_submitted: bool = False) -> JobAttempt:
        """Write a plan: config (see `_settings_to_write`), streams, assignments, fan-out, metadata.

        The metadata comes last, later than in Samza: if the process is killed before, the next start still sees the
        change, and fans startpoints out. Raises `WriteOnceChange` and `MetadataNotGenerated` before anything is
        written.
        """
        now = self._clock()
        settings = _settings_to_write(read_config(self._store), plan, is_submitted=is_submitted)
        is_deployment = JOB_NAME in settings
        if self._names_deployment:
            submitted = ms_of(now) if is_deployment else _submitted_ms(self._store)
            self._environment[EPOCH_ID] = f"{job_name(plan.config)}-{job_id(plan.config)}-{submitted}"
        manager = self._metadata
        metadata = manager.generate_job_coordinator_metadata(plan.job_model, plan.config)
        if settings:
            self._before_write()
            write_config(self._store, settings, keeps_others=not is_deployment, clock=lambda: now)
        self._create_streams(plan, admins)
        self._before_write()
        assignments = JobModelAssignments(self._store, clock=self._clock)
        if not assignments.are_saved(plan.job_model):
            assignments.save(plan.job_model)
        changes = manager.check_for_metadata_changes(metadata, manager.read_job_coordinator_metadata())
        if should_fan_out_startpoints(plan.config, changes):
            self._fan_out(plan.job_model)
        self._before_write()
        manager.write_job_coordinator_metadata(metadata)
        return JobAttempt(plan.config, plan.job_model, metadata, changes, plan.partition_counts)

    def publish_url(self, url: str) -> None:
        """Write the URL at which containers reach this coordinator to the job's config. Raises as `start`."""
        self._before_write()
        set_config(self._store, TRACKING_URL, url, clock=self._clock)

    def is_current(self, attempt: JobAttempt) -> bool:
        """Whether the stream has the metadata of this attempt, so no other coordinator wrote another job model."""
        return self._metadata.read_job_coordinator_metadata() == attempt.metadata

    def _create_streams(self, plan: JobPlan, admins: Mapping[str, InputAdmin]) -> None:
        self._before_write()
        system = checkpoint_system(plan.config)
        if system is not None:
            ensure_checkpoint_topic(admins[system], plan.config)
        create_changelog_streams(plan.config, plan.job_model.max_changelog_stream_partitions, admins)

    def _fan_out(self, model: JobModel) -> None:
        self._before_write()
        active = {name: task.partitions for name, task in model.tasks.items() if task.task_mode == ACTIVE}
        with StartpointManager(self._store, clock=lambda: ms_of(self._clock())) as manager:
            manager.fan_out(active)


def _settings_to_write(old: Config, plan: JobPlan, *, is_submitted: bool) -> Config:
    """All of a submitted config if it differs, also if only by what it lacks. The coordinator's URL does not count: it
    writes that itself. Else only what patterns added, and in a config on the stream others have not changed meanwhile.
    """
    changed = {key for key, value in plan.config.items() if old.get(key) != value}
    added = {key for key in changed if plan.planned.get(key) != plan.config[key]}
    if is_submitted and (stale_keys(old, plan.config) or changed - added - {TRACKING_URL}):
        return plan.config
    return {key: plan.config[key] for key in added if is_submitted or old.get(key) == plan.planned.get(key)}
