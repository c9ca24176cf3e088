"""The streams a job reads."""

import pytest

from eventlog.starting_offset import inputs


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
