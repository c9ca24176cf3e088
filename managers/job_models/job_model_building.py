"""Builds a job model from config, inputs and the previous assignment (JobModelCalculator of Samza 1.8.0)."""

import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from eventlog.config import TASK_INPUTS, boolean, broadcast_partitions, integer, task_inputs
from eventlog.errors import ConfigError
from eventlog.frozen_dict import frozen
from eventlog.partition import SystemStreamPartition
from managers.assignments.changelog_partition_manager import assign_changelog_partitions
from managers.config.job_config import AUTOSIZING, is_autosized
from managers.job_models.grouping import (
    Groups,
    group_by_container_count,
    group_partitions,
    keep_tasks,
    keeps_tasks,
    make_standby_containers,
    positive_number,
    require_known_grouping,
    task_namer,
)
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.jvm_order import text_order
from managers.job_names import Config
from managers.stream_creation import InputAdmin

StreamPartitions = Mapping[tuple[str, str], Collection[int]]
"""The partition numbers of streams, by system and stream."""

_REWRITERS: Final = "job.config.rewriters"
_REWRITER: Final = "job.config.rewriter."
_TOPIC_GENERATOR: Final = ".RegExTopicGenerator"

_MATCHER: Final = "job.systemstreampartition.matcher."
_CLASS: Final = f"{_MATCHER}class"
_REGEX: Final = f"{_MATCHER}config.regex"
_RANGES: Final = f"{_MATCHER}config.ranges"
_JOB_FACTORIES: Final = f"{_MATCHER}config.job.factory.regex"
_JOB_FACTORY: Final = "job.factory.class"
_LOCAL_FACTORIES: Final = r"org\.apache\.samza\.job\.local(.*ProcessJobFactory|.*ThreadJobFactory)"
_RANGE: Final = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def with_matching_inputs(config: Config, streams: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The config with all existing streams in ``task.inputs`` that a RegExTopicGenerator (Samza's rewriter) matches.

    ``streams`` has the names of each system's streams. The ``config.`` settings of a rewriter are copied to each stream
    that it matches, unless the stream has them. Raises `ConfigError`.
    """
    result = dict(config)
    for prefix, system, pattern in _topic_generators(config):
        matching = [stream for stream in streams.get(system, ()) if pattern.fullmatch(stream)]
        settings = {key: value for key, value in config.items() if key.startswith(f"{prefix}config.")}
        added = {
            f"systems.{system}.streams.{stream}.{key.removeprefix(f'{prefix}config.')}": value
            for stream in matching
            for key, value in settings.items()
        }
        inputs = {*task_inputs(result), *((system, stream) for stream in matching)}
        listed = sorted((".".join(each) for each in inputs), key=text_order)
        result = {**added, **result, TASK_INPUTS: ",".join(listed)}
    return result


def unsupported_rewriters(config: Config) -> Iterator[tuple[str, str]]:
    """The rewriters that `with_matching_inputs` ignores: the key of each one's class, and the class."""
    for key in (f"{prefix}class" for prefix in _rewriters(config)):
        if not config.get(key, "").endswith(_TOPIC_GENERATOR):
            yield key, config.get(key, "")


def input_patterns(config: Config) -> dict[str, list[re.Pattern[str]]]:
    """The patterns of each system whose streams `with_matching_inputs` needs. Raises `ConfigError`."""
    patterns: dict[str, list[re.Pattern[str]]] = {}
    for _prefix, system, pattern in _topic_generators(config):
        patterns.setdefault(system, []).append(pattern)
    return patterns


def count_partitions(config: Config, systems: Mapping[str, InputAdmin]) -> StreamPartitions:
    """The partitions of each stream in ``task.inputs``, and nothing else (SAMZA-971). Raises `ConfigError`."""
    inputs = sorted(task_inputs(config))
    return {(system, stream): range(systems[system].partition_count(stream)) for system, stream in inputs}


def input_partitions(config: Config, streams: StreamPartitions) -> set[SystemStreamPartition]:
    """The partitions of the streams in ``task.inputs`` that the job's matcher accepts (JobModelCalculator of Samza).

    The matcher applies only to job factories that it is configured for, by default those of local jobs.
    """
    matches = _matcher(config)
    return {
        SystemStreamPartition(system, stream, number)
        for system, stream in task_inputs(config)
        for number in _numbers(streams, system, stream)
        if matches(number)
    }


def _rewriters(config: Config) -> Iterator[str]:
    """The prefixes of the settings of each rewriter."""
    names = filter(None, map(str.strip, config.get(_REWRITERS, "").split(",")))
    return (f"{_REWRITER}{name}." for name in names)


def _topic_generators(config: Config) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """The prefix, the system and the pattern of each one."""
    remedy = f"its rewriter from {_REWRITERS}"
    for prefix in _rewriters(config):
        if config.get(f"{prefix}class", "").endswith(_TOPIC_GENERATOR):
            regex = f"{prefix}regex"
            yield (
                prefix,
                _required(config, f"{prefix}system", remedy),
                _compile(regex, _required(config, regex, remedy)),
            )


def _required(config: Config, key: str, remedy: str) -> str:
    if key not in config:
        raise ConfigError(f"The config has no {key}. Set it, or remove {remedy}.")
    return config[key]


def _numbers(streams: StreamPartitions, system: str, stream: str) -> Collection[int]:
    found = streams.get((system, stream))
    if found is None:
        raise ConfigError(
            f"{system}.{stream} is in task.inputs, but its partitions are unknown. Check that the stream exists."
        )
    return found


def _matcher(config: Config) -> Callable[[int], bool]:
    name = config.get(_CLASS)
    if name is None or not _applies_to_job(config):
        return lambda _number: True
    if name.endswith(".RegexSystemStreamPartitionMatcher"):
        pattern = _compile(_REGEX, _required(config, _REGEX, _CLASS))
        return lambda number: pattern.fullmatch(str(number)) is not None
    if name.endswith(".RangeSystemStreamPartitionMatcher"):
        ranges = _parse_ranges(_required(config, _RANGES, _CLASS))
        return lambda number: any(number in each for each in ranges)
    raise ConfigError(f"{_CLASS} is {name}, which is not supported. Set Samza's matcher by regex or by range.")


def _applies_to_job(config: Config) -> bool:
    factory = config.get(_JOB_FACTORY)
    pattern = config.get(_JOB_FACTORIES, _LOCAL_FACTORIES)
    return factory is not None and _compile(_JOB_FACTORIES, pattern).fullmatch(factory) is not None


def _parse_ranges(text: str) -> list[range]:
    found = [_RANGE.fullmatch(part) for part in text.split(",")]
    if None in found:
        raise ConfigError(f"{_RANGES} is {text!r}. Expected numbers and ranges, for example 1,7-9.")
    return [range(int(each[1]), int(each[2] or each[1]) + 1) for each in found if each is not None]


def _compile(key: str, pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # a set within a set, such as Java's [a-z&&[^b]]
            return re.compile(pattern)
    except (re.error, FutureWarning) as error:
        raise ConfigError(f"{key} is not a valid regular expression of Python: {error}.") from None


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


def _groups(config: Config, streams: StreamPartitions, previous: Groups) -> Groups:
    broadcast = broadcast_partitions(config)
    groups = group_partitions(input_partitions(config, streams), broadcast, task_namer(config))
    return keep_tasks(groups, previous, broadcast) if keeps_tasks(config) else groups


def _containers(config: Config, tasks: list[TaskModel], previous: Mapping[str, str]) -> list[ContainerModel]:
    has_affinity = boolean(config, HOST_AFFINITY, default=boolean(config, _OLD_HOST_AFFINITY, default=False))
    active = group_by_container_count(tasks, container_count(config), previous if has_affinity else {})
    factor = integer(config, _STANDBY_FACTOR, default=1)  # as in Samza, there are no standby tasks below 2
    return [*active, *make_standby_containers(active, factor)]
