"""Makes a job model of what config, inputs and the last run say (JobModelCalculator of Samza 1.8.0)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from eventlog.errors import ConfigError
from eventlog.frozen_dict import frozen
from eventlog.inputs import broadcast_partitions
from managers.job_models.changelog_numbers import changelog_numbers
from managers.job_models.container_count import container_count, positive_number
from managers.job_models.container_grouping import (
    group_by_container_count,
    require_known_task_grouper,
    standby_containers,
)
from managers.job_models.input_partitions import StreamPartitions, input_partitions
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.partition_grouping import (
    ELASTICITY,
    Groups,
    group_partitions,
    keep_tasks,
    keeps_tasks,
    require_known_grouper,
    task_namer,
)
from managers.job_names import Config

HOST_AFFINITY: Final = "job.host-affinity.enabled"
_OLD_HOST_AFFINITY: Final = "yarn.samza.host-affinity.enabled"
_STANDBY_FACTOR: Final = "job.standbytasks.replication.factor"


@dataclass(frozen=True, slots=True)
class PreviousAssignment:
    """How the last run shared out the work, of active tasks only: each task's container and its partitions."""

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
    """Share out the partitions of a job's inputs among its tasks, and the tasks among its containers, as Samza does.

    ``streams`` has the partition numbers of each stream in ``task.inputs``: no offset is asked for. Tasks keep the
    numbers of ``changelog_mapping``, the partitions that they had in the last run if the job keeps state, and with host
    affinity their containers. The order of no mapping matters.

    Raises:
        ConfigError: config names what can't be used, groupers that are not Samza's own, or elastic tasks
            (``job.elasticity.factor``); or there are fewer tasks than containers.
    """
    require_known_grouper(config)
    require_known_task_grouper(config)
    _require_whole_partitions(config)
    groups = _groups(config, streams, previous.task_partitions)
    numbers = changelog_numbers(groups, changelog_mapping)
    tasks = [TaskModel(name, groups[name], number) for name, number in numbers.items()]
    containers = _containers(config, tasks, previous.task_containers)
    return JobModel(dict(config), {container.processor_id: container for container in containers})


def _require_whole_partitions(config: Config) -> None:
    """With a factor above 1, Samza makes several tasks of each partition, each with a key bucket of its own."""
    factor = positive_number(config, ELASTICITY) if ELASTICITY in config else 1
    if factor > 1:
        raise ConfigError(
            f"{ELASTICITY} is {factor}, and tasks that share a partition are not made here: set it to 1, "
            "or let Samza make the job model"
        )


def _groups(config: Config, streams: StreamPartitions, previous: Groups) -> Groups:
    broadcast = broadcast_partitions(config)
    groups = group_partitions(input_partitions(config, streams), broadcast, task_namer(config))
    return keep_tasks(groups, previous, broadcast) if keeps_tasks(config) else groups


def _containers(config: Config, tasks: list[TaskModel], previous: Mapping[str, str]) -> list[ContainerModel]:
    has_affinity = config.get(HOST_AFFINITY, config.get(_OLD_HOST_AFFINITY, "")).casefold() == "true"
    active = group_by_container_count(tasks, container_count(config), previous if has_affinity else {})
    factor = positive_number(config, _STANDBY_FACTOR) if _STANDBY_FACTOR in config else 1
    return [*active, *standby_containers(active, factor)]
