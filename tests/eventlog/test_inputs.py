"""The streams a job reads."""

import pytest

from eventlog.errors import ConfigError
from eventlog.inputs import broadcast_partitions, inputs, task_inputs


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, None),
        ({"task.inputs": ""}, set()),
        ({"task.inputs": "kafka.page-views, kafka.a.b"}, {("kafka", "page-views"), ("kafka", "a.b")}),
        ({"task.broadcast.inputs": "kafka.rules#0,kafka.more#[0-3],kafka.c#"}, "broadcast"),
        ({"task.inputs": "pv"}, set()),
        ({"task.inputs": "pv", "job.default.system": "kafka"}, {("kafka", "pv")}),
        (
            {
                "task.inputs": "pv",
                "job.default.system": "kafka",
                "streams.pv.samza.system": "other",
                "streams.pv.samza.physical.name": "page.views",
            },
            {("other", "page.views")},
        ),
    ],
)
def test_inputs(config: dict[str, str], expected: object) -> None:
    broadcast = {("kafka", "rules"), ("kafka", "more"), ("kafka", "c#")}
    assert inputs(config) == (broadcast if expected == "broadcast" else expected)


def test_task_inputs_are_those_that_tasks_share_out() -> None:
    config = {"task.inputs": "kafka.page-views, pv", "task.broadcast.inputs": "kafka.rules#0"}
    known = {"streams.pv.samza.system": "other", "streams.pv.samza.physical.name": "page.views"}
    assert task_inputs(config | known) == {("kafka", "page-views"), ("other", "page.views")}
    assert task_inputs({}) == set()
    with pytest.raises(ConfigError, match=r"stream id 'pv' in task\.inputs has no system"):
        task_inputs(config)


def test_broadcast_partitions_are_named_one_by_one_or_as_a_range() -> None:
    config = {"task.broadcast.inputs": "kafka.rules#0, kafka.more#[2-4],kafka.none#[4-2]"}
    assert sorted(map(str, broadcast_partitions(config))) == [
        "kafka.more.2",
        "kafka.more.3",
        "kafka.more.4",
        "kafka.rules.0",
    ]
    assert broadcast_partitions({}) == frozenset()


@pytest.mark.parametrize("entry", ["kafka.rules", "kafka.rules#", "kafka.rules#a", "kafka.rules#[1]", "rules#0"])
def test_a_broadcast_input_names_its_partitions(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"task\.broadcast\.inputs"):
        broadcast_partitions({"task.broadcast.inputs": entry})
