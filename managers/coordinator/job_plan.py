"""JobPlan: the config and the job model that a job coordinator would write. Only reads."""

from collections.abc import Mapping
from dataclasses import dataclass

from eventlog.frozen_dict import frozen
from eventlog.inputs import DEFAULT_SYSTEM, task_inputs
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.changelogs import changelogs
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.checkpoints.checkpoint_place import CHECKPOINT_FACTORY, KAFKA_CHECKPOINT_FACTORY
from managers.config.job_config import read_config, read_launch_config
from managers.coordinator.supported_settings import require_supported
from managers.errors import MissingSetting
from managers.job_models.inputs import count_partitions, pattern_systems, with_matching_inputs
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model
from managers.job_names import CHECKPOINT_SYSTEM, JOB_NAME, Config, system_of
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.input_admin import InputAdmin


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The config, with the inputs that patterns match, the job model built from it, and the partitions of its inputs.

    A job may read only some partitions of an input; ``partition_counts`` has how many there are, by system and stream.
    """

    config: Mapping[str, str]
    job_model: JobModel
    partition_counts: Mapping[tuple[str, str], int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", frozen(self.config))
        object.__setattr__(self, "partition_counts", frozen(self.partition_counts))


def read_job_config(store: CoordinatorStreamStore, submitted: Config | None) -> Mapping[str, str]:
    """The config to start with: the submitted one with the results of auto-sizing, or else that on the stream.

    Raises:
        MissingSetting: it lacks the job's name.
        ConfigError: it has a setting that this job coordinator does not implement.
    """
    config = read_config(store) if submitted is None else {**read_launch_config(submitted, store), **submitted}
    if JOB_NAME not in config:
        raise MissingSetting(JOB_NAME, "so no job was submitted. Use `coordstream config write`, or --config")
    require_supported(config)
    return config


def systems_of(config: Config) -> frozenset[str]:
    """The systems that a job coordinator needs: those of inputs, changelogs and the checkpoint topic.

    Raises:
        ConfigError: an input or a rewriter has no system.
    """
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
    """The system of the checkpoint topic; None if the job has no topic for its checkpoints.

    Raises:
        MissingSetting: the config names no system for it.
    """
    if config.get(CHECKPOINT_FACTORY, "").strip() != KAFKA_CHECKPOINT_FACTORY:
        return None
    system = system_of(config, CHECKPOINT_SYSTEM)
    if system is None:
        raise MissingSetting(CHECKPOINT_SYSTEM, f"nor {DEFAULT_SYSTEM}. Set one of them")
    return system


def plan_job(store: CoordinatorStreamStore, config: Config, admins: Mapping[str, InputAdmin]) -> JobPlan:
    """Build the job model from the inputs as they are now, and from the previous assignment on the stream.

    ``admins`` has those of `systems_of`.

    Raises:
        StreamMissing: an input does not exist.
        SourceUnavailable: an input system does not answer.
        ConfigError: the job model cannot be built (see `build_job_model`).
    """
    streams = {system: admins[system].topic_names() for system in pattern_systems(config)}
    expanded = with_matching_inputs(config, streams)
    mapping = ChangelogPartitionManager(store).read_change_log_partition_mapping()
    previous = JobModelAssignments(store).read_previous()
    partitions = count_partitions(expanded, admins)
    model = build_job_model(expanded, partitions, mapping, previous)
    return JobPlan(expanded, model, {stream: len(numbers) for stream, numbers in partitions.items()})
