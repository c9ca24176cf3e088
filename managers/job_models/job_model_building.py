"""Builds a job model from config, input partitions and the previous assignment (JobModelCalculator of Samza 1.8.0)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from eventlog.config import boolean, broadcast_partitions, integer
from eventlog.errors import ConfigError, WireError
from eventlog.frozen_dict import frozen
from eventlog.partition import parse_int32
from managers.assignments.changelog_partition_manager import assign_changelog_partitions
from managers.config.job_config import AUTOSIZING, is_autosized
from managers.job_models.grouping import (
    ELASTICITY,
    Groups,
    group_by_container_count,
    group_partitions,
    keep_tasks,
    keeps_tasks,
    make_standby_containers,
    require_known_grouper,
    task_namer,
)
from managers.job_models.inputs import StreamPartitions, input_partitions
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_names import Config

HOST_AFFINITY: Final = "job.host-affinity.enabled"
_OLD_HOST_AFFINITY: Final = "yarn.samza.host-affinity.enabled"
_CONTAINER_COUNT: Final = "job.container.count"
_AUTOSIZED_CONTAINER_COUNT: Final = f"{AUTOSIZING}container.count"
_OLD_CONTAINER_COUNT: Final = "yarn.container.count"
_STANDBY_FACTOR: Final = "job.standbytasks.replication.factor"


@dataclass(frozen=True, slots=True)
class PreviousAssignment:
    """The container and the partitions of each active task in the last run."""

    task_containers: Mapping[str, str] = field(default_factory=dict)
    task_partitions: Groups = field(default_factory=dict)

    def __post_init__(self) -> None:
        partitions = {task_name: frozenset(read) for task_name, read in self.task_partitions.items()}
        object.__setattr__(self, "task_containers", frozen(self.task_containers))
        object.__setattr__(self, "task_partitions", frozen(partitions))


NO_PREVIOUS: Final = PreviousAssignment()


def build_job_model(
    config: Config,
    streams: StreamPartitions,
    changelog_mapping: Mapping[str, int],
    previous: PreviousAssignment = NO_PREVIOUS,
) -> JobModel:
    """Assign the input partitions to tasks, and the tasks to containers, as Samza does.

    ``streams`` has the partition numbers of each stream in ``task.inputs``. Tasks keep their changelog partitions in
    ``changelog_mapping``, their previous partitions if the job has state, and with host affinity their previous
    containers. Raises `ConfigError` for a setting that is invalid or not supported.
    """
    require_known_grouping(config)
    groups = _groups(config, streams, previous.task_partitions)
    numbers = assign_changelog_partitions(groups, changelog_mapping)
    tasks = [TaskModel(name, groups[name], number) for name, number in numbers.items()]
    containers = _containers(config, tasks, previous.task_containers)
    return JobModel(dict(config), {container.processor_id: container for container in containers})


def container_count(config: Config) -> int:
    """The number of containers (JobConfig of Samza), 1 by default. With auto-sizing, its result counts first."""
    keys = (*([_AUTOSIZED_CONTAINER_COUNT] if is_autosized(config) else []), _CONTAINER_COUNT, _OLD_CONTAINER_COUNT)
    key = next((key for key in keys if key in config), None)
    return 1 if key is None else positive_number(config, key)


def positive_number(config: Config, key: str) -> int:
    """The value of a key that must be a positive 32-bit integer, as Java reads it. Raises `ConfigError`."""
    try:
        number = parse_int32(config[key], "bad_number", key)
    except WireError:
        number = 0
    if number < 1:
        raise ConfigError(f"{key} is {config[key]!r}, not a positive integer.")
    return number


def require_known_grouping(config: Config) -> None:
    """Raise `ConfigError` for groupers that are not Samza's, and for elasticity, as `build_job_model` does."""
    require_known_grouper(config)
    factor = positive_number(config, ELASTICITY) if ELASTICITY in config else 1
    if factor > 1:  # Samza then makes several tasks of each partition, each with its own key bucket
        raise ConfigError(
            f"{ELASTICITY} is {factor}, but elastic tasks are not supported. Set it to 1, or let Samza build the job "
            "model."
        )


def _groups(config: Config, streams: StreamPartitions, previous: Groups) -> Groups:
    broadcast = broadcast_partitions(config)
    groups = group_partitions(input_partitions(config, streams), broadcast, task_namer(config))
    return keep_tasks(groups, previous, broadcast) if keeps_tasks(config) else groups


def _containers(config: Config, tasks: list[TaskModel], previous: Mapping[str, str]) -> list[ContainerModel]:
    has_affinity = boolean(config, HOST_AFFINITY, default=boolean(config, _OLD_HOST_AFFINITY, default=False))
    active = group_by_container_count(tasks, container_count(config), previous if has_affinity else {})
    factor = integer(config, _STANDBY_FACTOR, default=1)  # as in Samza, there are no standby tasks below 2
    return [*active, *make_standby_containers(active, factor)]
