"""Who gets which order."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific
from managers.startpoints.startpoint_fan_out import FanOuts, in_words, meanings, merged, plan_fan_out, whole

NOW_MS = 1_700_000_000_000
A, B = SystemStreamPartition("k", "s", 0), SystemStreamPartition("k", "s", 1)
TASKS = {"t0": [A], "t1": [A, B]}
KEYS = [StartpointKey(A), StartpointKey(B), *(StartpointKey(A, TaskName(task)) for task in TASKS)]


def keyed(partition: SystemStreamPartition, task: str | None = None) -> StartpointKey:
    """What a request is for."""
    return StartpointKey(partition, None if task is None else TaskName(task))


def test_losers_are_taken_too_and_before_what_beats_them() -> None:
    requests: dict[StartpointKey, Startpoint] = {
        keyed(A): StartpointSpecific("all", NOW_MS - 2),
        keyed(A, "t0"): StartpointSpecific("older", NOW_MS - 3),
        keyed(A, "t1"): StartpointSpecific("own", NOW_MS - 2),
    }
    plan = plan_fan_out(requests, TASKS, NOW_MS)
    assert plan.handed == {"t0": {A: requests[keyed(A)]}, "t1": {A: requests[keyed(A, "t1")]}}
    assert plan.taken == ("k.s.0.t0", "k.s.0", "k.s.0.t1")


def test_an_expired_request_is_left_where_it_is() -> None:
    requests = {
        keyed(A): StartpointOldest(NOW_MS - EXPIRY_MS),
        keyed(A, "t1"): StartpointOldest(NOW_MS - EXPIRY_MS - 1),
    }
    plan = plan_fan_out(requests, TASKS, NOW_MS)
    assert plan.handed == {task: {A: requests[keyed(A)]} for task in TASKS}
    assert plan.taken == ("k.s.0",)


def test_a_new_order_goes_before_one_that_was_handed_out() -> None:
    old, new = StartpointSpecific("1", NOW_MS), StartpointSpecific("2", NOW_MS - 1)
    assert merged({A: old, B: old}, {B: new}) == {A: old, B: new}


def test_what_a_key_may_mean_depends_on_the_tasks() -> None:
    dotted, plain = SystemStreamPartition("k", "s.1", 2), SystemStreamPartition("k", "s", 1, 3)
    known = meanings({"t": [dotted], "2": [plain]})
    assert known["k.s.1.2"] == {keyed(dotted), keyed(whole(plain), "2")}
    assert known["k.s.1"] == {keyed(whole(plain))}
    assert set(known) == {"k.s.1.2", "k.s.1.2.t", "k.s.1"}


def test_a_key_in_words() -> None:
    assert in_words(keyed(B)) == "partition 1 of k.s in every task"
    assert in_words(keyed(A, "t")) == "partition 0 of k.s in task 't'"


@given(st.dictionaries(st.sampled_from(KEYS), st.integers(NOW_MS - 3, NOW_MS)))
def test_whatever_requests_a_crash_leaves_the_next_start_gives_the_same(created: dict[StartpointKey, int]) -> None:
    names = itertools.count()
    requests = {key: StartpointSpecific(str(next(names)), at) for key, at in created.items()}
    plan = plan_fan_out(requests, TASKS, NOW_MS)
    for deleted in range(len(plan.taken) + 1):
        left = {key: one for key, one in requests.items() if str(key) not in plan.taken[:deleted]}
        again = plan_fan_out(left, TASKS, NOW_MS)
        assert _after(_after({}, plan.handed), again.handed) == _after({}, plan.handed)


def _after(pending: FanOuts, handed: FanOuts) -> FanOuts:
    return {task: merged(pending.get(task, {}), handed.get(task, {})) for task in TASKS}
