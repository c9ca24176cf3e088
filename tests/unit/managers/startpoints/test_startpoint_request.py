"""What a startpoint request would do, and requests that two writers write at once."""

from collections.abc import Mapping
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.streams import identify
from eventlog.system_admin import ResolvedStartpoint
from eventlog.wire.startpoints import encode_startpoint
from managers.startpoints.startpoint_records import FAN_OUTS, REQUESTS, StartpointsChanged
from managers.startpoints.startpoint_request import (
    InputProblem,
    ResolvedInput,
    job_warnings,
    resolve_input,
    write_unless_changed,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey, encode_name
from tests.builders import config_set, startpoint
from tests.fixtures.managers.watched_log import raced
from tests.fixtures.memory_system_admin import MemorySystemAdmin


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


STREAM = "page-views"
BEFORE, AFTER = InputProblem.BEFORE_RETAINED, InputProblem.AFTER_LAST


@pytest.fixture
def admin() -> MemorySystemAdmin:
    """Partition 0: events 0 to 9, of times 0, 100, …; partition 1: the same from 4 on; partition 2: empty."""
    system = MemorySystemAdmin()
    system.create(STREAM, 3)
    for partition in (0, 1):
        system.write(STREAM, [number * 100 for number in range(10)], partition)
    system.delete_before(STREAM, 4, 1)
    return system


def resolve(admin: MemorySystemAdmin, startpoint: Startpoint, *partitions: int) -> ResolvedInput:
    return resolve_input(admin, "kafka", STREAM, partitions or None, startpoint)


def offsets_of(found: ResolvedInput) -> dict[int, str]:
    return {partition: each.offset for partition, each in found.resolved.items()}


@pytest.mark.parametrize(
    ("startpoint", "offsets", "problems"),
    [
        (StartpointOldest(1), {0: "0", 1: "4", 2: "0"}, {}),
        (StartpointUpcoming(1), {0: "10", 1: "10", 2: "0"}, {}),
        (StartpointTimestamp(450, 1), {0: "5", 1: "5", 2: "0"}, {2: AFTER}),
        (StartpointTimestamp(400, 1), {0: "4", 1: "4", 2: "0"}, {1: BEFORE, 2: AFTER}),
        (StartpointTimestamp(0, 1), {0: "0", 1: "4", 2: "0"}, {1: BEFORE, 2: AFTER}),
        (StartpointTimestamp(901, 1), {0: "10", 1: "10", 2: "0"}, dict.fromkeys((0, 1, 2), AFTER)),
        (StartpointSpecific("4", 1), dict.fromkeys((0, 1, 2), "4"), {2: AFTER}),
        (StartpointSpecific("3", 1), dict.fromkeys((0, 1, 2), "3"), {1: BEFORE, 2: AFTER}),
        (StartpointSpecific("10", 1), dict.fromkeys((0, 1, 2), "10"), {2: AFTER}),
        (StartpointSpecific("11", 1), dict.fromkeys((0, 1, 2), "11"), dict.fromkeys((0, 1, 2), AFTER)),
        (StartpointSpecific("no number", 1), dict.fromkeys((0, 1, 2), "no number"), {}),
    ],
)
def test_resolved_offsets_and_problems(
    admin: MemorySystemAdmin, startpoint: Startpoint, offsets: dict[int, str], problems: dict[int, InputProblem]
) -> None:
    found = resolve(admin, startpoint)
    assert (offsets_of(found), found.problems) == (offsets, problems)


def test_only_the_requested_partitions_are_resolved(admin: MemorySystemAdmin) -> None:
    found = resolve(admin, StartpointOldest(1), 1, 7)
    assert offsets_of(found) == {1: "4"}
    assert found.problems == {7: InputProblem.NOT_THERE}
    assert found.bounds.keys() == {0, 1, 2}
    assert [partition.partition for partition in admin.asked] == [1]


@pytest.mark.parametrize(
    ("start", "offset"),
    [
        (StartingOffset("checkpoint", starting_offset="8"), "8"),
        (StartingOffset("default", "oldest"), "4"),
        (StartingOffset("reset", "upcoming"), "10"),
        (StartingOffset("startpoint", "timestamp", "5"), None),
        (StartingOffset("checkpoint"), None),
    ],
)
def test_the_first_offset_without_the_startpoint(
    admin: MemorySystemAdmin, start: StartingOffset, offset: str | None
) -> None:
    assert resolve(admin, StartpointOldest(1)).first_offset(1, start) == offset
    assert ResolvedInput({}, {1: ResolvedStartpoint("4")}, {}).first_offset(1, start) == start.starting_offset


KEY: Final = "kafka.in.0.t"
OURS: Final = {KEY: encode_startpoint(StartpointSpecific("3", 1_000))}
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


def write(log: EventLog, first: int = 1) -> None:
    with log.exclude_writers(), CoordinatorStreamStore(log) as store:
        write_unless_changed(store, log, first, OURS)


@pytest.mark.parametrize("what", OTHERS)
def test_a_change_before_the_write_is_refused(stream: MemoryEventLog, what: str) -> None:
    stream.append([*UNRELATED, OTHERS[what]])
    end = stream.end_offset()
    with pytest.raises(StartpointsChanged) as error:
        write(stream)
    assert str(error.value) == f"Another writer changed {what} at offset {end - 1}. Nothing was written."
    assert stream.end_offset() == end
    write(stream, first=end)


@pytest.mark.parametrize("what", OTHERS)
def test_a_change_beside_the_write_is_found_afterwards(stream: MemoryEventLog, what: str) -> None:
    with pytest.raises(StartpointsChanged) as error:
        write(raced(stream, *UNRELATED, OTHERS[what]))
    assert error.value.is_written
    assert str(error.value) == (
        f"Another writer changed {what} at offset 5. The new startpoints were written after that."
    )
    with CoordinatorStreamStore(stream) as store:
        assert store.get(NamespacedKey(REQUESTS, KEY)) == OURS[KEY]


def test_what_others_write_elsewhere_is_no_conflict(stream: MemoryEventLog) -> None:
    write(raced(stream, *UNRELATED))
    assert stream.end_offset() == 6
