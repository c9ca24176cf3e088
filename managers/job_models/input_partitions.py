"""The partitions that a job's tasks read, of all that its inputs have (JobModelCalculator of Samza)."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final, Protocol

from eventlog.errors import ConfigError
from eventlog.inputs import task_inputs
from eventlog.partition import SystemStreamPartition
from managers.job_names import Config

StreamPartitions = Mapping[tuple[str, str], Collection[int]]
"""The partition numbers of streams, by system and stream."""

_MATCHER: Final = "job.systemstreampartition.matcher."
_CLASS: Final = f"{_MATCHER}class"
_REGEX: Final = f"{_MATCHER}config.regex"
_RANGES: Final = f"{_MATCHER}config.ranges"
_JOB_FACTORIES: Final = f"{_MATCHER}config.job.factory.regex"
_JOB_FACTORY: Final = "job.factory.class"
_LOCAL_FACTORIES: Final = r"org\.apache\.samza\.job\.local(.*ProcessJobFactory|.*ThreadJobFactory)"
_RANGE: Final = re.compile(r"([0-9]+)(?:-([0-9]+))?")


class PartitionCounter(Protocol):
    """What knows how many partitions the streams of a system have, as `eventlog.kafka.admin.KafkaAdmin` does."""

    def partition_count(self, name: str) -> int:
        """How many partitions a stream has. Raises an `EventLogError` where it is not there."""


def count_partitions(config: Config, systems: Mapping[str, PartitionCounter]) -> StreamPartitions:
    """Ask the systems of a job how many partitions each stream in ``task.inputs`` has, and nothing else (SAMZA-971).

    Raises:
        ConfigError: an input is on a system that was not given; or what a system raises.
    """
    return {
        (system, stream): range(_counter(systems, system, stream).partition_count(stream))
        for system, stream in sorted(task_inputs(config))
    }


def input_partitions(config: Config, streams: StreamPartitions) -> set[SystemStreamPartition]:
    """The partitions of the streams in ``task.inputs``, less those that the job's matcher leaves out.

    A matcher counts where the job's factory is one that it is for: by default those of jobs that run without a cluster.

    Raises:
        ConfigError: an input's partitions are not given, or the matcher's settings can't be used.
    """
    matches = _matcher(config)
    return {
        SystemStreamPartition(system, stream, number)
        for system, stream in task_inputs(config)
        for number in _numbers(streams, system, stream)
        if matches(number)
    }


def _counter(systems: Mapping[str, PartitionCounter], system: str, stream: str) -> PartitionCounter:
    if system not in systems:
        raise ConfigError(f"{system}.{stream} is in task.inputs, and its system is not given: give an admin of it")
    return systems[system]


def _numbers(streams: StreamPartitions, system: str, stream: str) -> Collection[int]:
    found = streams.get((system, stream))
    if found is None:
        raise ConfigError(f"{system}.{stream} is in task.inputs, and its partitions are not given: see if it is there")
    return found


def _matcher(config: Config) -> Callable[[int], bool]:
    name = config.get(_CLASS)
    if name is None or not _is_for_job(config):
        return lambda _number: True
    if name.endswith(".RegexSystemStreamPartitionMatcher"):
        wanted = _pattern(config, _REGEX)
        return lambda number: wanted.fullmatch(str(number)) is not None
    if name.endswith(".RangeSystemStreamPartitionMatcher"):
        numbers = _ranges(_setting(config, _RANGES))
        return lambda number: any(number in each for each in numbers)
    raise ConfigError(f"{_CLASS} is {name}, which is not known here: set Samza's by regex or by range")


def _is_for_job(config: Config) -> bool:
    factory = config.get(_JOB_FACTORY)
    return factory is not None and _pattern(config, _JOB_FACTORIES, _LOCAL_FACTORIES).fullmatch(factory) is not None


def _ranges(text: str) -> list[range]:
    found = [_RANGE.fullmatch(part) for part in text.split(",")]
    if None in found:
        raise ConfigError(f"{_RANGES} is {text!r}: list numbers and ranges, such as 1,7-9")
    return [range(int(each[1]), int(each[2] or each[1]) + 1) for each in found if each is not None]


def _pattern(config: Config, key: str, default: str | None = None) -> re.Pattern[str]:
    text = config.get(key, default)
    try:
        return re.compile(_setting(config, key) if text is None else text)
    except re.error as error:
        raise ConfigError(f"{key} is no regular expression ({error}): correct it") from None


def _setting(config: Config, key: str) -> str:
    if key not in config:
        raise ConfigError(f"{_CLASS} is set and {key} is not: set both")
    return config[key]
