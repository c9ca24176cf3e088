"""What a fan-out of startpoints writes, and when there is one; the vectors have the bytes of requests and fan-outs."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import StartpointSpecific
from managers.startpoints.startpoint_records import FanOuts, plan_fan_out, should_fan_out_startpoints

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
