"""What a job coordinator computes before it writes anything, and how two job models differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eventlog.config import DEFAULT_SYSTEM, TASK_INPUTS, boolean, task_inputs
from eventlog.errors import ConfigError, list_names
from eventlog.frozen_dict import frozen
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.changelogs import changelogs
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.checkpoints.checkpoint_place import CHECKPOINT_FACTORY, KAFKA_CHECKPOINT_FACTORY
from managers.config.job_config import read_config, read_launch_config
from managers.errors import MissingSetting
from managers.job_models.inputs import count_partitions, pattern_systems, unsupported_rewriters, with_matching_inputs
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model, require_known_grouping
from managers.job_models.jvm_order import text_order
from managers.job_names import CHECKPOINT_SYSTEM, JOB_NAME, Config, system_of
from managers.state.backend_choice import backup_factories, store_names
from managers.state.object_store_backend import OBJECT_STORE_STATE_BACKEND_FACTORY
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.stream_creation import InputAdmin

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
    """The config, with the inputs that patterns match, its job model, and the number of partitions of each input."""

    config: Mapping[str, str]
    job_model: JobModel
    partition_counts: Mapping[tuple[str, str], int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", frozen(self.config))
        object.__setattr__(self, "partition_counts", frozen(self.partition_counts))


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
    stores = {each.system for each in changelogs(config)}
    return frozenset(
        system
        for system in {
            *(system for system, _ in task_inputs(config)),
            *pattern_systems(config),
            *stores,
            checkpoint_system(config),
        }
        if system is not None
    )


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
    streams = {system: admins[system].topic_names() for system in pattern_systems(config)}
    expanded = with_matching_inputs(config, streams)
    mapping = ChangelogPartitionManager(store).read_change_log_partition_mapping()
    previous = JobModelAssignments(store).read_previous()
    partitions = count_partitions(expanded, admins)
    model = build_job_model(expanded, partitions, mapping, previous)
    return JobPlan(expanded, model, {stream: len(numbers) for stream, numbers in partitions.items()})
