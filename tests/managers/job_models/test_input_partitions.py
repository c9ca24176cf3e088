"""The partitions of a job's inputs, and which of them its matcher leaves."""

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.job_models.input_partitions import count_partitions, input_partitions

CONFIG = {"task.inputs": "test.stream1", "job.factory.class": "org.apache.samza.job.local.ThreadJobFactory"}
STREAMS = {("test", "stream1"): range(10), ("test", "other"): [0]}
REGEX = {
    "job.systemstreampartition.matcher.class": "org.apache.samza.system.RegexSystemStreamPartitionMatcher",
    "job.systemstreampartition.matcher.config.regex": "[1]",
}
RANGES = {
    "job.systemstreampartition.matcher.class": "org.apache.samza.system.RangeSystemStreamPartitionMatcher",
    "job.systemstreampartition.matcher.config.ranges": "1,7-9",
}


def numbers(config: dict[str, str]) -> list[int]:
    found = input_partitions(config, STREAMS)
    assert {(each.system, each.stream) for each in found} == {("test", "stream1")}
    return sorted(each.partition for each in found)


def test_partitions_of_the_inputs() -> None:
    assert numbers(CONFIG) == list(range(10))
    assert input_partitions({"task.inputs": "test.other"}, STREAMS) == {SystemStreamPartition("test", "other", 0)}
    assert input_partitions({}, STREAMS) == set()


@pytest.mark.parametrize(("matcher", "expected"), [(REGEX, [1]), (RANGES, [1, 7, 8, 9])])
def test_a_matcher_leaves_what_it_names(matcher: dict[str, str], expected: list[int]) -> None:
    assert numbers(CONFIG | matcher) == expected


@pytest.mark.parametrize("factory", [None, "org.apache.samza.job.yarn.YarnJobFactory"])
def test_a_matcher_is_for_jobs_without_a_cluster(factory: str | None) -> None:
    config = {key: value for key, value in (CONFIG | REGEX).items() if key != "job.factory.class"}
    assert numbers(config if factory is None else config | {"job.factory.class": factory}) == list(range(10))


def test_a_matcher_may_be_for_other_jobs() -> None:
    others = {"job.systemstreampartition.matcher.config.job.factory.regex": ".*Yarn.*"}
    yarn = {"job.factory.class": "org.apache.samza.job.yarn.YarnJobFactory"}
    assert numbers(CONFIG | REGEX | others) == list(range(10))
    assert numbers(CONFIG | REGEX | others | yarn) == [1]


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"task.inputs": "test.gone"}, r"test\.gone is in task\.inputs, and its partitions are not given"),
        (REGEX | {"job.systemstreampartition.matcher.class": "org.example.Mine"}, r"class is org\.example\.Mine"),
        (REGEX | {"job.systemstreampartition.matcher.config.regex": "["}, "regex is no regular expression"),
        (RANGES | {"job.systemstreampartition.matcher.config.ranges": "1,a"}, "ranges is '1,a'"),
        ({"job.systemstreampartition.matcher.class": REGEX["job.systemstreampartition.matcher.class"]}, "set both"),
        ({"task.inputs": "id"}, r"task\.inputs has the stream id 'id', and no system for it"),
    ],
)
def test_what_can_t_be_used_is_named(config: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        input_partitions(CONFIG | config, STREAMS)


def test_each_system_is_asked_for_its_own_inputs() -> None:
    class Counter:
        def __init__(self, counts: dict[str, int]) -> None:
            self.partition_count = counts.__getitem__

    config = {"task.inputs": "one.a,other.b,one.c", "task.broadcast.inputs": "third.d#0"}
    systems = {"one": Counter({"a": 2, "c": 3}), "other": Counter({"b": 4})}
    assert count_partitions(config, systems) == {
        ("one", "a"): range(2),
        ("one", "c"): range(3),
        ("other", "b"): range(4),
    }
    with pytest.raises(ConfigError, match=r"other\.b is in task\.inputs, and its system is not given"):
        count_partitions(config, {"one": systems["one"]})
