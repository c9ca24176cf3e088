"""What a fan-out writes and when there is one; what a request would do, and requests that two writers write at once."""

import itertools
from collections.abc import Mapping
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from eventlog.streams import identify
from eventlog.wire.startpoints import encode_startpoint
from managers.startpoints.startpoint_records import (
    FAN_OUTS,
    REQUESTS,
    FanOuts,
    StartpointsChanged,
    plan_fan_out,
    request_values,
    should_fan_out_startpoints,
)
from managers.startpoints.startpoint_request import job_warnings, write_unless_changed
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey, encode_name
from tests.builders import config_set, startpoint
from tests.fixtures.managers.watched_log import raced

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


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"job.startpoint.enabled": "false"}, "job.startpoint.enabled is not true"),
        ({"yarn.am.high-availability.enabled": "true"}, "only when it is deployed again"),
        (
            {"stores.b.changelog": "x", "stores.a.changelog": "x", "stores.c.factory": "x", "stores.d.changelog": ""},
            "does not rewind the state stores a, b:",
        ),
    ],
)
def test_warns_of_settings_that_change_what_a_startpoint_does(config: Mapping[str, str], words: str) -> None:
    (warning,) = job_warnings(config)
    assert words in warning


KEY: Final = "kafka.in.0.t"
OURS: Final = {KEY: encode_startpoint(StartpointSpecific("3", 1_000))}
NOTHING: Final[Mapping[str, bytes]] = {}
OTHERS: Final = {
    "the startpoint request 'kafka.in.0.t'": startpoint(KEY, StartpointOldest(2_000)),
    "the startpoint request 'kafka.in.0'": startpoint("kafka.in.0", StartpointOldest(2_000)),
}
UNRELATED: Final = (
    config_set("app.run", "2"),
    startpoint("kafka.in.1", StartpointOldest(2_000)),
    startpoint("kafka.in.0.u", StartpointOldest(2_000)),
    NewEvent(encode_name(NamespacedKey(FAN_OUTS, "t")), None),
)


@pytest.fixture
def stream() -> MemoryEventLog:
    log = MemoryEventLog(identify("__samza_coordinator_j_1"))
    log.append([config_set("job.name", "j")])
    return log


def write(log: EventLog, known: Mapping[str, bytes] = NOTHING) -> None:
    with log.exclude_writers(), CoordinatorStreamStore(log) as store:
        write_unless_changed(store, known, OURS)


@pytest.mark.parametrize("what", OTHERS)
def test_a_change_before_the_write_is_refused(stream: MemoryEventLog, what: str) -> None:
    stream.append([*UNRELATED, OTHERS[what]])
    end = stream.end_offset()
    with pytest.raises(StartpointsChanged) as error:
        write(stream)
    assert str(error.value).startswith(f"Another writer changed {what}. Nothing was written.")
    assert stream.end_offset() == end
    with CoordinatorStreamStore(stream) as store:
        write(stream, request_values(store))
    assert stream.end_offset() == end + 1


@pytest.mark.parametrize("what", OTHERS)
def test_a_change_beside_the_write_is_found_afterwards(stream: MemoryEventLog, what: str) -> None:
    with pytest.raises(StartpointsChanged) as error:
        write(raced(stream, *UNRELATED, OTHERS[what]))
    assert error.value.is_written
    assert str(error.value).startswith(f"Another writer changed {what}. The new startpoints were written after that.")
    with CoordinatorStreamStore(stream) as store:
        assert store.get(NamespacedKey(REQUESTS, KEY)) == OURS[KEY]


def test_what_others_write_elsewhere_is_no_conflict(stream: MemoryEventLog) -> None:
    write(raced(stream, *UNRELATED))
    assert stream.end_offset() == 6
