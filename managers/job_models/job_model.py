"""JobModel, ContainerModel and TaskModel of Samza: a job has containers, a container tasks, a task partitions.

Each has read-only copies of its arguments.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from eventlog.frozen_dict import FrozenFields
from eventlog.partition import SystemStreamPartition
from managers.job_models.jvm_order import text_order
from managers.job_names import ACTIVE, TaskMode


@dataclass(frozen=True, slots=True)
class TaskModel(FrozenFields):
    """A task, the partitions that it reads, and the changelog partition of its state.

    Tasks are sorted by name, as in Samza: ``Partition 10`` before ``Partition 2``. ``offsets`` are the last processed
    ones, which only the oldest form of the JSON has; they do not affect equality.
    """

    task_name: str
    partitions: frozenset[SystemStreamPartition]
    changelog_partition: int
    task_mode: TaskMode = ACTIVE
    offsets: Mapping[SystemStreamPartition, str | None] = field(default_factory=dict, compare=False, repr=False)

    def __lt__(self, other: "TaskModel") -> bool:
        return text_order(self.task_name) < text_order(other.task_name)


@dataclass(frozen=True, slots=True)
class ContainerModel(FrozenFields):
    """The tasks of one container, by name. ``processor_id`` is the container's id."""

    processor_id: str
    tasks: Mapping[str, TaskModel]


@dataclass(frozen=True, slots=True)
class JobModel(FrozenFields):
    """A job's config and its containers, by id.

    ``stated_partitions`` is the number of changelog partitions in the JSON, or None. ``origin`` is the JSON itself, so
    that an unchanged model is written as the same bytes. Neither affects equality.
    """

    config: Mapping[str, str]
    containers: Mapping[str, ContainerModel]
    stated_partitions: int | None = field(default=None, compare=False, repr=False)
    origin: bytes | None = field(default=None, compare=False, repr=False)

    @property
    def tasks(self) -> Mapping[str, TaskModel]:
        models = (task for container in self.containers.values() for task in container.tasks.values())
        return MappingProxyType({task.task_name: task for task in models})

    @property
    def max_changelog_stream_partitions(self) -> int:
        """The number in the JSON, if the model was read from one; else the greatest of a task plus one (SAMZA-686)."""
        if self.stated_partitions is not None:
            return self.stated_partitions
        return max((task.changelog_partition + 1 for task in self.tasks.values()), default=0)


def compare_container_models(first: JobModel | None, second: JobModel | None) -> bool:
    """Whether two job models have the same containers, whatever their configs (JobModelUtil of Samza)."""
    if first is None or second is None:
        return first is second
    return first.containers == second.containers


def compare_container_model_for_processor(processor_id: str, first: JobModel | None, second: JobModel | None) -> bool:
    """Whether two job models have the same tasks in one container (JobModelUtil of Samza)."""
    if not processor_id or processor_id.isspace():
        raise ValueError("processor_id must not be blank")
    if first is None or second is None:
        return first is second
    return first.containers.get(processor_id) == second.containers.get(processor_id)
