"""Startpoint requests and fan-outs in a store: their keys, Samza's own bytes, and what a fan-out writes."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import StartpointSpecific
from eventlog.wire.coordinator import encode_key
from eventlog.wire.startpoints import encode_startpoint
from managers.startpoints.startpoint_records import (
    FanOuts,
    fan_out_key,
    fan_out_value,
    plan_fan_out,
    read_fan_out,
    read_request,
    request_key,
    should_fan_out_startpoints,
)
from tests.vectors.building import partition_of, startpoint_of, startpoint_of_kind
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]


@pytest.mark.parametrize("vector", vectors("startpoint"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("SPM-03", "SPM-19", "HRD-38")
def test_a_request_has_samzas_bytes(vector: Vector) -> None:
    given = vector["input"]
    startpoint = startpoint_of_kind(given["kind"], given["creationTimestamp"], given["argument"])
    name = request_key(partition_of(given["ssp"]), given["task"])
    assert encode_key(*name) == decoded(vector["key_b64"])
    assert encode_startpoint(startpoint) == decoded(vector["value_b64"])
    assert read_request(name, encode_startpoint(startpoint)) == startpoint


@pytest.mark.parametrize("vector", vectors("startpoint_fan_out"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("SPM-19")
def test_a_fan_out_is_read_as_intended_even_if_samza_cannot_read_it(vector: Vector) -> None:
    given = vector["input"]
    expected = {partition_of(each["ssp"]): startpoint_of(each["startpoint"]) for each in given["fan_outs"]}
    name = fan_out_key(given["task"])
    assert encode_key(*name) == decoded(vector["key_b64"])
    value = decoded(vector["value_b64"])
    assert value is not None
    read = read_fan_out(name, value)
    assert (read.timestamp, read.fan_outs) == (given["timestamp"], expected)
    again = fan_out_value(read.timestamp, read.fan_outs)
    assert again is not None
    assert read_fan_out(name, again) == read
    assert len(again) == len(value)


NOW_MS = 1_700_000_000_000
A, B = SystemStreamPartition("k", "s", 0), SystemStreamPartition("k", "s", 1)
TASKS = {"t0": [A], "t1": [A, B]}
HIGH_AVAILABILITY = {"yarn.am.high-availability.enabled": "true"}
KEYS = [StartpointKey(A), StartpointKey(B), *(StartpointKey(A, TaskName(task)) for task in TASKS)]


@given(st.dictionaries(st.sampled_from(KEYS), st.integers(NOW_MS - 3, NOW_MS)))
def test_after_a_crash_between_deletes_the_next_fan_out_has_the_same_result(created: dict[StartpointKey, int]) -> None:
    names = itertools.count()
    requests = {key: StartpointSpecific(str(next(names)), at) for key, at in created.items()}
    plan = plan_fan_out(requests, TASKS, NOW_MS)
    for deleted in range(len(plan.deleted_keys) + 1):
        left = {key: one for key, one in requests.items() if str(key) not in plan.deleted_keys[:deleted]}
        again = plan_fan_out(left, TASKS, NOW_MS)
        assert _after(_after({}, plan.fanned_out), again.fanned_out) == _after({}, plan.fanned_out)


def _after(previous: FanOuts, fanned_out: FanOuts) -> FanOuts:
    return {task: {**previous.get(task, {}), **fanned_out.get(task, {})} for task in TASKS}


@pytest.mark.parametrize(
    ("config", "changes", "expected"),
    [
        ({}, set(), True),
        ({"yarn.am.high-availability.enabled": "false"}, set(), True),
        (HIGH_AVAILABILITY, set(), False),
        (HIGH_AVAILABILITY, {"JOB_MODEL"}, True),
        ({"job.startpoint.enabled": "True", **HIGH_AVAILABILITY}, {"NEW_DEPLOYMENT"}, True),
        ({"job.startpoint.enabled": "false", **HIGH_AVAILABILITY}, {"NEW_DEPLOYMENT"}, False),
        ({"job.startpoint.enabled": "false"}, set(), False),
    ],
)
@pytest.mark.scenario("SPM-27")
def test_with_high_availability_only_a_changed_job_fans_out_startpoints(
    config: dict[str, str], changes: set[str], expected: bool
) -> None:
    assert should_fan_out_startpoints(config, changes) is expected
