"""A job's inputs: their partitions, the matcher, and streams that match a pattern."""

import pytest

from eventlog.errors import ConfigError
from managers.job_models.job_model_building import input_partitions, with_matching_inputs

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


@pytest.mark.parametrize(("matcher", "expected"), [(REGEX, [1]), (RANGES, [1, 7, 8, 9])])
def test_a_matcher_selects_partitions(matcher: dict[str, str], expected: list[int]) -> None:
    assert numbers(CONFIG | matcher) == expected


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"task.inputs": "test.gone"}, r"test\.gone is in task\.inputs, but its partitions are unknown"),
        (REGEX | {"job.systemstreampartition.matcher.class": "org.example.Mine"}, r"class is org\.example\.Mine"),
        (REGEX | {"job.systemstreampartition.matcher.config.regex": "["}, "regex is not a valid regular expression"),
        (RANGES | {"job.systemstreampartition.matcher.config.ranges": "1,a"}, "ranges is '1,a'"),
        (
            {"job.systemstreampartition.matcher.class": REGEX["job.systemstreampartition.matcher.class"]},
            "Set both or neither",
        ),
        ({"task.inputs": "id"}, r"stream id 'id' in task\.inputs has no system"),
    ],
)
def test_invalid_matcher_settings_are_named(config: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        input_partitions(CONFIG | config, STREAMS)


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
