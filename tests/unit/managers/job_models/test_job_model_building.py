"""Building a job model from config, inputs and the previous assignment."""

from typing import Final

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.config.job_config import DEFAULTS
from managers.job_models.grouping import (
    INPUT_EXPANSION,
    group_by_container_count,
    keep_tasks,
    keeps_tasks,
    positive_number,
)
from managers.job_models.job_model import JobModel, TaskModel
from managers.job_models.job_model_building import (
    PreviousAssignment,
    build_job_model,
    container_count,
    count_partitions,
    input_partitions,
    with_matching_inputs,
)
from managers.job_models.job_model_json import job_model_from_json, job_model_to_json
from tests.fixtures.managers.noted_topics import NotedTopics

READS_ONE = {"task.inputs": "test.stream1", "job.factory.class": "org.apache.samza.job.local.ThreadJobFactory"}
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


@pytest.mark.parametrize(("matcher", "expected"), [(REGEX, [1]), (RANGES, [1, 7, 8, 9])])
def test_a_matcher_selects_partitions(matcher: dict[str, str], expected: list[int]) -> None:
    assert numbers(READS_ONE | matcher) == expected


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"task.inputs": "test.gone"}, r"test\.gone is in task\.inputs, but its partitions are unknown"),
        (REGEX | {"job.systemstreampartition.matcher.class": "org.example.Mine"}, r"class is org\.example\.Mine"),
        (
            REGEX | {"job.systemstreampartition.matcher.config.regex": "["},
            "regex is not a valid regular expression of Python",
        ),
        (
            REGEX | {"job.systemstreampartition.matcher.config.regex": "[a-z&&[^x]]"},
            "not a valid regular expression of Python",
        ),
        (RANGES | {"job.systemstreampartition.matcher.config.ranges": "1,a"}, "ranges is '1,a'"),
        (
            {"job.systemstreampartition.matcher.class": REGEX["job.systemstreampartition.matcher.class"]},
            "The config has no job.systemstreampartition.matcher.config.regex",
        ),
        ({"task.inputs": "id"}, r"stream id 'id' in task\.inputs has no system"),
    ],
)
def test_invalid_matcher_settings_are_named(config: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        input_partitions(READS_ONE | config, STREAMS)


REWRITER = {
    "job.config.rewriters": "mine,by-pattern",
    "job.config.rewriter.mine.class": "org.example.MyRewriter",
    "job.config.rewriter.by-pattern.class": "org.apache.samza.config.RegExTopicGenerator",
    "job.config.rewriter.by-pattern.regex": ".*-views",
    "job.config.rewriter.by-pattern.system": "kafka",
    "job.config.rewriter.by-pattern.config.samza.offset.default": "oldest",
}


def test_matching_streams_are_inputs() -> None:
    config = {"task.inputs": "kafka.orders"} | REWRITER
    found = with_matching_inputs(config, {"kafka": ["page-views", "ad-views", "views-of"], "other": ["x-views"]})
    assert found.pop("task.inputs") == "kafka.ad-views,kafka.orders,kafka.page-views"
    assert found.pop("systems.kafka.streams.page-views.samza.offset.default") == "oldest"
    assert found.pop("systems.kafka.streams.ad-views.samza.offset.default") == "oldest"
    assert found == REWRITER


INPUT: Final = ("test", "stream1")
CONFIG: Final = {"job.name": "test", "job.container.count": "2", "task.inputs": "test.stream1"}


def read_by(model: JobModel) -> dict[str, set[str]]:
    return {name: set(map(str, task.partitions)) for name, task in model.tasks.items()}


def containers(model: JobModel) -> dict[str, dict[str, int]]:
    return {
        key: {name: task.changelog_partition for name, task in container.tasks.items()}
        for key, container in model.containers.items()
    }


def assignment(model: JobModel) -> PreviousAssignment:
    """The assignment that the next run gets from this one."""
    homes = {name: key for key, container in model.containers.items() for name in container.tasks}
    return PreviousAssignment(homes, {name: task.partitions for name, task in model.tasks.items()})


@pytest.mark.scenario("JMM-01")
def test_tasks_and_changelog_partitions_of_containers() -> None:
    model = build_job_model(CONFIG, {INPUT: range(3)}, {"Partition 0": 4, "Partition 1": 3, "Partition 2": 5})
    assert containers(model) == {"0": {"Partition 0": 4, "Partition 2": 5}, "1": {"Partition 1": 3}}
    again = job_model_from_json(job_model_to_json(model))
    assert again.containers == model.containers
    assert again.config == CONFIG
    assert again.max_changelog_stream_partitions == 6


@pytest.mark.scenario("JMM-11")
def test_changelog_partitions_are_assigned_after_the_matcher() -> None:
    model = build_job_model(CONFIG | READS_ONE | REGEX | {"job.container.count": "1"}, {INPUT: range(3)}, {})
    assert containers(model) == {"0": {"Partition 1": 0}}


@pytest.mark.parametrize("factor", ["1", "0", "-1"])
def test_there_are_no_standby_containers_below_a_factor_of_two(factor: str) -> None:
    """As in Samza (JobConfig.getStandbyTasksEnabled)."""
    model = build_job_model(CONFIG | {"job.standbytasks.replication.factor": factor}, {INPUT: range(2)}, {})
    assert set(model.containers) == {"0", "1"}


@pytest.mark.scenario("HRD-54")
def test_a_new_topic_is_read_after_the_next_deployment() -> None:
    streams = {("kafka", "page-views"): range(2)}
    config = with_matching_inputs({"job.container.count": "2"} | REWRITER, {"kafka": ["page-views"]})
    first = build_job_model(config, streams, {})
    numbers = {name: task.changelog_partition for name, task in first.tasks.items()}
    streams[("kafka", "ad-views")] = range(3)
    config = with_matching_inputs(config, {"kafka": ["page-views", "ad-views"]})
    second = build_job_model(config, streams, numbers, assignment(first))
    assert second.config["task.inputs"] == "kafka.ad-views,kafka.page-views"
    assert read_by(second) == {
        "Partition 0": {"kafka.page-views.0", "kafka.ad-views.0"},
        "Partition 1": {"kafka.page-views.1", "kafka.ad-views.1"},
        "Partition 2": {"kafka.ad-views.2"},
    }
    assert {name: second.tasks[name].changelog_partition for name in numbers} == numbers


@pytest.mark.scenario("HRD-08")
def test_a_model_of_five_thousand_partitions_needs_one_query() -> None:
    system = NotedTopics(stream1=5000)
    model = build_job_model(CONFIG, count_partitions(CONFIG, {"test": system}), {})
    assert system.calls == ["validate stream1"]
    assert len(model.tasks) == 5000
    assert all(task.offsets == {} for task in model.tasks.values())


@pytest.mark.parametrize("key", sorted(DEFAULTS))
def test_every_grouping_setting_is_used_or_refused(key: str) -> None:
    plain = build_job_model(CONFIG, {INPUT: range(3)}, {})
    assert read_by(build_job_model({**CONFIG, key: DEFAULTS[key]}, {INPUT: range(3)}, {})) == read_by(plain)
    with pytest.raises(ConfigError, match=key.replace(".", r"\.")):
        build_job_model({**CONFIG, key: "2"}, {INPUT: range(3)}, {})


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({}, 1),
        ({"job.container.count": "3"}, 3),
        ({"yarn.container.count": "4"}, 4),
        ({"job.container.count": "3", "yarn.container.count": "4"}, 3),
        ({"job.container.count": "1", "job.autosizing.container.count": "2"}, 1),
        ({"job.container.count": "1", "job.autosizing.container.count": "2", "job.autosizing.enabled": "true"}, 2),
        ({"job.container.count": "3", "job.autosizing.enabled": "true"}, 3),
    ],
)
def test_the_container_count(config: dict[str, str], count: int) -> None:
    assert container_count(config) == count


@pytest.mark.parametrize("text", ["0", "-1", "many", "", "1_0", " 3", "2147483648"])
def test_a_count_is_a_positive_integer(text: str) -> None:
    with pytest.raises(ConfigError, match=r"job\.container\.count is .*\. Expected a positive integer"):
        container_count({"job.container.count": text})
    with pytest.raises(ConfigError, match=r"^n is .*\. Expected a positive integer"):
        positive_number({"n": text}, "n")


ROCKS_DB = "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory"
IN_MEMORY = "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory"


def by_task(count: int) -> dict[str, frozenset[SystemStreamPartition]]:
    return {f"Partition {at}": frozenset({SystemStreamPartition("kafka", "in", at)}) for at in range(count)}


@pytest.mark.parametrize(
    ("config", "keeps"),
    [
        ({}, False),
        ({"stores.counts.factory": ROCKS_DB}, True),
        ({"stores.counts.factory": ROCKS_DB, INPUT_EXPANSION: "false"}, False),
        ({"stores.counts.factory": IN_MEMORY}, False),
        ({"stores.counts.factory": IN_MEMORY, "stores.more.factory": ROCKS_DB}, True),
        ({"stores.counts.changelog": "kafka.counts", "stores.counts.side.inputs.processor.factory": "x.Y"}, False),
    ],
)
def test_tasks_with_state_keep_their_partitions(config: dict[str, str], keeps: bool) -> None:
    assert keeps_tasks(config) == keeps


def test_a_count_that_is_not_a_multiple_is_refused() -> None:
    with pytest.raises(
        ConfigError,
        match=r"kafka\.in has 6 partitions, which is not a multiple of the previous 4: .*\.input\.expansion\.enabled",
    ):
        keep_tasks(by_task(6), by_task(4), ())


def test_more_containers_than_tasks_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"2 containers but only 1 tasks\. Set job\.container\.count to 1 or less"):
        group_by_container_count([TaskModel("t", frozenset(), 0)], 2, {})
    with pytest.raises(ConfigError, match=r"The job has no tasks, .* Check task\.inputs"):
        group_by_container_count([], 1, {})
