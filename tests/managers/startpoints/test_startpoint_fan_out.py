"""Fan-outs: which startpoint each task gets, what is written, and whether a start fans out."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific
from managers.startpoints.startpoint_fan_out import (
    FanOuts,
    fan_out_requests,
    merge_fan_out,
    plan_fan_out,
    remove_partitions,
    should_fan_out_startpoints,
)
from managers.startpoints.startpoint_records import (
    StartpointUnreadable,
    fan_out_key,
    fan_out_value,
    request_key,
    request_value,
)
from managers.stores.namespaced_key import NamespacedKey

NOW_MS = 1_700_000_000_000
A, B = SystemStreamPartition("k", "s", 0), SystemStreamPartition("k", "s", 1)
TASKS = {"t0": [A], "t1": [A, B]}
REQUEST = StartpointSpecific("1", 1_000)
OTHER = StartpointOldest(1_001)
HIGH_AVAILABILITY = {"yarn.am.high-availability.enabled": "true"}
KEYS = [StartpointKey(A), StartpointKey(B), *(StartpointKey(A, TaskName(task)) for task in TASKS)]


def keyed(partition: SystemStreamPartition, task: str | None = None) -> StartpointKey:
    """The key of a request."""
    return StartpointKey(partition, None if task is None else TaskName(task))


def test_superseded_requests_are_deleted_before_the_ones_that_supersede_them() -> None:
    requests: dict[StartpointKey, Startpoint] = {
        keyed(A): StartpointSpecific("all", NOW_MS - 2),
        keyed(A, "t0"): StartpointSpecific("older", NOW_MS - 3),
        keyed(A, "t1"): StartpointSpecific("own", NOW_MS - 2),
    }
    plan = plan_fan_out(requests, TASKS, NOW_MS)
    assert plan.fanned_out == {"t0": {A: requests[keyed(A)]}, "t1": {A: requests[keyed(A, "t1")]}}
    assert plan.deleted_keys == ("k.s.0.t0", "k.s.0", "k.s.0.t1")


def test_an_expired_request_is_not_deleted() -> None:
    requests = {
        keyed(A): StartpointOldest(NOW_MS - EXPIRY_MS + 1),
        keyed(A, "t1"): StartpointOldest(NOW_MS - EXPIRY_MS),
    }
    plan = plan_fan_out(requests, TASKS, NOW_MS)
    assert plan.fanned_out == {task: {A: requests[keyed(A)]} for task in TASKS}
    assert plan.deleted_keys == ("k.s.0",)


def test_a_new_startpoint_replaces_a_previous_one_of_the_same_partition() -> None:
    old, new = StartpointSpecific("1", NOW_MS), StartpointSpecific("2", NOW_MS - 1)
    assert merge_fan_out({A: old, B: old}, {B: new}) == {A: old, B: new}


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
    return {task: merge_fan_out(previous.get(task, {}), fanned_out.get(task, {})) for task in TASKS}


def test_fan_outs_are_written_before_requests_are_deleted() -> None:
    stored = {
        request_key(A, None): request_value(REQUEST),
        NamespacedKey("set-config", "k.s.0"): b"ignored",
        fan_out_key("t0"): fan_out_value(1, {B: OTHER}) or b"",
    }
    fanned_out, changes = fan_out_requests(stored, {"t0": [A], "t1": [A]}, 5)
    assert fanned_out == {"t0": {A: REQUEST}, "t1": {A: REQUEST}}
    assert list(changes.items()) == [
        (fan_out_key("t0"), fan_out_value(5, {A: REQUEST, B: OTHER})),
        (fan_out_key("t1"), fan_out_value(5, {A: REQUEST})),
        (request_key(A, None), None),
    ]


def test_an_unchanged_fan_out_is_not_written_again() -> None:
    stored = {request_key(A, None): request_value(REQUEST), fan_out_key("t0"): fan_out_value(1, {A: REQUEST}) or b""}
    fanned_out, changes = fan_out_requests(stored, {"t0": [A]}, 5)
    assert (fanned_out, changes) == ({"t0": {A: REQUEST}}, {request_key(A, None): None})


def test_no_request_writes_nothing() -> None:
    assert fan_out_requests({fan_out_key("t0"): b"unreadable"}, {"t0": [A]}, 5) == ({}, {})


def test_a_removal_keeps_the_time_and_deletes_the_record_with_its_last_partition() -> None:
    stored = {fan_out_key("t"): fan_out_value(7, {A: REQUEST, B: OTHER}) or b""}
    assert remove_partitions(stored, "t", {A}) == {fan_out_key("t"): fan_out_value(7, {B: OTHER})}
    assert remove_partitions(stored, "t", {A, B}) == {fan_out_key("t"): None}
    assert remove_partitions(stored, "t", set()) == remove_partitions(stored, "other", {A}) == {}


def test_an_unreadable_fan_out_is_not_overwritten() -> None:
    stored = {request_key(A, None): request_value(REQUEST), fan_out_key("t"): b"{"}
    with pytest.raises(StartpointUnreadable, match="'t' in samza-startpoint-v1-fan-out"):
        fan_out_requests(stored, {"t": [A]}, 5)
    with pytest.raises(StartpointUnreadable):
        remove_partitions(stored, "t", {A})


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
